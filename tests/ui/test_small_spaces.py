"""Small spaces: in short cells, in narrow ones and on paper, the graph keeps enough room."""

from __future__ import annotations

import pytest
import torch
from playwright.sync_api import expect

import exir_viz
from tests.nightly import some

from .programs import snapshot
from .standalone import Standalone, choose

SIZES = [(750, 420), (750, 600), (900, 480), (1280, 600), (1280, 800), (2560, 1440)]
# Parts of the explorer by what they are, each with its place in the window.
PLACES = """() => Object.fromEntries(['bar', 'sheet', 'side', 'minimap'].map(name => {
  const part = document.querySelector('.exirviz-' + name), box = part?.getBoundingClientRect();
  return [name, part && !part.hidden && box.width ? [box.left, box.top, box.right, box.bottom] : null] })
  .concat([['legend', (({ left, top, right, bottom }) => [left, top, right, bottom])(
    document.querySelector('.exirviz-legend').getBoundingClientRect())]]))"""
# Boxes of the scene that are on the screen, in pixels of the window.
BOXES = """(() => { const s = e.state.scene, c = e.viewportStore.state.camera;
  const box = document.querySelector('.exirviz-canvas').getBoundingClientRect();
  return Array.from(s.item, (_, i) => [0, 1].flatMap(end => [
    (s.rect[4 * i] + end * s.rect[4 * i + 2] - c.x) * c.zoom + box.left,
    (s.rect[4 * i + 1] + end * s.rect[4 * i + 3] - c.y) * c.zoom + box.top])) })()"""

# Whether the minimap is beside the box of an item.
CLEAR = """item => { const e = globalThis.exirviz, r = e.rectOf(item);
  const { x, y, zoom } = e.viewportStore.state.camera;
  const sheet = document.querySelector('.exirviz-canvas').getBoundingClientRect();
  const map = document.querySelector('.exirviz-minimap').getBoundingClientRect();
  const left = (r.x - x) * zoom + sheet.left, top = (r.y - y) * zoom + sheet.top;
  return map.width > 0 && (left > map.right || left + r.width * zoom < map.left
    || top > map.bottom || top + r.height * zoom < map.top) }"""


def meet(a: list[float], b: list[float]) -> bool:
    return a[0] < b[2] - 1 and b[0] < a[2] - 1 and a[1] < b[3] - 1 and b[1] < a[3] - 1


@pytest.mark.parametrize("size", some(SIZES, SIZES[::2]), ids=lambda size: "x".join(map(str, size)))
def test_nothing_covers_a_box_of_the_opening(new_page, size):
    page = new_page(viewport={"width": size[0], "height": size[1]}).open(snapshot("bert.core"))
    for chosen in (False, True):
        if chosen:
            page.run("e.select([e.state.scene.item[1]])")
        places = page.page.evaluate(PLACES)
        sheet = places.pop("sheet")
        assert sheet[2] - sheet[0] >= 300
        assert sheet[3] - sheet[1] >= 200
        others = {name: place for name, place in places.items() if place}
        assert {"bar", "legend"} <= others.keys()
        boxes = [box for box in page.ask(BOXES) if meet(box, sheet)]
        assert len(boxes) > 3
        seen = [[max(box[0], sheet[0]), max(box[1], sheet[1]), min(box[2], sheet[2]), min(box[3], sheet[3])]
                for box in boxes]  # fmt: skip
        assert [(name, box) for name, place in others.items() for box in seen if meet(box, place)] == []
        bar = page.page.locator(".exirviz-bar")
        assert bar.evaluate("bar => bar.scrollWidth <= bar.clientWidth"), "a tool is cut off"


def test_a_minimap_stands_where_not_all_is_seen_and_keeps_off_what_is_selected(new_page):
    short = new_page(viewport={"width": 750, "height": 420}).open(snapshot("bert.core"))
    assert short.page.evaluate(PLACES)["minimap"], "the opening runs off the bottom of so short a cell"
    page = new_page().open(snapshot("bert.core"))
    assert not page.page.evaluate(PLACES)["minimap"], "all is seen"
    page.run("e.openAll().then(() => e.reveal(e.snapshot.find('forward/addmm_3')))")
    sheet = page.page.evaluate(PLACES)["sheet"]
    for x, y in ((70, 90), (70, 450), (700, 90), (700, 450)):
        at = {"x": x, "y": y}
        page.run("""(() => { const { camera } = e.viewportStore.state, box = e.rectOf(e.state.selected[0]);
          e.goTo({ ...camera, zoom: 1, x: box.x - a.x, y: box.y - a.y }) })()""", at)  # fmt: skip
        page.page.wait_for_function(CLEAR, arg=page.ask("e.state.selected[0]"))
        left, top, right, bottom = page.page.evaluate(PLACES)["minimap"]
        assert sheet[0] < left < right < sheet[2]
        assert sheet[1] < top < bottom < sheet[3]
    page.press("v")
    assert not page.page.evaluate(PLACES)["minimap"]
    choose(page.page, "Minimap when zoomed in")
    page.settle()
    assert page.page.evaluate(PLACES)["minimap"]


def test_tools_for_the_selection_take_no_room_of_the_picture(new_page):
    page = new_page(viewport={"width": 750, "height": 420}).open(snapshot("bert.core"))
    item = page.ask("e.state.scene.item[1]")
    before, sheet = page.rect(item), page.page.evaluate(PLACES)["sheet"]
    page.run("e.select([a])", item)
    assert page.page.evaluate(PLACES)["sheet"] == sheet
    assert page.rect(item) == before


def test_details_in_a_narrow_cell_leave_half_of_it_to_the_picture(new_page):
    page = new_page(viewport={"width": 600, "height": 600})
    page.open(snapshot("resnet50"))
    seen = page.ask("e.viewportStore.state.camera")
    page.page.get_by_role("button", name="Inspector").click()
    page.settle()
    sheet = page.page.evaluate(PLACES)["sheet"]
    assert sheet[2] - sheet[0] >= 300
    boxes = page.ask(BOXES)
    assert [box for box in boxes if box[0] < sheet[0] or box[2] > sheet[2]] == []
    cross = page.page.get_by_role("button", name="Hide inspector").bounding_box()
    last = page.page.get_by_role("tab").last.bounding_box()
    assert last["x"] + last["width"] <= cross["x"]
    page.page.get_by_role("button", name="Hide inspector").click()
    page.settle()
    assert page.ask("e.viewportStore.state.camera") == seen
    # Details that are opened later do not cover the selection.
    page.run("e.reveal(e.snapshot.find('forward/relu_10'))")
    page.run("(() => { const { camera } = e.viewportStore.state, box = e.rectOf(e.state.selected[0]);"
             " e.goTo({ ...camera, zoom: 1, x: box.x + box.width - 580, y: box.y - 100 }) })()")  # fmt: skip
    page.press("i")
    sheet, it = page.page.evaluate(PLACES)["sheet"], page.rect(page.ask("e.state.selected[0]"))
    assert sheet[0] <= it[0]
    assert it[0] + it[2] <= sheet[2]


@pytest.mark.parametrize("height", [400, 480, 600])
def test_the_timeline_in_a_short_cell_leaves_room_for_the_picture(new_page, height):
    page = new_page(viewport={"width": 820, "height": height}).open(snapshot("bert.core"))
    page.run("e.showTimeline(true)")
    heights = {name: page.page.locator(f".exirviz-{name}").bounding_box()["height"]
               for name in ("canvas", "timeline")}  # fmt: skip
    assert heights["canvas"] >= 125
    assert heights["timeline"] >= 120


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_on_paper_are_title_picture_and_legend_and_nothing_else(new_page, theme):
    page = new_page(color_scheme=theme).open(snapshot("bert.core"), title="a program")
    canvas = page.page.locator(".exirviz-canvas")
    width = canvas.evaluate("canvas => canvas.width")
    page.page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    page.page.emulate_media(media="print")
    assert canvas.evaluate("canvas => canvas.width") > 2 * width, "sharp on paper"
    assert corner(page) == [255, 255, 255]
    for part in (".exirviz-program", ".exirviz-canvas", ".exirviz-legend"):
        assert page.page.locator(part).is_visible(), part
    for part in (".exirviz-button", ".exirviz-search", ".exirviz-side", ".exirviz-minimap"):
        assert not page.page.locator(part).first.is_visible(), part
    page.page.emulate_media(media="screen", color_scheme=theme)
    page.page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    page.settle()
    assert canvas.evaluate("canvas => canvas.width") == width
    assert (corner(page) == [255, 255, 255]) == (theme == "light")
    assert page.page.pdf(print_background=True).startswith(b"%PDF")


def test_what_runs_off_a_short_cell_is_whole_on_paper_until_one_has_moved(new_page):
    page = new_page(viewport={"width": 750, "height": 420}).open(snapshot("bert.core"))
    assert colors_at_the_bottom(page) > 1, "the opening runs off the bottom here"
    page.page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    assert colors_at_the_bottom(page) == 1
    page.page.evaluate("() => dispatchEvent(new Event('afterprint'))")
    page.settle()
    page.run("e.goTo({ ...e.viewportStore.state.camera, zoom: 1 })")
    page.page.evaluate("() => dispatchEvent(new Event('beforeprint'))")
    assert colors_at_the_bottom(page) > 1, "what is in view is what is printed"


def colors_at_the_bottom(page: Standalone) -> int:
    return page.page.locator(".exirviz-canvas").evaluate(
        """canvas => new Set(new Uint32Array(canvas.getContext('2d')
        .getImageData(0, canvas.height - 3, canvas.width, 1).data.buffer)).size"""
    )


def corner(page: Standalone) -> list[int]:
    return page.page.locator(".exirviz-canvas").evaluate(
        "canvas => Array.from(canvas.getContext('2d').getImageData(2, 2, 1, 1).data.slice(0, 3))"
    )


def test_long_names_of_arguments_are_shown_in_full(standalone: Standalone) -> None:
    standalone.open(exir_viz.load(torch.nn.LayerNorm(8), torch.zeros(2, 8)))
    standalone.run("e.reveal(e.snapshot.find('forward/layer_norm'))")
    term = standalone.page.locator(".exirviz-rows dt", has_text="normalized_shape")
    expect(term).to_be_visible()
    assert term.evaluate("each => each.scrollWidth - each.clientWidth") == 0
    assert standalone.problems == []
