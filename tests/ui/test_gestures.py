"""Gestures: two fingers, a trackpad, a dragged edge, a scale that is switched, a saved file."""

from __future__ import annotations

import struct
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from .programs import snapshot
from .standalone import Standalone, choose

PROGRAM = "bert.core"
# Pixels that rounding may cost.
STILL = 1.5
CAMERA = "e.viewportStore.state.camera"


@pytest.fixture
def page(new_page) -> Standalone:
    return new_page(has_touch=True).open(snapshot(PROGRAM))


def middle(page: Standalone) -> tuple[float, float]:
    """In whole pixels, as a browser tells where a wheel was turned."""
    box = page.page.locator(".exirviz-canvas").bounding_box()
    return box["x"] + box["width"] // 2, box["y"] + box["height"] // 2


def seen_at(page: Standalone, x: float, y: float) -> tuple[float, float]:
    """The point of the world under a point of the window."""
    box = page.page.locator(".exirviz-canvas").bounding_box()
    at = page.ask(CAMERA)
    return (x - box["x"]) / at["zoom"] + at["x"], (y - box["y"]) / at["zoom"] + at["y"]


def moved(page: Standalone, before: dict[str, float]) -> tuple[float, float]:
    """How far the graph moved, in pixels of the screen."""
    now = page.ask(CAMERA)
    return (before["x"] - now["x"]) * now["zoom"], (before["y"] - now["y"]) * now["zoom"]


def test_a_trackpad_pinches_and_pans(page):
    x, y = middle(page)
    cdp = page.cdp()

    def roll(dx: float, dy: float, *, ctrl: bool = False) -> None:
        event = {"type": "mouseWheel", "x": x, "y": y, "deltaX": dx, "deltaY": dy, "modifiers": 2 * ctrl}
        cdp.send("Input.dispatchMouseEvent", event)

    page.page.mouse.move(x, y)
    before, point = page.ask(CAMERA), seen_at(page, x, y)
    for _ in range(20):
        roll(0, -3.5, ctrl=True)  # a browser reports a pinch as a wheel with Ctrl
    page.settle()
    assert 1.3 < page.ask(CAMERA)["zoom"] / before["zoom"] < 2
    assert seen_at(page, x, y) == pytest.approx(point)
    for _ in range(20):
        roll(0, 3.5, ctrl=True)
    page.settle()
    assert page.ask(CAMERA)["zoom"] == pytest.approx(before["zoom"]), "the same way back"
    before = page.ask(CAMERA)
    for _ in range(10):
        roll(4, -6)
    page.settle()
    assert moved(page, before) == pytest.approx((-40, 60), abs=STILL)
    assert page.page.evaluate("visualViewport.scale") == 1, "the page itself is not zoomed"


def test_fingers_tap_drag_pinch_and_go_together(page):
    x, y = middle(page)
    cdp = page.cdp()

    def touch(kind: str, *points: tuple[float, float]) -> None:
        places = [{"x": px, "y": py, "id": i} for i, (px, py) in enumerate(points)]
        cdp.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": places})

    def fingers(to: list[tuple[float, float]]) -> dict[str, float]:
        """From beside the middle, or one from the middle, by so much; leaves the camera as it was before."""
        before = page.ask(CAMERA)
        start = [(x, y)] if len(to) == 1 else [(x - 40, y), (x + 40, y)]
        for count in range(1, len(start) + 1):
            touch("touchStart", *start[:count])
        for i in range(1, 11):
            touch("touchMove", *((px + dx * i / 10, py + dy * i / 10)
                                 for (px, py), (dx, dy) in zip(start, to, strict=True)))  # fmt: skip
        touch("touchEnd")
        page.settle()
        return before

    left, top, width, height = page.rect(page.item("encoder"))
    page.page.touchscreen.tap(left + width / 4, top + min(height / 2, 10))
    page.settle()
    assert page.ask("e.state.selected.map(item => e.picture.words.title(item))") == ["encoder"]
    point = seen_at(page, x, y)
    before = fingers([(-40, 0), (40, 0)])
    assert page.ask(CAMERA)["zoom"] == pytest.approx(2 * before["zoom"])
    assert seen_at(page, x, y) == pytest.approx(point)
    before = fingers([(30, 50), (30, 50)])
    assert page.ask(CAMERA)["zoom"] == pytest.approx(before["zoom"])
    assert moved(page, before) == pytest.approx((30, 50), abs=STILL)
    before = fingers([(60, -40)])
    assert moved(page, before) == pytest.approx((60, -40), abs=STILL)
    assert page.page.evaluate("visualViewport.scale") == 1
    assert page.ask("e.state.selected.length") == 1, "no finger that moved was a tap"


def test_the_panels_edge_follows_the_pointer_there_and_back(page):
    grip = page.page.get_by_role("separator", name="Inspector width")
    panel = page.page.locator(".exirviz-side")
    box = grip.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + 200
    wide = panel.bounding_box()["width"]
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    page.page.mouse.move(x - 100, y, steps=4)
    page.settle()
    assert panel.bounding_box()["width"] == pytest.approx(wide + 100, abs=5)
    page.page.mouse.move(x + 300, y, steps=4)  # farther than it may
    page.settle()
    least = panel.bounding_box()["width"]
    assert 200 < least < wide
    page.page.mouse.move(x, y, steps=4)
    page.page.mouse.up()
    page.settle()
    assert panel.bounding_box()["width"] == pytest.approx(wide, abs=5)
    sheet = page.page.locator(".exirviz-sheet").bounding_box()
    assert page.ask("e.viewportStore.state.screen") == {"width": sheet["width"], "height": sheet["height"]}
    grip.focus()
    page.page.keyboard.press("ArrowLeft")
    page.settle()
    assert panel.bounding_box()["width"] > wide


def test_a_scale_is_switched_and_says_what_its_middle_is(page):
    page.open_all().run("e.store.set({ overlay: { name: 'bytes', scale: 'linear' } })")
    legend = page.page.locator(".exirviz-legend")
    said, pictures = {}, set()
    for scale in ("log", "quantile", "linear"):
        legend.get_by_role("button", name=scale.capitalize(), exact=True).click()
        page.settle()
        assert page.ask("e.state.overlay") == {"name": "bytes", "scale": scale}
        assert legend.locator("[aria-pressed=true]").inner_text() == scale.capitalize()
        said[scale] = legend.inner_text()
        pictures.add(page.page.locator(".exirviz-canvas").evaluate("canvas => canvas.toDataURL()"))
    assert len(pictures) == 3, "each paints otherwise"
    assert len(set(said.values())) == 3


def save(page: Standalone, kind: str) -> Path:
    with page.page.expect_download() as told:
        choose(page.page, kind)
    return Path(told.value.path())


def png_size(path: Path) -> tuple[int, int]:
    width, height = struct.unpack(">II", path.read_bytes()[16:24])
    return width, height


def test_what_is_seen_and_all_that_is_open_are_saved(page):
    screen = page.ask("e.viewportStore.state.screen")
    view = save(page, "Export PNG of the visible area")
    assert png_size(view) == (2 * screen["width"], 2 * screen["height"])
    page.open_all()
    wide, high = page.ask("[e.state.scene.width, e.state.scene.height]")
    text = ET.parse(save(page, "Export SVG")).getroot()
    width, height = (float(text.get(side)) for side in ("width", "height"))
    assert width > wide
    assert height > high
    tag = "{http://www.w3.org/2000/svg}text"
    written = {each.text for each in text.iter(tag)}
    assert written >= {"embeddings", "addmm", "f32[1, 16, 64]", "output"}
    said = page.page.locator(".exirviz-sheet > .exirviz-failed")
    assert not said.is_visible()
    largest = png_size(save(page, "Export PNG"))
    assert max(largest) <= 16_000
    assert "instead of ×2" in said.inner_text()
    page.page.get_by_role("button", name="Hide this message").click()
    said.wait_for(state="detached")


def test_a_bookmark_leads_back_and_full_screen_there_and_out(page):
    page.run("e.reveal(e.snapshot.find('forward/addmm_5'))")
    view = page.ask("e.view()")
    choose(page.page, "Bookmark this view")
    page.run("e.closeAll().then(() => e.select([])).then(() => e.fit())")
    assert page.ask("e.view()") != view
    choose(page.page, "addmm_5")
    page.page.wait_for_function("before => JSON.stringify(exirviz.view()) === before",
                                arg=page.ask("JSON.stringify(a)", view))  # fmt: skip
    choose(page.page, "Full screen")
    page.page.wait_for_function("() => document.fullscreenElement?.className.includes('exirviz-explorer')")
    page.press("f")
    page.page.wait_for_function("() => document.fullscreenElement === null")
    assert page.problems == []
