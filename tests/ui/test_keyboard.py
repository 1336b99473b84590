"""Everything by keyboard, everything available to a screen reader, every text with enough contrast."""

from __future__ import annotations

import re

import pytest
import torch
from torch.export import export

import exir_viz
from tests.reports.marked_model import Model

from .programs import snapshot
from .standalone import Standalone


@pytest.fixture
def page(new_page) -> Standalone:
    return new_page().open(snapshot("bert.core"))


def selected(page: Standalone) -> list[int]:
    return page.ask("[...e.state.selected]")


def test_question_mark_lists_every_key_and_escape_gives_the_focus_back(page):
    page.press("?")
    told = page.page.locator(".exirviz-help").inner_text()
    for word in ("Search", "Fit graph to view", "Open all", "Select the box below", "Bookmark this view"):
        assert word in told
    assert page.page.evaluate(
        "() => document.querySelector('.exirviz-help').contains(document.activeElement)"
    )
    page.page.keyboard.press("Escape")
    page.page.locator(".exirviz-help").wait_for(state="detached")
    page.page.locator(".exirviz-canvas:focus").wait_for()


# What every key begins with, and what one needs besides before it can do anything; over the explorer `e`.
BEGIN = """(async () => {{ await e.closeAll(); await e.openTo(2);
  await e.reveal(e.snapshot.find('forward/addmm_3')); e.store.set({{ notice: '' }});
  await {setup} }})()"""
SETUP = {
    "]": "e.history.goBack()",
    "Shift+Backspace": "e.history.goBack()",
    "N": "e.search.ask('op:*addmm*')",
    "Shift+N": "e.search.ask('op:*addmm*')",
    "B": "e.select([e.picture.boxOf(e.snapshot.find('forward/addmm_4')), ...e.state.selected])",
    "Shift+A": "e.setFocus({ direction: 'ancestors', steps: 1 })",
    "Enter": "e.select([e.state.scene.item[Array.from(e.state.scene.kind).indexOf(2)]])",
    "Space": "e.select([e.state.scene.item[Array.from(e.state.scene.kind).indexOf(2)]])",
    "Shift+Enter": "e.select([e.state.scene.item[Array.from(e.state.scene.kind).indexOf(2)]])",
    "ArrowUp": "e.reveal(e.snapshot.find('forward/addmm_4'))",
    "Shift+1": "e.store.set({ tab: 'code' })",
}


def test_every_key_of_the_help_does_something(page):
    """Each key in the table changes what is shown, selected or searched, or says why it cannot."""
    page.page.evaluate(SPY)
    page.press("?")
    caps = page.page.locator(
        ".exirviz-help section:not([aria-label='Timeline']) .exirviz-keys dt:has(kbd) > span"
    ).evaluate_all("all => all.map(one => Array.from(one.querySelectorAll('kbd'), cap => cap.textContent))")
    page.page.keyboard.press("Escape")
    keys = ["+".join(WORDS_OF.get(cap, cap) for cap in one) for one in caps]
    assert len(keys) > 40
    assert len(set(keys)) == len(keys), "no key does two things"
    for key in keys:
        if key.startswith(ELSEWHERE) or key in NEEDING_MORE:
            continue
        page.run(BEGIN.format(setup=SETUP.get(key, "0")))
        page.page.locator(".exirviz-canvas").focus()
        before = state(page)
        page.press(key.lower() if len(key) == 1 else key)
        for _ in range(20):  # what leaves the page does so a moment later
            if state(page) != before:
                break
            page.settle()
        assert state(page) != before, f"{key} does nothing"
        page.page.keyboard.press("Escape")  # the help, if that was it


def test_a_delegated_program_is_grouped_both_ways_by_a_key(new_page):
    page = new_page().open(snapshot("llama2:xnnpack"))
    page.page.locator(".exirviz-canvas").focus()
    assert page.ask("e.picture.isByDelegate") is False
    page.press("g")
    assert page.ask("e.picture.isByDelegate") is True
    assert page.ask("e.view().delegates") is True
    page.press("g")
    assert page.ask("e.picture.isByDelegate") is False
    assert page.problems == []


# Escape is what the others are undone with; the rest want several stages or analyses.
ELSEWHERE = ("Escape", "Shift+Arrow")
NEEDING_MORE = ("C", "I", "Shift+S")
WORDS_OF = {
    "⇧": "Shift", "Ctrl": "Control", "↑": "ArrowUp", "↓": "ArrowDown", "←": "ArrowLeft", "→": "ArrowRight",
    "↵": "Enter", "Esc": "Escape", "⌫": "Backspace",
}  # fmt: skip
# All that a key may change, in one text; what leaves the page is counted.
SPY = """() => {
  let left = 0;
  HTMLAnchorElement.prototype.click = () => { left++ };
  Element.prototype.requestFullscreen = async () => { left++ };
  navigator.clipboard.writeText = async () => { left++ };
  globalThis.seen = () => { const e = globalThis.exirviz, s = e.state;
    return JSON.stringify([e.view(), s.results.at, s.isPanelOpen, s.isMapShown, s.bookmarks.length, s.edge,
      s.isHelpOpen, s.isPaletteOpen, s.notice, document.activeElement?.className, left]) } }"""


def state(page: Standalone) -> object:
    return page.ask("seen()")


def test_keys_are_heard_before_anything_was_clicked(new_page):
    page = new_page().open(snapshot("control_flow"))
    assert page.page.evaluate("() => document.activeElement === document.body")
    page.page.keyboard.press("ArrowDown")
    page.settle()
    assert len(selected(page)) == 1
    page.page.keyboard.press("/")
    page.page.keyboard.type("op:sin")  # at once, with no pause
    assert page.page.locator(".exirviz-search-input").input_value() == "op:sin"


def test_arrows_walk_along_edges_and_enter_opens(page):
    page.press("ArrowDown")
    first = selected(page)
    assert len(first) == 1
    page.press("ArrowDown")
    second = selected(page)
    assert second != first
    page.press("ArrowUp")
    edges = page.ask("Array.from(e.state.scene.edgeSource, (s, i) => [s, e.state.scene.edgeTarget[i]])")
    slots = page.ask("a.map(i => e.state.scene.slotOf[i])", [selected(page)[0], second[0]])
    assert slots in edges
    closed = page.ask(
        """(() => { const s = e.state.scene; const slot = Array.from(s.kind).indexOf(1);
        e.select([s.item[slot]]); return s.item[slot] })()"""
    )
    boxes = sum(page.kinds().values())
    page.press("Enter")
    assert page.ask("e.state.open.has(a)", closed)
    assert sum(page.kinds().values()) > boxes
    page.press("Enter")
    assert sum(page.kinds().values()) == boxes


def test_slash_searches_and_enter_steps(page):
    page.press("/")
    box = page.page.locator(".exirviz-search input:focus")
    box.wait_for()
    page.page.keyboard.type("op:*addmm*")
    page.page.locator(".exirviz-result").first.wait_for()
    found = page.ask("[...e.state.results.nodes]")
    assert len(found) == 73
    assert found == sorted(found)
    for step in range(3):
        page.page.keyboard.press("Enter")
        page.page.wait_for_function("at => exirviz.state.results.at === at", arg=step)
        page.page.wait_for_function("node => exirviz.selectedNodes().includes(node)", arg=found[step])
    page.page.keyboard.press("Shift+Enter")
    page.page.wait_for_function("() => exirviz.state.results.at === 1")
    page.settle()
    left, top, width, height = page.rect(selected(page)[0])
    stage = page.page.locator(".exirviz-sheet").bounding_box()
    assert stage["x"] <= left
    assert left + width <= stage["x"] + stage["width"]
    assert stage["y"] <= top
    assert top + height <= stage["y"] + stage["height"]


def test_tab_reaches_every_part_and_shows_where_it_is(page):
    page.page.evaluate("() => document.activeElement.blur()")
    reached, invisible = set(), []
    for _ in range(60):
        page.page.keyboard.press("Tab")
        where = page.page.evaluate(
            """() => { const e = document.activeElement, s = getComputedStyle(e);
            const parts = '.exirviz-bar, .exirviz-canvas, .exirviz-side';
            const part = e.closest(parts)?.classList[0];
            const drawn = s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 1
              || s.boxShadow !== 'none' || e.closest('.exirviz-search-box') !== null;
            return [part ?? '', drawn, e.outerHTML.slice(0, 90)] }"""
        )
        reached.add(where[0])
        if where[0] and not where[1]:
            invisible.append(where[2])
    assert {"exirviz-bar", "exirviz-canvas", "exirviz-side"} <= reached
    assert invisible == []


def test_the_first_stop_skips_to_the_graph(page):
    page.page.evaluate("() => document.activeElement.blur()")
    skip = page.page.get_by_role("button", name="Skip to the graph")
    assert skip.bounding_box()["width"] <= 1
    page.page.keyboard.press("Tab")
    assert skip.evaluate("link => link === document.activeElement")
    assert skip.bounding_box()["width"] > 80
    page.page.keyboard.press("Enter")
    page.page.locator(".exirviz-canvas:focus").wait_for()


HOLDERS = """(() => { const { item, slotOf } = e.state.scene, { words } = e.picture;
  const holder = at => { const up = e.picture.parentOf(at); return slotOf[up] >= 0 ? words.title(up) : '' };
  return Array.from(item, at => [words.title(at), holder(at)]).sort((a, b) => a[0] < b[0] ? -1 :
    a[0] > b[0] ? 1 : a[1] < b[1] ? -1 : Number(a[1] > b[1])) })()"""


def test_the_tree_of_a_screen_reader_is_what_is_visible(page):
    def tree() -> list[list[object]]:
        return page.page.evaluate(
            """() => Array.from(document.querySelectorAll('[role=treeitem]'), e => [
            e.textContent.split(', ')[0], Number(e.ariaLevel), e.ariaExpanded, e.ariaSelected === 'true'])"""
        )

    def scene() -> list[list[object]]:
        return page.ask(
            """Array.from(e.state.scene.item, (item, slot) => [e.picture.words.title(item),
            e.state.scene.depth[slot] + 1,
            e.picture.isGroup(item) ? String(e.state.scene.kind[slot] === 2) : null,
            e.state.selected.includes(item)])"""
        )

    def holders() -> list[list[str]]:
        path: list[str] = []
        found = []
        for title, level, *_ in tree():
            path[level - 1 :] = [title]
            found.append([title, path[-2] if level > 1 else ""])
        return sorted(found)

    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "2", "1"):
        page.press(key)
        assert len(scene()) <= 200, "a scene that the tree shows whole"
        assert sorted(tree(), key=str) == sorted(scene(), key=str)
        assert holders() == page.ask(HOLDERS), "what is said after a group, one level deeper, is in it"
        active = page.page.locator(".exirviz-canvas").get_attribute("aria-activedescendant")
        titles = [row[0] for row in scene() if row[3]]
        assert [page.page.locator(f"#{active}").text_content().split(", ")[0]] == titles


def test_what_is_written_is_not_smaller_than_the_least(page):
    sizes = page.page.evaluate(
        """() => Array.from(document.querySelectorAll('.exirviz-explorer *'),
        e => [parseFloat(getComputedStyle(e).fontSize), e.className])"""
    )
    assert min(sizes)[0] >= 9.5
    assert not [name for _, name in sizes if re.search("undefined|NaN", str(name))]


def test_lines_of_the_source_are_reached_by_keyboard(new_page):
    """The Code tab leads to the report, whose list begins at the first line that made ops."""
    program = export(Model().eval(), (torch.ones(4, 6),))
    page = new_page().open(exir_viz.load(program))
    page.run("e.store.set({ tab: 'code', isPanelOpen: true })")
    page.page.get_by_role("button", name="Source", exact=True).focus()
    page.page.keyboard.press("Enter")
    page.page.locator(".exirviz-source-row").first.wait_for()
    assert page.page.evaluate("document.activeElement.textContent").startswith("Reports")
    for _ in range(16):
        page.page.keyboard.press("Tab")
        if page.page.locator("button.exirviz-source-row:focus").count():
            break
    page.page.keyboard.press("Enter")
    page.page.wait_for_function("document.querySelector('.exirviz-source-row.exirviz-row-it') !== null")
    assert selected(page)
