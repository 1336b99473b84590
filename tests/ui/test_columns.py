"""A page that begins with three stages side by side: counterparts, and columns that are added and removed."""

from __future__ import annotations

from functools import cache

import pytest
from playwright.sync_api import Page, expect

import exir_viz
from exir_viz.pages import html as pages
from tests.corpus.programs import exported
from tests.ui.golden import held_to
from tests.ui.standalone import Standalone, choose

pytestmark = pytest.mark.browser

HEADS = ".exirviz-pane-title"
SETTLED = ".exirviz-compare .exirviz-canvas[data-state=settled]"


@cache
def page_text() -> str:
    session = exir_viz.Session(exported("training_mode"), name="exported")
    functional = session.root.decompose("functional")
    functional.rename("functional")
    functional.decompose("core").rename("core")
    return pages.html(session, compare=["exported", "functional", "core"])


# The columns share the width, and the panel stands below them.
BELOW = """() => {
  const place = element => element.getBoundingClientRect();
  const columns = [...document.querySelectorAll('.exirviz-compare .exirviz-canvas')].map(place);
  const panel = place(document.querySelector('.exirviz-pair-side'));
  return columns.every(({ left, right, bottom, width }) =>
    left >= 0 && right <= innerWidth + 1 && width > 190 && bottom <= panel.top) }"""


@pytest.fixture
def page(standalone: Standalone) -> Page:
    return shown(standalone)


def shown(standalone: Standalone) -> Page:
    page = standalone.page
    file = standalone.folder / "columns.html"
    file.write_text(page_text(), encoding="utf-8")
    page.goto(file.as_uri())
    expect(page.locator(SETTLED)).to_have_count(3)
    return page


def names(page: Page) -> list[str]:
    return [text.split(" ")[0] for text in page.locator(HEADS).all_inner_texts()]


def test_three_stages_are_side_by_side_and_changes_of_two_are_listed(
    standalone: Standalone, page: Page
) -> None:
    assert names(page) == ["exported", "functional", "core"]
    since = page.get_by_role("button", name="Show changes since exported")
    since.click()
    expect(since).to_have_attribute("aria-pressed", "true")
    pairs = page.get_by_label("Pair of columns to describe").locator("button")
    expect(pairs).to_have_count(2)
    expect(pairs.first).to_have_attribute("aria-pressed", "true")

    # through the changes of both pairs, with a thread from column to column
    page.locator(".exirviz-compare .exirviz-canvas").last.focus()
    told = set()
    stepper = page.locator(".exirviz-stepper")
    for _ in range(int(stepper.inner_text().split(" of ")[1])):
        page.keyboard.press("n")
        expect(page.locator(".exirviz-became")).to_be_visible()
        told.add(page.locator("fieldset.exirviz-pairs [aria-pressed=true]").inner_text())
    assert len(told) == 2
    assert page.locator(".exirviz-threads g path").count() > 1

    # in a narrow cell the panel is below, all columns are visible, and partly visible graphs have minimaps
    page.set_viewport_size({"width": 600, "height": 800})
    page.wait_for_function(BELOW)
    page.set_viewport_size({"width": 640, "height": 800})
    page.wait_for_function(BELOW)
    page.locator(".exirviz-compare .exirviz-canvas").first.focus()
    page.keyboard.press("+")
    page.keyboard.press("+")
    expect(page.locator(".exirviz-compare .exirviz-minimap:visible")).to_have_count(3)
    page.keyboard.press("0")
    expect(page.locator(".exirviz-compare .exirviz-minimap:visible")).to_have_count(0)
    assert standalone.problems == []


def test_columns_come_and_go_by_keys_the_menu_and_the_strip(standalone: Standalone, page: Page) -> None:
    # the last one is removed while its changes are listed
    page.get_by_role("button", name="Show changes since functional").click()
    page.locator(".exirviz-compare .exirviz-canvas").last.focus()
    choose(page.locator(".exirviz-compare"), "Remove column")
    expect(page.locator(SETTLED)).to_have_count(2)
    assert names(page) == ["exported", "functional"]
    expect(page.locator(".exirviz-compare [role=alert]")).to_have_count(0)
    expect(page.locator(".exirviz-pair-title")).to_have_text("exported (aten.training) → functional (aten)")
    assert standalone.problems == []
    stages = page.get_by_label("Stages in columns")
    stages.get_by_role("button", name="core").click()
    expect(page.locator(SETTLED)).to_have_count(3)

    stages.get_by_role("button", name="functional").click()
    expect(page.locator(SETTLED)).to_have_count(2)
    assert names(page) == ["exported", "core"]
    page.get_by_role("button", name="More", exact=True).last.click()
    expect(page.get_by_text("Remove column")).to_have_count(0)
    page.keyboard.press("Escape")
    stages.get_by_role("button", name="functional").click()
    expect(page.locator(SETTLED)).to_have_count(3)
    assert names(page) == ["exported", "functional", "core"]  # where the tree has it

    page.locator(".exirviz-compare .exirviz-canvas").first.focus()
    page.keyboard.press("Shift+ArrowRight")
    expect(page.locator(".exirviz-compare .exirviz-canvas").nth(1)).to_be_focused()
    page.keyboard.press("Delete")
    expect(page.locator(SETTLED)).to_have_count(2)
    assert names(page) == ["exported", "core"]
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    # back in the explorer its own keys work, and C leads here again
    page.get_by_role("button", name="‹ Back").click()
    expect(page.locator(".exirviz-compare")).to_have_count(0)
    page.keyboard.press("c")
    expect(page.locator(SETTLED)).to_have_count(2)
    assert standalone.problems == []


# Times of steps vary, and so does the width of their texts.
TIMELESS = """for (const each of document.querySelectorAll(".exirviz-compare span"))
  if (/^[\\d.]+ m?s$/.test(each.textContent)) each.textContent = "1 s" """
# The columns have the room that the panel had.
WIDE = """() => [...document.querySelectorAll('.exirviz-compare .exirviz-canvas')]
    .every(each => each.clientWidth > innerWidth / 3 - 20)"""


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_columns_look_as_they_did(new_page, theme):
    standalone = new_page(color_scheme=theme)
    page = shown(standalone)
    page.evaluate(TIMELESS)
    page.locator(".exirviz-compare .exirviz-canvas").last.focus()
    page.keyboard.press("\\")
    page.wait_for_function(WIDE)
    page.keyboard.press("n")
    expect(page.locator(".exirviz-stepper")).to_have_text("1 of 4")
    expect(page.locator(".exirviz-compare [role=tree]").last).to_contain_text("getitem")
    expect(page.locator(SETTLED)).to_have_count(3)
    page.mouse.move(1, 1)
    text = "\n\n".join(page.locator(".exirviz-compare [role=tree]").all_inner_texts()) + "\n"
    assert standalone.problems == []
    held_to("columns", theme, text, page, new_page().page)
