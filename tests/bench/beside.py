"""Two programs side by side in headless Chromium: until both stand, and what a hover and a step cost.

A hover is a pointer's move over one picture: the time its event and the frame that follows take of the main
thread, in which its counterpart lights up in the other picture. A step goes to the next change: what the
main thread does until both pictures stand again.
"""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from playwright.sync_api import CDPSession, Playwright, sync_playwright

import exir_viz
from exir_viz.compare.diff import Diff
from exir_viz.snapshot.index import index_of
from tests.chromium import chromium
from tests.compare.mutate import mutate

from .browsing import FLAGS, median, wait_for_rest
from .paths import archive_path
from .timing import table

RUNS = 3
MOVES = 150
STEPS = 5
FIRST, FRAME = 1.5, 16  # what we set out for, of llama32: seconds, milliseconds

_BOTH = """() => new Promise(done => {
  const look = () => {
    const all = [...document.querySelectorAll('.exirviz-compare .exirviz-canvas')];
    if (all.length === 2 && all.every(one => one.dataset.state === 'settled'))
      requestAnimationFrame(now => done(now / 1000));
    else requestAnimationFrame(look) };
  look() })"""
_HOVER = """async moves => {
  const canvas = document.querySelectorAll('.exirviz-compare .exirviz-canvas')[1];
  const box = canvas.getBoundingClientRect(), spent = [];
  for (let i = 0; i < moves; i++) {
    await new Promise(done => setTimeout(done, 30));
    const at = { clientX: box.left + 20 + (i * 37) % (box.width - 40),
                 clientY: box.top + 20 + (i * 61) % (box.height - 40) };
    const start = performance.now();
    canvas.dispatchEvent(new PointerEvent('pointermove', { ...at, bubbles: true, pointerType: 'mouse' }));
    const heard = performance.now() - start;
    spent.push(heard + await new Promise(done => requestAnimationFrame(() => {
      const frame = performance.now(), after = new MessageChannel();
      after.port1.onmessage = () => done(performance.now() - frame);
      after.port2.postMessage(0) })));
  }
  return spent }"""


class Visit(msgspec.Struct, frozen=True):
    first: float  # seconds
    hovers: list[float]  # milliseconds of the main thread, as are the steps
    steps: list[float]


def run() -> None:
    if chromium() is None:
        print("\nNo Chromium here: what is side by side is not measured. Set EXIR_VIZ_CHROMIUM to it.")
        return
    hovers = (f"a hover (≤ {FRAME} ms): median", "nine of ten below", f"longest of {RUNS * MOVES}")
    head = ("programs", f"both pictures (≤ {FIRST} s)", *hovers, "the next change")
    table("side by side in headless Chromium", head, _rows())


def _rows() -> Iterator[Sequence[str]]:
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pair.html"
        for title, diff in _pairs():
            diff.to_html(file)
            yield _row(title, [_visit(playwright, file.as_uri()) for _ in range(RUNS)])


def _pairs() -> Iterator[tuple[str, Diff]]:
    llama = (exir_viz.load(archive_path(name)) for name in ("llama32", "llama32.core"))
    yield "llama32 and llama32.core", exir_viz.diff(*llama)
    for name, changes in (("deep10k", 100), ("deep100k", 1000)):
        a = exir_viz.load(archive_path(name))
        b = mutate(a, "mixed", changes / index_of(a.method.graph).computes).b
        yield f"{name} and {changes:,} random changes", exir_viz.diff(a, b)


def _row(title: str, visits: list[Visit]) -> tuple[str, ...]:
    spent = sorted(one for visit in visits for one in visit.hovers)
    deciles = statistics.quantiles(spent, n=10)
    step = median(one for visit in visits for one in visit.steps)
    first = median(visit.first for visit in visits)
    hovers = (f"{one:.1f} ms" for one in (deciles[4], deciles[8], spent[-1]))
    return title, f"{first:.2f} s", *hovers, f"{step:.0f} ms"


def _visit(playwright: Playwright, url: str) -> Visit:
    browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
    try:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")
        wait_for_rest(browser)
        page.goto(url, wait_until="commit")
        first, hovers, steps = page.evaluate(_BOTH), page.evaluate(_HOVER, MOVES), []
        for _ in range(STEPS):
            before = _busy(session)
            page.keyboard.press("n")
            page.evaluate(_BOTH)
            steps.append(1000 * (_busy(session) - before))
        return Visit(first, hovers, steps)
    finally:
        browser.close()


def _busy(session: CDPSession) -> float:
    """Seconds that the main thread has worked."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(float(each["value"]) for each in metrics if each["name"] == "TaskDuration")
