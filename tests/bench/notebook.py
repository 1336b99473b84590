"""The first picture in a notebook: from running the cell to the picture that stands, in a real JupyterLab."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from tests.chromium import chromium
from tests.ui.jupyter import SETTLED, Notebook, Server

from .browsing import FLAGS
from .paths import archive_path
from .timing import table

PROGRAMS = ("llama32.core", "deep10k")
RUNS = 3
# Runs the cell that is chosen; seconds until one more picture stands.
_RUN = """what => new Promise(done => {
  const count = () => document.querySelectorAll(what).length, before = count(), start = performance.now();
  globalThis.jupyterapp.commands.execute('notebook:run-cell');
  const look = () => count() > before
    ? done((performance.now() - start) / 1000) : requestAnimationFrame(look);
  requestAnimationFrame(look) })"""


def run() -> None:
    if chromium() is None:
        print("\nNo Chromium here: the notebook is not measured. Set EXIR_VIZ_CHROMIUM to it.")
        return
    table("the first picture in JupyterLab", ["program", "from running the cell", "range"], _rows())


def _rows() -> Iterator[list[str]]:
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(Path(folder)) as server,
        sync_playwright() as playwright,
    ):
        for name in PROGRAMS:
            seconds = _seconds(
                playwright.chromium.launch(executable_path=chromium(), args=FLAGS), server, name
            )
            yield [name, f"{statistics.median(seconds):.2f} s", f"{min(seconds):.2f}–{max(seconds):.2f} s"]


def _seconds(browser: Browser, server: Server, name: str) -> list[float]:
    """Of a cell each; the program is loaded before."""
    # High enough for every cell: what is scrolled out of sight an application may take out of the page.
    page = browser.new_page(viewport={"width": 1280, "height": 2800})
    load = f"import exir_viz\nsnapshot = exir_viz.load({str(archive_path(name))!r})"
    notebook = Notebook(server, page, "lab").open(
        f"{name}.ipynb", [load, *["exir_viz.explore(snapshot)"] * RUNS]
    )
    notebook.until_ready().run(0)
    seconds = []
    for cell in range(1, RUNS + 1):
        page.locator(".jp-CodeCell").nth(cell).locator(".jp-InputArea-editor .cm-content").click()
        seconds.append(page.evaluate(_RUN, SETTLED))
    browser.close()
    server.stop_kernels()
    return seconds
