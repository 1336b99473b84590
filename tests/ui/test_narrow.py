"""What an explorer hides if it has little room, and what it never hides."""

from __future__ import annotations

import pytest

from tests.nightly import nightly

from .programs import snapshot
from .standalone import Standalone
from .test_stages import HERE, page_text

# Tools whose edge leaves the toolbar, or that wrapped into a second row.
CUT_OFF = """bar => { const room = bar.getBoundingClientRect();
  return [...bar.querySelectorAll('button, select')].filter(tool => {
    const box = tool.getBoundingClientRect();
    return box.width && (box.left < room.left || box.right > room.right + 0.5 || box.bottom > room.bottom);
  }).map(tool => tool.textContent) }"""
# Where the ops and the preview of a decomposition are in a form of some width.
PREVIEW = """width => { const form = document.createElement('div');
  form.className = 'exirviz-form';
  form.style.width = width + 'px';
  form.innerHTML = `<div class="exirviz-ops-pair"><div class="exirviz-ops-table"><div style="width: 330px">ops
    </div></div><figure class="exirviz-preview">preview</figure></div>`;
  document.querySelector('.exirviz-explorer').append(form);
  const places = [form, ...form.querySelectorAll('.exirviz-ops-table, .exirviz-preview')].map(each => {
    const { left, top, right, bottom } = each.getBoundingClientRect();
    return { left, top, right, bottom } });
  form.remove();
  return places }"""
INSIDE = """pill => { const box = pill.getBoundingClientRect();
  const room = pill.closest('.exirviz-stages').getBoundingClientRect();
  return box.left >= room.left && box.right <= room.right + 1 }"""


@pytest.mark.parametrize("width", [1400, 700, 420])
def test_the_menu_is_inside_the_window(new_page, width):
    page = new_page(viewport={"width": width, "height": 600}).open(snapshot("bert.core"))
    page.page.get_by_role("button", name="More", exact=True).click()
    menu = page.page.get_by_role("menu", name="More").bounding_box()
    assert menu["x"] >= 0
    assert menu["y"] >= 0
    assert menu["x"] + menu["width"] <= width
    assert menu["y"] + menu["height"] <= 600
    page.page.keyboard.press("Escape")
    page.page.locator(".exirviz-menu").wait_for(state="detached")


@pytest.mark.parametrize("width", [600, 280, *nightly([700, 420, 360])])
def test_nothing_leaves_the_bar(new_page, width):
    """In half of a JupyterLab window, a cell has such widths."""
    page = new_page(viewport={"width": width, "height": 600}).open(snapshot("bert.core"))
    page.run("e.store.set({ isPanelOpen: false })")
    bar = page.page.locator(".exirviz-bar")
    assert bar.get_by_role("button", name="Inspector").is_visible()
    assert bar.evaluate(CUT_OFF) == []
    search = bar.locator("input").bounding_box()
    assert search["width"] >= 28
    assert bar.evaluate("bar => bar.scrollWidth <= bar.clientWidth")


@pytest.mark.parametrize("width", [900, 600])
def test_the_stage_that_is_looked_at_is_in_view(new_page, width):
    page = new_page(viewport={"width": width, "height": 600}).open_text(page_text())
    for name in ("edge", "exported"):
        page.run("e.stepping.go([...e.stepping.stages.tree.stages].find(s => s.name === a).id)", name)
        assert page.page.locator(HERE).evaluate(INSIDE), name
    page.page.set_viewport_size({"width": width - 150, "height": 600})
    page.settle()
    assert page.page.locator(HERE).evaluate(INSIDE)


def test_the_preview_of_a_decomposition_is_beside_its_ops_or_below_them(new_page):
    page = new_page().open(snapshot("bert.core")).page
    _, ops, preview = page.evaluate(PREVIEW, 900)
    assert preview["left"] >= ops["right"]
    assert preview["top"] == ops["top"]
    form, ops, preview = page.evaluate(PREVIEW, 420)
    assert preview["top"] >= ops["bottom"]
    assert preview["right"] <= form["right"]
    assert preview["right"] - preview["left"] >= 300


@pytest.mark.parametrize(("name", "has_panel"), [("qwen2:executorch", False), ("bert.core", True)])
def test_the_panel_is_closed_at_first_where_the_picture_does_not_fit_beside_it(new_page, name, has_panel):
    page = new_page(viewport={"width": 900, "height": 700}).open(snapshot(name))
    assert page.ask("e.state.isPanelOpen") is has_panel
    assert (
        page.ask("e.state.scene.width * e.viewportStore.state.camera.zoom")
        <= bounds(page, ".exirviz-sheet")["width"]
    )


@pytest.mark.parametrize("width", [700, 600])
def test_details_of_a_narrow_explorer_lie_below_the_picture_and_are_made_higher(new_page, width):
    page = new_page(viewport={"width": width, "height": 600})
    page.open(snapshot("resnet50"))
    assert bounds(page, ".exirviz-sheet")["width"] == width
    page.run("e.reveal(e.snapshot.find('forward/relu_10'))")
    page.page.get_by_role("button", name="Inspector").click()
    page.settle()
    sheet, panel = bounds(page, ".exirviz-sheet"), bounds(page, ".exirviz-side")
    assert panel["width"] == sheet["width"] == width
    assert sheet["y"] + sheet["height"] <= panel["y"]
    left, top, width, height = page.rect(page.ask("e.state.selected[0]"))
    assert sheet["x"] <= left < left + width <= sheet["x"] + sheet["width"]
    assert sheet["y"] <= top < top + height <= sheet["y"] + sheet["height"]
    page.page.get_by_role("separator", name="Inspector height").focus()
    page.page.keyboard.press("ArrowUp")
    page.settle()
    assert bounds(page, ".exirviz-side")["height"] == panel["height"] + 20
    page.page.set_viewport_size({"width": 1000, "height": 600})
    page.settle()
    assert bounds(page, ".exirviz-side")["width"] == 350


def bounds(page: Standalone, selector: str) -> dict[str, float]:
    return page.page.locator(selector).bounding_box()
