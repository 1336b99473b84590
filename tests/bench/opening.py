"""Files opened without a notebook: by a double-click in JupyterLab, and in a tab that has its own Python."""

from __future__ import annotations

import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import psutil
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from scripts.site import build, wheels
from tests.chromium import chromium
from tests.server.test_files import add_sparse_weight
from tests.ui.jupyter import CLOSE_TABS, READY, SETTLED, Server
from tests.ui.static_site import Host, Tab

from .browsing import FLAGS, wait_for_rest
from .paths import archive_path
from .timing import mb, table

IN_JUPYTERLAB = "from a double-click in JupyterLab to the picture"
IN_A_TAB = "a browser tab that reads files"
RUNS = 3
SPARSE = "llama32.core with weights of 2 GB"
VIEW = {"width": 1280, "height": 800}
# Opens a file of the file browser; seconds until its picture stands. An error page ends the wait.
_DOUBLE_CLICK = """([name, what]) => new Promise((done, fail) => {
  const item = [...document.querySelectorAll('.jp-DirListing-item')]
    .find(one => one.querySelector('.jp-DirListing-itemText').textContent === name);
  const start = performance.now();
  const mouse = { bubbles: true, view: window };
  item.dispatchEvent(new MouseEvent('mousedown', mouse));
  item.dispatchEvent(new MouseEvent('mouseup', mouse));
  item.dispatchEvent(new MouseEvent('dblclick', mouse));
  const look = () => {
    const error = document.querySelector('.exirviz-document-error');
    if (error) fail(new Error(error.innerText));
    else if (document.querySelector(what)) done((performance.now() - start) / 1000);
    else requestAnimationFrame(look);
  };
  look() })"""
# Seconds until Python can read a file.
_READY = """() => new Promise(done => {
  const look = () => globalThis.exirvizSite?.state.reader.kind === 'ready'
    ? done(performance.now() / 1000) : setTimeout(look, 10);
  look() })"""
# Drops a file that the input holds; seconds until its picture stands.
_DROP = """what => new Promise(done => {
  const start = performance.now();
  const { files } = document.querySelector('input[type=file][multiple]');
  const data = new DataTransfer();
  for (const file of files) data.items.add(file);
  document.body.dispatchEvent(
    new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true }));
  const look = () => document.querySelector(what)
    ? done((performance.now() - start) / 1000) : requestAnimationFrame(look);
  requestAnimationFrame(look) })"""


def run() -> None:
    if chromium() is None:
        print("\nNo Chromium here: opened files are not measured. Set EXIR_VIZ_CHROMIUM to it.")
        return
    head = ["file", "time", "range", "memory of server and reader"]
    table(IN_JUPYTERLAB, head, _in_jupyterlab())
    table(IN_A_TAB, ["what", "time", "range"], _in_a_tab())


def _spread(seconds: list[float]) -> list[str]:
    return [f"{statistics.median(seconds):.2f} s", f"{min(seconds):.2f}–{max(seconds):.2f} s"]


class _Memory:
    """The most memory that a process and those it started used at one time, as looked at every 20 ms."""

    def __init__(self, pid: int) -> None:
        self.peak = 0
        self._root = psutil.Process(pid)
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._is_over.wait(0.02):
            processes = [self._root, *self._root.children(recursive=True)]
            self.peak = max(self.peak, sum(map(_resident, processes)))


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.NoSuchProcess:
        return 0


def _in_jupyterlab() -> Iterator[list[str]]:
    with (
        tempfile.TemporaryDirectory() as folder,
        Server(Path(folder)) as server,
        sync_playwright() as playwright,
    ):
        files = {"llama32.core": "llama32.core", SPARSE: "llama32.core", "deep100k": "deep100k"}
        for name, source in files.items():
            shutil.copy(archive_path(source), Path(folder) / f"{name}.pt2")
        add_sparse_weight(Path(folder) / f"{SPARSE}.pt2", 2 << 30)
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        page = browser.new_page(viewport=VIEW)
        page.goto(f"http://127.0.0.1:{server.port}/lab?reset")
        page.wait_for_function(READY)
        page.locator(".jp-DirListing-item").first.wait_for()
        page.evaluate("() => void (globalThis.isSharedByTests = true)")
        _double_clicks(page, "llama32.core")  # loads the front end
        for name in files:
            with _Memory(server.pid) as memory:
                seconds = _double_clicks(page, name)
            yield [name, *_spread(seconds), mb(memory.peak)]
        browser.close()


def _double_clicks(page: Page, name: str) -> list[float]:
    seconds = []
    for _ in range(RUNS):
        seconds.append(page.evaluate(_DOUBLE_CLICK, [f"{name}.pt2", f".exirviz-document {SETTLED}"]))
        page.evaluate(CLOSE_TABS)
    return seconds


def _in_a_tab() -> Iterator[list[str]]:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        site, found = Path(folder) / "site", Path(folder) / "wheels"
        found.mkdir()
        build(site, wheels(found), [])
        host = Host(site)
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        wait_for_rest(browser)
        visits = [_visits(browser, host) for _ in range(RUNS)]
        yield ["first visit, until files can be read", *_spread([first for first, _ in visits])]
        yield ["second visit", *_spread([second for _, second in visits])]
        context = browser.new_context(viewport=VIEW)
        tab = Tab(context.new_page(), host).visit().wait_ready()
        for name in ("llama32.core", "deep10k", "deep100k"):
            yield [f"from the drop of {name} to the picture", *_spread(_drops(tab, name))]
        browser.close()
        host.close()


def _visits(browser: Browser, host: Host) -> tuple[float, float]:
    """Seconds of a first and of a second visit, each from the address to a Python that can read files."""
    context: BrowserContext = browser.new_context(viewport=VIEW)
    tab = Tab(context.new_page(), host)
    seconds = []
    for _ in range(2):
        tab.page.goto(host.address)
        seconds.append(tab.page.evaluate(_READY))
        tab.wait_ready()
        time.sleep(0.5)  # the service worker keeps the last files
    context.close()
    return seconds[0], seconds[1]


def _drops(tab: Tab, name: str) -> list[float]:
    seconds = []
    for _ in range(RUNS):
        tab.page.locator(".exirviz-site-home").click()
        tab.page.locator(".exirviz-site-zone").wait_for()
        tab.page.evaluate("() => document.querySelector('input[type=file][multiple]').value = ''")
        tab.page.evaluate(
            "() => document.querySelector('input[type=file][multiple]')"
            ".addEventListener('change', event => event.stopImmediatePropagation(), "
            "{ capture: true, once: true })"
        )
        tab.choose(archive_path(name))
        seconds.append(tab.page.evaluate(_DROP, f".exirviz-site-file {SETTLED}"))
    return seconds
