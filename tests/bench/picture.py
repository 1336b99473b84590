"""The picture: our standalone page and, where installed, the peers, on the same files in the same run."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Playwright, sync_playwright

import exir_viz
from exir_viz.pages import html as pages
from tests.chromium import chromium
from tests.corpus.lowered import delegated

from . import peers
from .browsing import FLAGS, MODEL_EXPLORER, NETRON, OURS, Viewer, Visit, median, visit
from .paths import archive_path
from .timing import table

RUNS = 3
PEERS = (("model_explorer", MODEL_EXPLORER), ("netron", NETRON))
# What we set out for: first picture and its CPU, everything open and its CPU, frames, heap.
TARGETS = {
    "llama32.core": ("≤ 0.3 s", "≤ 0.6 s", "≤ 0.8 s", "≤ 1.0 s", "≥ 55 / ≥ 55", "≤ 60 MB"),
    "llama32 on XNNPACK": ("≤ 0.5 s", "", "≤ 1.0 s", "", "≥ 55 / ≥ 55", ""),
    "deep10k": ("≤ 0.6 s", "", "≤ 1.2 s", "", "", ""),
    "deep100k": ("≤ 1.5 s", "", "≤ 5 s", "", "≥ 50 / ≥ 50", ""),
}
DELEGATED = {"llama32 on XNNPACK": "llama32"}
# No other viewer opens the stages of a session.
WITHOUT_PEERS = {"deep100k", *DELEGATED}
HEAD = (
    "program",
    "viewer",
    "first picture",
    "first picture CPU",
    "all open",
    "all open CPU",
    "boxes",
    "frames a second (zoom / drag)",
    "heap",
)
SETTLED = '.exirviz-canvas[data-state="settled"]'
# The module that is opened alone, and what we set out for, in milliseconds.
BLOCKS = {"llama32.core": ("model.layers.0", 100), "deep100k": ("stages.3", 150)}


def run() -> None:
    if chromium() is None:
        print("\nNo Chromium here: the picture is not measured. Set EXIR_VIZ_CHROMIUM to it.")
        return
    blocks: list[tuple[str, ...]] = []
    table("the picture in headless Chromium, medians", HEAD, _rows(blocks), keys=2)
    head = ("program", "module", "laid out and painted", "to be", "frames a second while it moves")
    table("opening one module", head, blocks)


def _rows(blocks: list[tuple[str, ...]]) -> Iterator[tuple[str, ...]]:
    """One of each viewer and of what ours is to be; what opening a module took is put into `blocks`."""
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        for name in TARGETS:
            page = pages.write(exir_viz.load(_file(name)), Path(folder) / f"{name}.html").as_uri()
            for viewer, address in _viewers(name, page):
                with address as url:
                    yield _row(name, viewer, [visit(playwright, viewer, url) for _ in range(RUNS)])
            yield (name, "*ours is to be*", *TARGETS[name][:4], "", *TARGETS[name][4:])
            if name in BLOCKS:
                blocks.append(_block(playwright, name, page))


def _file(name: str) -> Path:
    return delegated(DELEGATED[name]) if name in DELEGATED else archive_path(name)


def _viewers(name: str, page: str) -> Iterator[tuple[Viewer, contextlib.AbstractContextManager[str]]]:
    yield OURS, contextlib.nullcontext(page)
    for peer, viewer in PEERS:
        if name not in WITHOUT_PEERS and peers.is_here(peer):
            yield viewer, peers.serving(peer, name)


def _row(name: str, viewer: Viewer, visits: list[Visit]) -> tuple[str, ...]:
    def said(field: str, form: str, unit: str = "", scale: float = 1) -> str:
        value = median(getattr(one, field) for one in visits)
        return "never" if value is None else f"{value / scale:{form}}{unit}"

    return (
        name,
        viewer.name,
        said("first", ".2f", " s"),
        said("first_cpu", ".2f", " s"),
        said("opened", ".2f", " s"),
        said("opened_cpu", ".2f", " s"),
        said("boxes", ",.0f"),
        f"{said('zoom', '.0f')} / {said('drag', '.0f')}",
        said("heap", ".0f", " MB", 1e6),
    )


# Shows the module closed, then opens it.
_READY = """path => { const e = globalThis.exirviz, { picture } = e;
  const item = Array.from({ length: picture.count }, (_, i) => i).find(
    i => picture.isGroup(i) && e.snapshot.scopes[picture.scopeOf(i)]?.path === path);
  window.__item = item;
  return e.revealItem(item).then(() => e.state.open.has(item) ? e.toggle(item) : undefined) }"""
_OPEN_ONE = """() => new Promise(done => {
  const e = globalThis.exirviz, canvas = document.querySelector('.exirviz-canvas'), start = performance.now();
  let frames = 0;
  e.toggle(window.__item);
  const look = () => {
    frames++;
    if (canvas.dataset.state === 'settled' && e.state.open.has(window.__item))
      done([performance.now() - start, frames]);
    else requestAnimationFrame(look) };
  requestAnimationFrame(look) })"""


def _block(playwright: Playwright, name: str, url: str) -> tuple[str, ...]:
    """Without motion, the time is that of layout and paint; with it, its frames are counted."""
    path, target = BLOCKS[name]
    browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)

    def opened(**options: str) -> tuple[float, int]:
        page = browser.new_page(viewport={"width": 1280, "height": 800}, **options)
        page.goto(url)
        page.wait_for_selector(SETTLED, state="attached")
        page.evaluate(_READY, path)
        time.sleep(1)  # a user looks before he opens; the worker is made ready meanwhile
        milliseconds, frames = page.evaluate(_OPEN_ONE)
        page.close()
        return milliseconds, frames

    try:
        still = median(opened(reduced_motion="reduce")[0] for _ in range(RUNS))
        moving = [opened() for _ in range(RUNS)]
        rate = median(1000 * frames / milliseconds for milliseconds, frames in moving)
        return name, path, f"{still:.0f} ms", f"≤ {target} ms", f"{rate:.0f}"
    finally:
        browser.close()
