"""The explorer in the frame that a notebook shows without the widget's packages."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

import exir_viz
from exir_viz.widget.page import Page
from tests.snapshot.sample import sample

from .programs import snapshot
from .standalone import SETTLED, Standalone
from .test_compare import SideBySide, attention
from .test_stages import STANDS, page_text

pytestmark = pytest.mark.browser


def test_the_frame_shows_the_picture_and_offers_no_steps(standalone: Standalone) -> None:
    output = Page(exir_viz.Session(sample()))._repr_html_()
    file = standalone.folder / "notebook.html"
    head = '<!doctype html><meta charset="utf-8"><title>notebook</title>'
    file.write_text(head + output, encoding="utf-8")
    standalone.page.goto(file.as_uri())
    frame = standalone.page.frame_locator("iframe.exirviz-page")
    frame.locator(SETTLED).wait_for(state="attached")
    assert frame.locator(".exirviz-strip").count() == 1
    assert "no kernel" in (frame.get_by_role("button", name="+ Step").get_attribute("title") or "")
    # The frame has its own origin: neither can access the other.
    assert standalone.page.evaluate("document.querySelector('iframe').contentDocument") is None
    assert standalone.problems == []


# What can be pressed or typed into, without the stages and what a tab shows. Four more are the tabs.
CONTROLS = """() => [...document.querySelectorAll('button, select, input, summary, a[href]')]
  .filter(each => each.checkVisibility() && each.getBoundingClientRect().width > 1)
  .filter(each => !each.closest('.exirviz-stages, .exirviz-tab-panel, [role=tab]'))
  .map(each => each.ariaLabel || each.textContent)"""


def test_the_frame_has_few_controls_in_every_state(new_page) -> None:
    """Of a notebook's width: a file, a session with a selection, a search, a comparison."""
    page = new_page(viewport={"width": 1000, "height": 640})
    seen = {}
    page.open(snapshot("bert.core"))
    seen["file"] = page.page.evaluate(CONTROLS)
    page.open_text(page_text())
    page.press("ArrowDown", "a")
    seen["session"] = page.page.evaluate(CONTROLS)
    page.page.get_by_role("treeitem", name="core").click()
    page.page.wait_for_function(STANDS, arg="core")
    page.page.keyboard.press("c")
    page.page.locator(".exirviz-compare .exirviz-stepper").wait_for()
    seen["stages"] = page.page.evaluate(CONTROLS)
    page = SideBySide(page).open(*attention()).page
    seen["comparison"] = page.evaluate(CONTROLS)
    assert {name: controls for name, controls in seen.items() if len(controls) > 8} == {}
    assert all({"More", "Fit", "Search nodes"} <= set(controls) for controls in seen.values())


def test_a_box_has_a_menu_of_its_own(new_page) -> None:
    page = new_page().open(snapshot("bert.core"))
    left, top, width, height = page.rect(page.ask("e.state.scene.item[1]"))
    page.page.mouse.click(left + width / 2, top + height / 2, button="right")
    menu = page.page.get_by_role("menu", name="Selection")
    assert menu.bounding_box()["x"] == pytest.approx(left + width / 2, abs=1)
    menu.get_by_text("Highlight all inputs, direct and indirect").click()
    page.settle()
    assert page.ask("e.state.selected") == [page.ask("e.state.scene.item[1]")]
    assert page.ask("e.state.focus.direction") == "ancestors"
    expect(menu).to_have_count(0)
    page.press("Shift+F10")
    menu.get_by_role("menuitem", name="Clear highlight").press("Enter")
    page.settle()
    assert page.ask("e.state.focus") is None
    assert page.problems == []
