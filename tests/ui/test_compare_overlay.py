"""One graph of two programs in a real browser: removed nodes as ghosts, linked with lists and both sides."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import pytest

import exir_viz
from exir_viz.compare.diff import Diff
from exir_viz.compare.records import MatchKind
from tests.compare.mutate import mutate

from .programs import snapshot
from .standalone import Standalone, choose
from .test_compare import SideBySide, attention, bert


@functools.cache
def few() -> Diff:
    return exir_viz.diff(*mutate(snapshot("bert"), "delete", share=0.02)[:2])


class Both(SideBySide):
    """The same page, looked at as one picture of both; `o` in what is asked is its mind."""

    def ask_overlay(self, code: str, argument: object = None) -> Any:
        return self.ask(f"(() => {{ const o = p.superimposed; return {code} }})()", argument)

    def shown(self) -> list[str]:
        code = """o.explorer.state.selected.map(item => o.explorer.picture.nodeOf(item))
            .map(node => o.union.originOf(node))
            .map(({ side, node }) => `${side}:${o.pair.changes.snapshots[side].id(node)}`)"""
        found: list[str] = self.ask_overlay(code)
        return found

    def middle(self, item: str) -> tuple[float, float]:
        """Of the box of an item, an expression over `o`, in the window."""
        found = self.ask_overlay(
            f"""(() => {{ const e = o.explorer, {{ scene }} = e.state, slot = scene.slotOf[{item}];
            const [x, y, w, h] = scene.rect.slice(4 * slot, 4 * slot + 4), c = e.viewportStore.state.camera;
            const box = document.querySelector(".exirviz-overlay canvas").getBoundingClientRect();
            return [(x + w / 2 - c.x) * c.zoom + box.left, (y + h / 2 - c.y) * c.zoom + box.top] }})()"""
        )
        return found[0], found[1]


@pytest.fixture
def page(standalone: Standalone) -> Iterator[Both]:
    both = Both(standalone)
    both.open(few())
    both.press("o")
    yield both
    assert standalone.problems == []


def test_what_is_removed_stands_as_a_ghost_and_is_tied_to_both_sides(page: Both) -> None:
    changes = list(few().changes)
    gone = next(one for one in changes if one.kind is MatchKind.REMOVED)
    for _ in range([one.number for one in changes].index(gone.number) + 1):
        page.press("n")
    assert page.shown() == [f"0:{gone.a[0].id}"]
    assert page.selected(0) == [gone.a[0].id]
    assert "removed" in page.page.get_by_label("Selected").inner_text()
    page.rest()
    ghost = "o.explorer.state.selected[0]"
    page.page.mouse.move(*page.middle(ghost))
    page.page.get_by_role("tooltip").filter(has_text="only the program before has it").wait_for()
    tree = page.page.locator(".exirviz-overlay [role=treeitem][aria-selected=true]")
    assert "only the program before has it" in (tree.text_content() or "")

    page.page.mouse.click(*page.middle(ghost))
    page.page.keyboard.press("ArrowDown")  # along the dashed line to what read it
    page.settle()
    [user] = page.shown()
    users = {each.id for each in gone.a[0].users}
    twins = {twin.id for one in few() for node in one.a if node.id in users for twin in one.b}
    assert user.removeprefix("1:") in twins | users
    assert page.page.locator(".exirviz-pane").first.is_hidden()
    page.press("y")
    page.press("o")
    page.page.locator(".exirviz-overlay canvas:focus").wait_for()  # it was there before the text
    assert page.shown() == [user]
    page.press("o")
    page.page.locator(".exirviz-pane canvas:focus").first.wait_for()


def test_too_many_changes_are_drawn_only_when_asked_for(standalone: Standalone) -> None:
    page = Both(standalone)
    page.open(bert())
    choose(page.page, "Both programs in one graph")
    assert page.ask("p.superimposed === undefined")
    page.page.get_by_text("hard to read").wait_for()
    page.page.get_by_role("button", name="Show anyway").click()
    page.settle()
    assert page.ask("p.superimposed.explorer.state.scene.item.length") > 1
    assert standalone.problems == []


def test_values_and_costs_colour_one_picture_of_both(standalone: Standalone) -> None:
    page = Both(standalone)
    page.open(*attention())
    page.press("o")
    draw = page.page.get_by_role("button", name="Show anyway")
    if draw.count():
        draw.click()
        page.settle()
    canvas = page.page.locator(".exirviz-overlay canvas").first
    seen = [canvas.screenshot()]
    for words in ("relative difference", "slower by"):
        page.press("k")
        page.settle()
        seen.append(canvas.screenshot())
        assert words in page.page.locator(".exirviz-pair-legend").inner_text()
    assert len(set(seen)) == len(seen)
    told = page.page.locator(".exirviz-overlay [role=treeitem]").all_text_contents()
    assert any("first to diverge" in text for text in told)
    assert any("µs →" in text or "ms →" in text for text in told)
    assert standalone.problems == []
