"""Two programs side by side in a real browser: changes are visible, reachable by keys, and linked on both
sides.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Page, expect

import exir_viz
from exir_viz.compare.diff import Diff
from exir_viz.compare.measurements import Measured
from exir_viz.compare.records import MatchKind
from exir_viz.compare.values.records import OutputRow
from exir_viz.pages import html as pages
from tests.compare.mutate import mutate
from tests.corpus.programs import core, exported
from tests.snapshot.sample import hostile

from .programs import snapshot
from .standalone import AT_REST, FRAMES, Standalone

STAND = """() => {
  const all = [...document.querySelectorAll(".exirviz-canvas")];
  const rest = all.filter(each => each.dataset.state === "settled");
  return globalThis.exirvizColumns && all.length > 1 && rest.length === all.length }"""


@functools.cache
def bert() -> Diff:
    return exir_viz.diff(snapshot("bert"), snapshot("bert.core"))


class SideBySide:
    """The page of a diff; `ask` evaluates an expression over the pair `p` and the argument `a`."""

    def __init__(self, standalone: Standalone) -> None:
        self.standalone = standalone
        self.page: Page = standalone.page

    def open(self, diff: Diff, measured: Measured | None = None) -> SideBySide:
        file = self.standalone.folder / "diff.html"
        file.write_text(pages.html([diff], measured=[measured or Measured()]), encoding="utf-8")
        self.page.goto(file.as_uri())
        return self.settle()

    def settle(self) -> SideBySide:
        self.page.wait_for_function(STAND)
        self.page.evaluate(FRAMES)
        self.page.wait_for_function(STAND)
        return self

    def rest(self) -> SideBySide:
        """Wait until no camera glides any more, those that follow another one neither."""
        explorers = "globalThis.exirvizColumns.explorers"
        self.page.evaluate(AT_REST.format(explorers=explorers, frames=30))
        return self.settle()

    def ask(self, code: str, argument: object = None) -> Any:
        return self.page.evaluate(
            f"async a => {{ const p = globalThis.exirvizColumns; return await ({code}) }}", argument
        )

    def press(self, key: str) -> None:
        """A key, and what it asked for done: a step reveals on both sides before it frames."""
        self.page.keyboard.press(key)
        self.settle()

    def place(self, side: int, node: str) -> tuple[float, float]:
        """The middle of a node's box in the window."""
        x, y = self.ask(
            """(() => { const e = p.explorers[a.side], { scene, picture } = e.state;
            const slot = scene.slotOf[picture.boxOf(e.snapshot.find(a.node))];
            const [x, y, w, h] = scene.rect.slice(4 * slot, 4 * slot + 4), c = e.viewportStore.state.camera;
            const box = document.querySelectorAll(".exirviz-canvas")[a.side].getBoundingClientRect();
            return [(x + w / 2 - c.x) * c.zoom + box.left, (y + h / 2 - c.y) * c.zoom + box.top] })()""",
            {"side": side, "node": node},
        )
        return x, y

    def selected(self, side: int) -> list[str]:
        code = """(() => { const e = p.explorers[a];
            return e.state.selected.map(item => e.picture.nodeOf(item)).filter(n => n >= 0)
              .map(n => e.snapshot.id(n)) })()"""
        return self.ask(code, side)


@pytest.fixture
def page(new_page) -> Iterator[SideBySide]:
    standalone = new_page(reduced_motion="no-preference")
    yield SideBySide(standalone).open(bert())
    assert standalone.problems == []
    assert [each for each in standalone.requests if not each.startswith("file:")] == []


def test_what_changed_is_open_on_both_sides_and_the_rest_closed(page: SideBySide) -> None:
    keys = "[...p.explorers[a].state.open].map(i => p.explorers[a].picture.words.key(i))"
    opened = [set(page.ask(keys, side)) for side in (0, 1)]
    assert opened[0] == opened[1]
    assert len(opened[0]) > 1
    code = "[...p.explorers[a].state.open].map(item => p.row.tally(a).changesIn(item))"
    assert all(count > 0 for side in (0, 1) for count in page.ask(code, side))
    assert page.page.locator(".exirviz-pane-title").all_inner_texts()[0].startswith("bert")
    levels = []
    for key in ("Shift+E", "1", "2", "e"):
        page.press(key)
        both = [len(page.ask(keys, side)) for side in (0, 1)]
        assert min(both) > 0 or key == "Shift+E"
        levels.append(sum(both))
    assert levels == sorted(set(levels))
    assert levels[0] == 0


def test_keys_go_from_change_to_change(page: SideBySide) -> None:
    changes = bert().changes
    for change in changes[:4]:
        page.press("n")
        assert page.ask("p.state.match") == change.number
        assert set(page.selected(0)) == {node.id for node in change.a}
        assert set(page.selected(1)) == {node.id for node in change.b}
    page.press("Shift+N")
    assert page.ask("p.state.match") == changes[2].number
    assert f"change 3 of {len(changes)}" in page.page.get_by_label("Selected").inner_text()


def test_what_is_selected_stands_at_one_height_with_what_it_became(page: SideBySide) -> None:
    match = next(one for one in bert().changes if one.kind is MatchKind.REWRITTEN and len(one.b) > 3)
    page.ask("p.show(a)", match.number)
    page.rest()
    top = page.place(0, match.a[0].id)[1]
    assert min(abs(page.place(1, node.id)[1] - top) for node in match.b) < 2
    assert page.page.locator(".exirviz-threads g path").count() == len(match.a) * len(match.b)
    free = page.page.locator(".exirviz-threads clipPath path").get_attribute("d")
    assert free is not None
    assert free.count("M") > len(match.b)  # all of the layer, and the boxes that no thread crosses


def test_a_module_that_is_selected_says_what_changed_in_it(page: SideBySide) -> None:
    selected = page.page.get_by_label("Selected")
    page.page.locator(".exirviz-rule", has_text="attention.self").first.click()
    page.settle()
    expect(selected).to_contain_text("encoder.layer.0.attention.self changed inside")
    for fact in ("BertSelfAttention", "13 → 50", "of state", "7 more changes"):
        expect(selected).to_contain_text(fact)
    selected.get_by_role("button", name="7 more changes").click()
    expect(selected.get_by_role("button", name="fewer")).to_be_visible()
    page.page.locator(".exirviz-rule", has_text="LayerNorm").first.click()
    expect(selected).to_contain_text("LayerNorm changed inside")
    expect(selected.get_by_role("button", name="fewer")).to_have_count(0)
    page.page.locator(".exirviz-rule", has_text="attention.self").first.click()
    page.settle()
    selected.locator(".exirviz-change-row").first.click()
    page.settle()
    expect(selected).to_contain_text("became")
    selected.get_by_role("button", name="encoder.layer.0.attention.self.query").click()
    page.settle()
    expect(selected).to_contain_text("encoder.layer.0.attention.self.query changed inside")


def test_the_pointer_highlights_the_other_side(page: SideBySide) -> None:
    match = next(one for one in bert().changes if one.kind is MatchKind.REWRITTEN)
    page.ask("p.show(a)", match.number)
    page.rest()
    page.page.mouse.move(*page.place(0, match.a[0].id))
    assert page.ask("p.highlighted(1).size") == len(match.b)
    page.page.mouse.click(*page.place(1, match.b[-1].id))
    page.settle()
    assert page.selected(0) == [node.id for node in match.a]


RUN = """(() => { const e = p.explorers[0], { scene } = e.state, slot = scene.members.findIndex(n => n > 1);
    const [x, y, w, h] = scene.rect.slice(4 * slot, 4 * slot + 4), c = e.viewportStore.state.camera;
    const box = document.querySelector(".exirviz-canvas").getBoundingClientRect();
    return [(x + w / 2 - c.x) * c.zoom + box.left, (y + h / 2 - c.y) * c.zoom + box.top] })()"""


def test_the_tip_of_equal_modules_says_what_is_of_each_and_what_of_all(page: SideBySide) -> None:
    page.press("0")
    page.rest()
    page.page.mouse.move(*page.ask(RUN))
    tip = page.page.locator(".exirviz-tooltip")
    expect(tip).to_contain_text("encoder.layer.1 – encoder.layer.11 ×11")
    expect(tip).to_contain_text("each 33.5 k params")
    expect(tip).to_contain_text("in all 11: ")


def test_the_text_is_tied_to_the_pictures(page: SideBySide) -> None:
    page.press("n")
    page.press("y")
    line = page.page.locator(".exirviz-line.is-it")
    line.first.wait_for()
    assert line.first.is_visible()
    other = page.page.locator("button.exirviz-line:not(.is-it)").last
    other.click()
    page.settle()
    assert page.ask("p.state.match") != bert().changes[0].number


def test_the_list_is_filtered_by_kind_and_by_words(page: SideBySide) -> None:
    aside = page.page.get_by_label("Changes", exact=True).locator(".exirviz-aside").last
    page.page.get_by_label("Filter changes by op, name or module").fill("layer_norm")
    found = sum("layer_norm" in " ".join(n.target.text for n in one.a) for one in bert().changes)
    assert found > 0
    assert int(aside.inner_text().split(" ")[0]) >= found
    page.page.get_by_title("Hide rewritten nodes").click()
    assert aside.inner_text().startswith("0 of")


def test_a_lowered_program_names_its_ops_at_first_and_calls_them_delegated(standalone: Standalone) -> None:
    diff = exir_viz.diff(snapshot("llama2:edge"), snapshot("llama2:xnnpack"))
    page = SideBySide(standalone).open(diff)
    expect(page.page.locator(".exirviz-pair-legend")).to_contain_text("delegated or moved")
    assert page.ask("Math.min(...p.explorers.map(e => e.viewportStore.state.camera.zoom))") >= 0.37
    assert page.ask("p.explorers.every(e => e.state.open.size > 0)")


def test_what_is_the_same_is_folded_and_opened_alike(page: SideBySide) -> None:
    def stretches(side: int) -> list[list[int]]:
        code = """[...p.explorers[a].state.stretches.values()].map(s => [s.items.length, s.count])"""
        return page.ask(code, side)

    before = page.ask("p.explorers.map(e => e.state.scene.item.length)")
    page.press("q")
    page.rest()
    after = page.ask("p.explorers.map(e => e.state.scene.item.length)")
    assert all(few < many for few, many in zip(after, before, strict=True))
    assert stretches(0) == stretches(1)
    assert max(items for items, _ in stretches(0)) > 1
    item = page.ask("[...p.explorers[1].state.stretches].find(([_, s]) => s.count > 1)[0]")
    code = """(() => { const e = p.explorers[1], { scene } = e.state, slot = scene.slotOf[a];
        const [x, y, w, h] = scene.rect.slice(4 * slot, 4 * slot + 4), c = e.viewportStore.state.camera;
        const box = document.querySelectorAll(".exirviz-canvas")[1].getBoundingClientRect();
        return [(x + w / 2 - c.x) * c.zoom + box.left, (y + h / 2 - c.y) * c.zoom + box.top] })()"""
    count = len(stretches(1))
    page.page.mouse.click(*page.ask(code, item))
    page.settle()
    page.page.wait_for_function(
        "n => exirvizColumns.explorers.every(e => e.state.stretches.size < n)", arg=count
    )
    assert stretches(0) == stretches(1)
    page.press("q")
    assert page.ask("p.explorers.map(e => e.state.scene.item.length)") == before


@functools.cache
def attention() -> tuple[Diff, Measured]:
    a, b = exported("attention"), core("attention")
    values = exir_viz.diff(a, b).values(rtol=0, atol=0)
    assert values.first is not None
    costs = values.diff.costs(exir_viz.profile(a, repeats=2), exir_viz.profile(b, repeats=2))
    outputs = (*values.outputs, OutputRow("output 1", None, "only a has it"))
    # however busy the machine was
    told = tuple(msgspec.structs.replace(each, noise=False) for each in costs.matches)
    costs = msgspec.structs.replace(costs, matches=told)
    return values.diff, Measured(msgspec.structs.replace(values.record, outputs=outputs), costs)


def test_values_and_costs_are_listed_sorted_and_painted(standalone: Standalone) -> None:
    page = SideBySide(standalone).open(*attention())
    shown = page.page
    shown.get_by_role("tab", name="Changes").focus()
    shown.keyboard.press("ArrowRight")
    assert shown.get_by_role("tab", name="Values").get_attribute("aria-selected") == "true"
    verdict = shown.get_by_label("Divergence").inner_text()
    assert "first diverges at" in verdict
    assert "not compared: only a has it" in verdict
    rows = shown.get_by_label("Compared values").locator("button")
    shown.get_by_label("sorted").select_option("apart")
    assert "≠" in rows.first.inner_text()
    assert rows.first.evaluate(
        "row => row.closest('.exirviz-list').scrollWidth <= row.closest('.exirviz-list').clientWidth"
    )
    rows.first.click()
    page.settle()
    assert page.ask("p.state.match") >= 0
    paints = shown.get_by_role("combobox", name="Color", exact=True)
    plain = standalone.page.locator(".exirviz-canvas").first.screenshot()
    paints.select_option("values")
    page.settle()
    assert standalone.page.locator(".exirviz-canvas").first.screenshot() != plain
    legend = shown.locator(".exirviz-pair-legend")
    assert "relative difference" in legend.inner_text()
    trees = shown.locator(".exirviz-pane [role=treeitem]").all_text_contents()
    assert sum("≠" in text for text in trees) >= 2
    assert any("first to diverge" in text for text in trees)
    shown.locator(".exirviz-canvas").first.focus()
    shown.keyboard.press("k")
    assert "slower by" in legend.inner_text()
    shown.keyboard.press("k")
    assert paints.input_value() == "changes"
    shown.get_by_role("tab", name="Costs").click()
    assert "→" in shown.get_by_label("One run").inner_text()
    assert shown.get_by_label("By module").locator(".exirviz-rule").count() > 0
    assert "aten." not in shown.get_by_label("By rule").inner_text()
    shown.get_by_role("tab", name="Changes").click()
    shown.get_by_label("sorted").select_option("slower")
    assert "→" in shown.get_by_label("Changes", exact=True).locator(".exirviz-cost").first.inner_text()
    shown.keyboard.press("Escape")
    shown.locator(".exirviz-canvas").first.focus()
    shown.keyboard.press("/")
    shown.keyboard.type("op:*mm*")
    assert shown.locator(".exirviz-results").is_visible()
    assert standalone.problems == []


def test_keys_are_reported(page: SideBySide) -> None:
    page.press("?")
    text = page.page.get_by_role("dialog").inner_text()
    assert all(words in text for words in ("next change", "previous change", "Hide unchanged nodes"))


def test_hostile_programs_are_text(standalone: Standalone) -> None:
    a, b = mutate(hostile(), "retype", share=0.5)[:2]
    page = SideBySide(standalone).open(exir_viz.diff(a, b))
    page.press("n")
    page.press("y")
    assert standalone.problems == []
    assert page.page.locator("main img, main script, main iframe").count() == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_reaches_beyond_the_page(new_page: Any, theme: str) -> None:
    standalone = new_page(viewport={"width": 1000, "height": 640}, color_scheme=theme)
    page = SideBySide(standalone).open(bert()).page
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    dark = page.locator(".exirviz-compare.is-dark").count()
    assert dark == (theme == "dark")
