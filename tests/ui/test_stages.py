"""A page of several stages in a real browser: the strip, the keys, the selection, the lineage."""

from __future__ import annotations

import re
from functools import cache

import pytest
from playwright.sync_api import expect

import exir_viz
from exir_viz.pages import html as pages
from tests.corpus.programs import exported
from tests.stages.failing import failing
from tests.ui.standalone import Standalone

pytestmark = pytest.mark.browser

HERE = "[role=treeitem][aria-selected=true]"
SELECTED = "e.selectedNodes().map(node => e.snapshot.name(node))"
STANDS = "name => exirviz.stepping.stages.record(exirviz.state.stage).name === name && !exirviz.state.isBusy"


@cache
def page_text() -> str:
    """Three stages in a line, a branch, and one that failed."""
    session = exir_viz.Session(exported("training_mode"), name="exported")
    session.root.decompose("core").rename("core")
    session.root.decompose("functional").rename("functional")
    failing(session.root.edge).rename("edge")
    session.current = session.root
    return pages.html(session, title="stages")


@pytest.fixture
def open_page(new_page) -> Standalone:
    return new_page(reduced_motion="no-preference").open_text(page_text())


def test_a_click_on_a_pill_shows_its_stage(open_page: Standalone) -> None:
    page = open_page.page
    page.get_by_role("treeitem", name="core").click()
    page.wait_for_function(STANDS, arg="core")
    expect(page.locator(HERE)).to_contain_text("core")
    open_page.settle()
    assert open_page.ask("e.snapshot.methods[0].dialect") == "aten.core"
    assert open_page.problems == []


def test_a_drag_along_the_strip_holds_the_picture_between_two_stages(open_page: Standalone) -> None:
    page = open_page.page

    def middle(stage: str) -> tuple[float, float]:
        box = page.get_by_role("treeitem", name=stage).bounding_box()
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    (start, y), (end, _) = middle("exported"), middle("core")
    page.mouse.move(start, y)
    page.mouse.down()
    page.mouse.move(start + 0.3 * (end - start), y, steps=3)
    held = "part => Math.abs((exirviz.viewportStore.state.scrub ?? -1) - part) < 0.05"
    page.wait_for_function(held, arg=0.3)
    page.mouse.move(start + 0.8 * (end - start), y, steps=3)
    page.wait_for_function(held, arg=0.8)
    page.mouse.up()
    page.wait_for_function(STANDS, arg="core")
    open_page.settle()
    assert open_page.ask("e.viewportStore.state.scrub ?? null") is None
    assert open_page.problems == []


def test_arrows_step_where_the_strip_has_the_focus_and_shift_arrows_anywhere(open_page: Standalone) -> None:
    page = open_page.page
    page.locator(HERE).focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_function(STANDS, arg="core")
    expect(page.locator(HERE)).to_be_focused()
    page.keyboard.press("ArrowDown")
    page.wait_for_function(STANDS, arg="functional")
    page.locator(".exirviz-canvas").focus()
    page.keyboard.press("Shift+ArrowLeft")
    page.wait_for_function(STANDS, arg="exported")


def test_the_selection_goes_along_and_the_ladder_leads_back(open_page: Standalone) -> None:
    page = open_page.page
    name = open_page.ask(
        "[...Array(e.snapshot.nodeCount).keys()].filter(n => e.snapshot.target(n).name === 'conv2d')"
        ".map(n => e.snapshot.name(n))[0]"
    )
    open_page.run("e.reveal(e.snapshot.find(a)).then(() => undefined)", name)
    page.get_by_role("treeitem", name="core").click()
    page.wait_for_function(STANDS, arg="core")
    assert "convolution" in open_page.ask(SELECTED)
    page.locator(".exirviz-step-stage .exirviz-link", has_text=name).first.click()
    page.wait_for_function(STANDS, arg="exported")
    open_page.settle()
    assert open_page.ask(SELECTED) == [name]


def test_a_failed_stage_says_where_and_leads_there(open_page: Standalone) -> None:
    page = open_page.page
    page.get_by_role("treeitem", name="edge, failed").click()
    alert = page.get_by_role("alert", name="edge failed")
    expect(alert).to_be_visible()
    node = alert.locator(".exirviz-finding-where .exirviz-link").first
    name = node.text_content()
    node.click()
    page.wait_for_function(
        f"name => {{ const e = exirviz; return name.endsWith('/' + {SELECTED}.join()) }}", arg=name
    )
    expect(alert.get_by_role("button", name="Back to exported")).to_be_visible()


# How many pixels of the picture have the colour of a failure, on a light ground.
RED = """canvas => { const { width, height } = canvas;
  const pixels = canvas.getContext('2d').getImageData(0, 0, width, height).data;
  let found = 0;
  for (let i = 0; i < pixels.length; i += 4)
    if (pixels[i] === 0xb3 && pixels[i + 1] === 0x26 && pixels[i + 2] === 0x1e) found++;
  return found }"""


def test_the_nodes_at_which_a_step_failed_are_marked_in_the_picture(open_page: Standalone) -> None:
    page = open_page.page
    canvas = page.locator(".exirviz-canvas")
    told = page.locator(".exirviz-picture [role=tree]")
    assert canvas.evaluate(RED) == 0
    page.get_by_role("treeitem", name="edge, failed").click()
    open_page.run("e.openAll()")
    page.wait_for_function(f"() => ({RED})(document.querySelector('.exirviz-canvas')) > 100")
    failing = (
        page.get_by_role("alert", name="edge failed").locator(".exirviz-finding-where .exirviz-link").first
    )
    name = failing.text_content()
    assert "failed: " in told.inner_text()
    item = open_page.ask("e.picture.boxOf(e.snapshot.find(a))", name)
    left, top, width, _ = open_page.rect(item)
    page.mouse.move(left + width / 2, top + 8)
    expect(page.locator(".exirviz-tooltip")).to_contain_text("failed: ")
    page.get_by_role("treeitem", name="exported").click()
    page.wait_for_function(f"() => ({RED})(document.querySelector('.exirviz-canvas')) === 0")


def test_without_a_kernel_steps_are_greyed_with_the_reason(open_page: Standalone) -> None:
    page = open_page.page
    page.get_by_role("button", name="+ Step").click()
    expect(page.get_by_label("Steps from exported")).to_contain_text("no kernel")
    offers = page.get_by_label("Steps from exported").locator(".exirviz-offer")
    assert {each.get_attribute("aria-disabled") for each in offers.all()} == {"true"}
    page.keyboard.press("Escape")
    expect(page.get_by_label("Steps from exported")).to_have_count(0)


def test_a_stage_is_compared_with_its_parent_and_with_no_other(open_page: Standalone) -> None:
    page = open_page.page
    page.get_by_role("treeitem", name="core").click()
    page.wait_for_function(STANDS, arg="core")
    page.get_by_role("button", name="Compare", exact=True).click()
    compared = page.locator(".exirviz-compare")
    expect(compared.locator(".exirviz-pane-title")).to_have_text([re.compile("exported"), re.compile("core")])
    other = compared.get_by_role("button", name=re.compile("^functional"))
    expect(other).to_be_disabled()
    expect(other).to_have_attribute("title", re.compile("no comparison of core with functional"))
    other.click(force=True)
    expect(compared.locator(".exirviz-pane")).to_have_count(2)
    assert open_page.problems == []


def test_what_a_button_opens_stands_below_it(open_page: Standalone) -> None:
    """As far as there is room: its right edge stays within the explorer."""
    page = open_page.page
    room = page.locator(".exirviz-main").bounding_box()
    opener = page.get_by_role("button", name="+ Step")
    opener.click()
    box = page.locator(".exirviz-dock-layer").get_by_label("Steps from exported").bounding_box()
    left = opener.bounding_box()["x"]
    most = room["x"] + room["width"] - box["width"]
    assert box["x"] == pytest.approx(min(left, most - 10), abs=2)
    assert box["x"] > 100
    page.keyboard.press("Escape")
    expect(opener).to_be_focused()


def test_a_link_to_a_view_opens_in_its_stage(open_page: Standalone) -> None:
    open_page.run("e.stepping.move('child').then(() => undefined)")
    view = open_page.ask("'#view=' + encodeURIComponent(JSON.stringify(e.view()))")
    open_page.open_text(page_text(), view)
    expect(open_page.page.locator(HERE)).to_contain_text("core")
