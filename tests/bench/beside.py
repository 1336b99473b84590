"""Two programs side by side in headless Chromium: until both pictures stand, and what a hover costs.

A hover is a pointer's move over one picture: the time its event and the frame that follows take of the main
thread, in which its counterpart lights up in the other picture.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Playwright, sync_playwright

import exir_viz

from .browsing import FLAGS, chromium, median
from .paths import archive_path
from .timing import table

PAIR = ("llama32", "llama32.core")
RUNS = 3
MOVES = 150
FIRST, FRAME = 1.5, 16  # what we set out for: seconds, milliseconds

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


def run() -> None:
    if chromium() is None:
        print("\nNo Chromium here: what is side by side is not measured. Set EXIR_VIZ_CHROMIUM to it.")
        return
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "pair.html"
        exir_viz.diff(*(exir_viz.load(archive_path(name)) for name in PAIR)).to_html(file)
        visits = [_visit(playwright, file.as_uri()) for _ in range(RUNS)]
    first = median(seconds for seconds, _ in visits)
    spent = sorted(one for _, spent in visits for one in spent)
    deciles = statistics.quantiles(spent, n=10)
    head = ("programs", f"both pictures, s (≤ {FIRST})", f"a hover, ms: median (≤ {FRAME})", "p90", "longest")
    row = (" and ".join(PAIR), f"{first:.2f}", f"{deciles[4]:.1f}", f"{deciles[8]:.1f}", f"{spent[-1]:.1f}")
    table("side by side in headless Chromium", head, [row])


def _visit(playwright: Playwright, url: str) -> tuple[float, list[float]]:
    browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
    try:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.goto(url, wait_until="commit")
        return page.evaluate(_BOTH), page.evaluate(_HOVER, MOVES)
    finally:
        browser.close()
