"""Goldens: what a page looked like, and the texts of its boxes, when someone last checked them.

A golden is a small picture, compared in coarse cells, so that differences in antialiasing do not count; and
the boxes of the scene as text, which are compared everywhere. Other fonts have other widths: if the fonts
differ from those of the goldens, only the text is compared. `EXIR_VIZ_GOLDENS=write` writes both again: look
at them.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, Protocol

import pytest
from playwright.sync_api import Page

GOLDENS = Path(__file__).parent / "goldens"
WRITES = os.environ.get("EXIR_VIZ_GOLDENS") == "write"

# Mean and worst difference of cells, each the mean of 16×16 pixels, of 255.
LIKE = (3.0, 48.0)
# How often a page that looks different is looked at again.
MOVES = 10
COMPARE = """async ([now, then]) => {
  const cells = async data => {
    const image = new Image(); image.src = data; await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), { width: 80, height: 50 });
    const pen = canvas.getContext('2d', { willReadFrequently: true });
    pen.imageSmoothingQuality = 'high'; pen.drawImage(image, 0, 0, 80, 50);
    return pen.getImageData(0, 0, 80, 50).data };
  const [a, b] = [await cells(now), await cells(then)];
  let sum = 0, worst = 0;
  for (let i = 0; i < a.length; i++) { const d = Math.abs(a[i] - b[i]); sum += d; worst = Math.max(worst, d) }
  return [sum / a.length * 4 / 3, worst] }"""
SMALLER = """async data => {
  const image = new Image(); image.src = data; await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 400 });
  const pen = canvas.getContext('2d');
  pen.imageSmoothingQuality = 'high'; pen.drawImage(image, 0, 0, 640, 400);
  return canvas.toDataURL('image/webp', 0.8) }"""
FONTS = """() => { const pen = document.createElement('canvas').getContext('2d');
  const root = getComputedStyle(document.querySelector('.exirviz-explorer'));
  return ['--exirviz-ui-font', '--exirviz-code-font'].map(name => {
    pen.font = `100px ${root.getPropertyValue(name)}`;
    return Math.round(pen.measureText('The quick brown fox 0123456789 f32[1, 16]').width) }) }"""

IS_IN = "theme => (document.querySelector('.is-dark') ? 'dark' : 'light') === theme"


class Shown(Protocol):
    """A page, with a way to wait until its picture is complete."""

    page: Page

    def settle(self) -> object: ...


def in_both_themes(shown: Shown) -> Iterator[str]:
    """The same open page in the one theme, and then switched to the other."""
    themes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for theme in themes:
        shown.page.emulate_media(color_scheme=theme)
        shown.page.wait_for_function(IS_IN, arg=theme)
        shown.settle()
        yield theme


def held_to(name: str, theme: str, text: str, page: Page, bench: Page) -> None:
    """Compare a page, and the text of its boxes, with the golden of that name; `bench` is a page to compare
    in.
    """
    shot = address(page.screenshot())
    fonts = page.evaluate(FONTS)
    golden, words = GOLDENS / f"{name}-{theme}.webp", GOLDENS / f"{name}.txt"
    if WRITES:
        GOLDENS.mkdir(exist_ok=True)
        golden.write_bytes(base64.b64decode(bench.evaluate(SMALLER, shot).split(",")[1]))
        words.write_text(text, encoding="utf-8")
        (GOLDENS / "fonts.json").write_text(json.dumps(fonts), encoding="utf-8")
        if theme == "dark":
            pytest.skip("goldens written: look at them")
        return
    assert text == words.read_text(encoding="utf-8")
    if fonts != json.loads((GOLDENS / "fonts.json").read_text(encoding="utf-8")):
        pytest.skip("the fonts here are not those of the goldens; the boxes are the same")
    then = address(golden.read_bytes())
    mean, worst = bench.evaluate(COMPARE, [shot, then])
    for _ in range(MOVES):  # on a busy machine the last frame may not be drawn yet
        if mean < LIKE[0] and worst < LIKE[1]:
            break
        page.wait_for_timeout(200)
        mean, worst = bench.evaluate(COMPARE, [address(page.screenshot()), then])
    assert mean < LIKE[0], f"{name} in {theme} looks different: {mean:.1f} of 255 on average"
    assert worst < LIKE[1], f"a part of {name} in {theme} looks different: {worst} of 255"


def address(image: bytes) -> str:
    kind = "png" if image.startswith(b"\x89PNG") else "webp"
    return f"data:image/{kind};base64," + base64.b64encode(image).decode()
