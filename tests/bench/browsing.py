"""One viewer in headless Chromium: how long to a picture, how smooth, how heavy; one measure for all.

    first      navigation start, when the browser itself has started → the first animation frame after the
               viewer shows boxes
    opened     "open all" → its boxes no longer change and two frames were painted; where a viewer moves
               there, the end of that move
    cpu        seconds of all the browser's processes over the same span: of `opened`, with the 1.5 s in which
               the count is watched
    frames     per second while the wheel zooms, and while the picture is dragged, with everything open
    heap       of the page's main thread, after its garbage was collected

No graphics card is assumed: what draws with WebGL is drawn by SwiftShader; its frame rates are lower bounds.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page, Playwright

from tests.chromium import QUIET_FLAGS, chromium

FLAGS = [
    *QUIET_FLAGS,
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--js-flags=--max-old-space-size=8192",
]
PATIENCE = 180  # seconds for any one step of a viewer
WATCHED = 1500  # milliseconds in which the count of boxes must stay as it is
MOVING = 3.0  # seconds of zooming, and of dragging
# Until a browser that has just started rests: it loads pages of its own user interface, for seconds of CPU.
REST = 0.25  # seconds of a look
QUIET = 0.015  # CPU seconds in such a look
LOOKS = 80
FIRST = "first picture"


@dataclass(frozen=True, slots=True)
class Viewer:
    """`boxes`: JavaScript for the number of boxes shown, 0 while there are none. `opens`: what to click."""

    name: str
    boxes: str
    opens: str | None
    center: tuple[int, int]
    prepare: str = ""


@dataclass(frozen=True, slots=True)
class Visit:
    """Seconds, frames per second and bytes; None where the viewer never got there."""

    first: float | None = None
    first_cpu: float | None = None
    opened: float | None = None
    opened_cpu: float | None = None
    boxes: int | None = None
    zoom: float | None = None
    drag: float | None = None
    heap: float | None = None


OURS = Viewer(
    "exir_viz",
    "Number(document.querySelector('.exirviz-canvas')?.dataset.boxes ?? 0)",
    ".exirviz-open-all",
    (455, 420),
)
MODEL_EXPLORER = Viewer(
    "Model Explorer",
    "(() => { const r = window.me_test?.renderers?.[0];"
    " return r && window.__draws > 0 ? r.nodesToRender.length : 0 })()",
    ".mat-icon-container.expand-all",
    (455, 420),
    """for (const Context of [window.WebGLRenderingContext, window.WebGL2RenderingContext])
        for (const name of ['drawArrays', 'drawElements', 'drawArraysInstanced', 'drawElementsInstanced']) {
          const draw = Context?.prototype[name];
          if (draw) Context.prototype[name] = function () {
            window.__draws++; return draw.apply(this, arguments) } }""",
)
NETRON = Viewer(
    "Netron",
    "document.body?.classList.contains('default') ? document.querySelectorAll('g.node').length : 0",
    None,  # it shows everything at once
    (640, 420),
    # It replaces eval, which the driver needs.
    "const own = window.eval; Object.defineProperty(window, 'eval', { get: () => own, set: () => {} });",
)

_WATCH_FIRST = """
window.__draws = 0;
%(prepare)s
const look = () => {
  let count = 0; try { count = %(boxes)s } catch {}
  requestAnimationFrame(count > 0 ? () => console.log('%(first)s', performance.now()) : look) };
requestAnimationFrame(look);
"""
_WATCH_OPENED = """() => new Promise(done => {
  const start = performance.now(), before = %(boxes)s;
  let last = before, seen = start, painted = 0;
  document.querySelector(%(opens)r).click();
  const look = () => {
    const count = %(boxes)s, now = performance.now();
    if (count !== last) {
      last = count; seen = now; painted = 0;
      requestAnimationFrame(() => requestAnimationFrame(() => { painted = performance.now() })) }
    if (count > before && now - seen > %(watched)d && painted) done([(painted - start) / 1000, count]);
    else requestAnimationFrame(look) };
  requestAnimationFrame(look) })"""
_COUNT_FRAMES = """() => { window.__frames = []; window.__counting = true;
  let last = performance.now();
  const look = now => { window.__frames.push(now - last); last = now;
    if (window.__counting) requestAnimationFrame(look) };
  requestAnimationFrame(now => { last = now; requestAnimationFrame(look) }) }"""


def visit(playwright: Playwright, viewer: Viewer, url: str) -> Visit:
    """Open a viewer in a browser of its own, open everything in it, move about."""
    browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
    try:
        return _visit(browser, viewer, url)
    finally:
        browser.close()


def median(values: Iterable[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return statistics.median(there) if there else None


def _visit(browser: Browser, viewer: Viewer, url: str) -> Visit:
    page = browser.new_page(viewport={"width": 1280, "height": 800})
    page.set_default_timeout(PATIENCE * 1000)
    if url.startswith("http"):
        own = url.partition("?")[0]
        page.context.add_cookies([{"name": "consent", "value": "1700000000000", "url": own}])
        page.route(
            lambda to: to.startswith("http") and to.split("/")[2] != url.split("/")[2], lambda r: r.abort()
        )
    page.add_init_script(_WATCH_FIRST % {"boxes": viewer.boxes, "prepare": viewer.prepare, "first": FIRST})
    wait_for_rest(browser)
    system = browser.new_browser_cdp_session()
    before = _cpu(system)
    # A message, because what evaluates in the page or waits for it there loads a script of the driver first.
    with page.expect_console_message(lambda message: message.text.startswith(FIRST)) as shown:
        page.goto(url, wait_until="commit")
    first_cpu = _cpu(system) - before
    first = float(shown.value.text.removeprefix(FIRST)) / 1000
    time.sleep(1)  # what a viewer still prepares is not to be counted as opening
    opened = opened_cpu = count = None
    if viewer.opens:
        before = _cpu(system)
        opened, count = page.evaluate(
            _WATCH_OPENED % {"boxes": viewer.boxes, "opens": viewer.opens, "watched": WATCHED}
        )
        opened_cpu = _cpu(system) - before
    else:
        opened, opened_cpu, count = first, first_cpu, page.evaluate(f"() => {viewer.boxes}")
    time.sleep(1)
    heap = _heap(page)
    return Visit(first, first_cpu, opened, opened_cpu, count, *_move(page, viewer.center), heap)


def _move(page: Page, center: tuple[int, int]) -> tuple[float, float]:
    x, y = center
    page.mouse.move(x, y)
    page.keyboard.down("Control")
    zoom = frames(page, lambda i: page.mouse.wheel(0, -60 if i // 20 % 2 == 0 else 60))
    page.keyboard.up("Control")
    page.mouse.down()
    drag = frames(
        page, lambda i: page.mouse.move(x + 15 * (i // 10 % 2 * 2 - 1) * (i % 10), y - 12 * (i % 20))
    )
    page.mouse.up()
    return zoom, drag


def frames(page: Page, step: Callable[[int], object], seconds: float = MOVING) -> float:
    """Frames per second while `step(i)` is done again and again."""
    page.evaluate(_COUNT_FRAMES)
    start, i = time.perf_counter(), 0
    while time.perf_counter() - start < seconds:
        step(i)
        i += 1
    times: list[float] = page.evaluate("() => { window.__counting = false; return window.__frames }")
    return 1000 * len(times) / sum(times) if times else 0.0


def wait_for_rest(browser: Browser) -> None:
    """Wait until the browser's processes do next to nothing, or for as long as its start could take."""
    system = browser.new_browser_cdp_session()
    before = _cpu(system)
    for _ in range(LOOKS):
        time.sleep(REST)
        now = _cpu(system)
        if now - before < QUIET:
            return
        before = now


def _cpu(system: CDPSession) -> float:
    processes: list[dict[str, Any]] = system.send("SystemInfo.getProcessInfo")["processInfo"]
    return sum(process["cpuTime"] for process in processes)


def _heap(page: Page) -> float:
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    metrics = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return metrics["JSHeapUsedSize"]
