"""The command palette: every command by its words, on a page."""

from __future__ import annotations

import pytest

from .programs import snapshot
from .standalone import Standalone
from .test_stages import page_text


@pytest.fixture
def page(new_page) -> Standalone:
    return new_page().open(snapshot("bert.core"))


def choose(page: Standalone, typed: str) -> None:
    page.press("Control+k")
    page.page.locator(".exirviz-palette input").fill(typed)
    page.page.keyboard.press("Enter")
    page.page.locator(".exirviz-palette").wait_for(state="detached")


def test_words_lead_to_a_command_and_enter_does_it(page):
    closed = page.ask("e.state.open.size")
    choose(page, "Open all")
    page.page.wait_for_function(f"() => exirviz.state.open.size > {closed}")
    choose(page, "color dtype")
    assert page.ask("e.state.overlay.name") == "dtype"
    assert page.page.evaluate("() => document.activeElement.className") == "exirviz-canvas"


def test_what_no_command_is_called_is_searched_for(page):
    choose(page, "op:*addmm*")
    page.page.wait_for_function("() => exirviz.state.results.nodes.length === 73")


def test_arrows_choose_escape_closes_and_a_palette_without_a_match_says_so(page):
    page.press("Control+k")
    options = page.page.locator(".exirviz-palette [role=option]")
    assert options.count() > 30
    page.page.keyboard.press("ArrowDown")
    assert options.nth(1).get_attribute("aria-selected") == "true"
    page.page.locator(".exirviz-palette input").fill("((")
    page.page.get_by_text("No matching command").wait_for()
    page.page.keyboard.press("Escape")
    page.page.locator(".exirviz-palette").wait_for(state="detached")


def test_steps_that_cannot_be_run_stand_below_what_can_be_done(new_page):
    page = new_page().open_text(page_text())
    page.press("Control+k")
    options = page.page.locator(".exirviz-palette [role=option]")
    disabled = options.evaluate_all("all => all.map(each => each.ariaDisabled === 'true')")
    assert 0 < disabled.index(True) < len(disabled) - 1
    assert disabled == sorted(disabled)
    assert options.first.get_attribute("aria-selected") == "true"
