"""The PNG of a screenshot, as Chromium reads it."""

from __future__ import annotations

import base64

import pytest

from .__main__ import PIXELS
from .palette_png import COLORS, palette_png


@pytest.mark.nightly
@pytest.mark.browser
def test_a_picture_with_few_colors_stays_as_it_is(browser) -> None:
    pixels = bytes(value for at in range(COLORS) for value in (at, 255 - at, at // 2, 255))
    page = browser.new_page()
    encoded = base64.b64encode(palette_png(pixels, 16)).decode()
    read, width = page.evaluate(PIXELS, f"data:image/png;base64,{encoded}")
    page.close()
    assert width == 16
    assert base64.b64decode(read) == pixels


def test_a_rare_color_is_not_kept() -> None:
    common = bytes(value for at in range(COLORS) for value in (at, 0, 0, 255)) * 2
    rare = bytes((9, 1, 0, 255))
    made = palette_png(common + rare + common[:60], 16)
    palette = made.partition(b"PLTE")[2][: 3 * COLORS]
    assert bytes((9, 0, 0)) in palette
    assert bytes((9, 1, 0)) not in palette
