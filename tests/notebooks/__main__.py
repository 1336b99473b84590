"""Run the tour and the lessons, and save their outputs: `python -m tests.notebooks`, or with 03 04 some.

Each explorer is saved as a picture, taken in Chromium. A cell that has a picture keeps it, so that diffs are
small; `--pictures` takes all of them again.
"""

from __future__ import annotations

import argparse
import base64
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
from ipywidgets import DOMWidget
from playwright.sync_api import Browser, sync_playwright

from tests.bench.browsing import FLAGS
from tests.chromium import chromium

from . import questions
from .palette_png import palette_png
from .running import Runner, notebooks, tags, versions

WIDTH = 900
# The pixels of an image, in base64, and its width.
PIXELS = """async data => {
  const image = new Image(); image.src = data; await image.decode();
  const { width, height } = image;
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  const bytes = context.getImageData(0, 0, width, height).data;
  let text = '';
  for (let at = 0; at < bytes.length; at += 8192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return [btoa(text), width] }"""
SETTLED = '.exirviz-canvas[data-state="settled"]'


def save(path: Path, browser: Browser, *, retake: bool) -> str:
    """Run a lesson, write its outputs into its file, and say what it took."""
    notebook = nbformat.read(path, as_version=4)
    if path.stem in (asked := questions.questions()):
        questions.write(notebook, asked[path.stem])
    with tempfile.TemporaryDirectory() as folder, Runner(Path(folder)) as runner:
        for cell in notebook.cells:
            if cell.cell_type != "code":
                continue
            kept = [] if retake else [one for one in cell.outputs if "image/png" in one.get("data", {})]
            runner.picture = (
                (lambda _shown, kept=kept: kept.pop(0)["data"]["image/png"])
                if kept
                else (lambda shown: photograph(browser, shown))
            )
            cell.outputs = runner.run(cell.source)
            cell.execution_count = None
            failed = [one for one in cell.outputs if one.output_type == "error"]
            if failed and "raises-exception" not in tags(cell):
                raise SystemExit(f"{path.name}: {failed[0].ename}: {failed[0].evalue}\n\n{cell.source}")
    notebook.metadata["saved_with"] = versions()
    nbformat.write(notebook, path)
    return f"{path.stem:34} {runner.cpu_seconds:5.1f} s of CPU {path.stat().st_size / 1000:6.0f} kB"


def photograph(browser: Browser, shown: DOMWidget) -> str:
    """What the explorer would show in a cell, as PNG in base64; selected nodes are revealed."""
    is_diff = hasattr(shown, "diff")
    with tempfile.TemporaryDirectory() as folder:
        text = (shown.diff if is_diff else shown).to_html(Path(folder) / "page.html").read_text()
    keys = list(getattr(shown, "selection", ()))  # a diff has none, a story shows its own
    page = browser.new_page(
        viewport={"width": WIDTH, "height": shown.height}, color_scheme="light", reduced_motion="reduce"
    )
    try:
        page.set_content(text)
        page.wait_for_function("() => globalThis.exirviz !== undefined")
        page.locator(SETTLED).first.wait_for(state="attached")
        for key in keys:
            page.evaluate("key => exirviz.reveal(exirviz.snapshot.find(key))", key)
        page.wait_for_timeout(500)
        page.locator(SETTLED).first.wait_for(state="attached")
        shot = "data:image/png;base64," + base64.b64encode(page.screenshot()).decode()
        pixels, width = page.evaluate(PIXELS, shot)
        return base64.b64encode(palette_png(base64.b64decode(pixels), width)).decode()
    finally:
        page.close()


@contextmanager
def chromium_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        yield browser
        browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="beginnings of lesson names, such as 03; all without any")
    parser.add_argument("--pictures", action="store_true", help="take the pictures again")
    asked = parser.parse_args()
    chosen = [path for path in notebooks() if not asked.names or path.stem.startswith(tuple(asked.names))]
    with chromium_browser() as browser:
        for path in chosen:
            print(save(path, browser, retake=asked.pictures), flush=True)


if __name__ == "__main__":
    main()
