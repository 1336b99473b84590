"""A comparison as text, in a real browser: two texts at any width, and changes outside the nodes."""

from __future__ import annotations

import re

import exir_viz
from exir_viz.snapshot.program import Arena
from tests.compare.test_facts import with_detail
from tests.snapshot.sample import sample

from .standalone import Standalone
from .test_compare import SideBySide, bert

CUT = """() => {
  const loud = [...document.querySelectorAll(".exirviz-line:not(.is-same, .is-note) .exirviz-cell-line")];
  const cut = loud.filter(each => each.scrollWidth > each.clientWidth);
  const marks = document.querySelectorAll(".exirviz-cell mark");
  return { lines: loud.length, cut: cut.map(each => each.textContent), marks: marks.length } }"""
HEIGHTS = """() => [...document.querySelectorAll(".exirviz-line")].map(each =>
  [each.getBoundingClientRect().height, each.scrollHeight])"""
SEEN = """() => {
  const all = document.querySelector(".exirviz-text .exirviz-list").getBoundingClientRect();
  const it = document.querySelector(".exirviz-line.is-it")?.getBoundingClientRect();
  return Boolean(it) && it.bottom > all.top && it.top < all.bottom }"""


def test_no_change_in_a_line_is_cut_off_at_any_width(standalone: Standalone) -> None:
    page = SideBySide(standalone).open(bert())
    page.press("n")
    page.press("y")
    shown = page.page
    shown.locator(".exirviz-line.is-it").first.wait_for()
    for width, is_stacked in ((1440, False), (1000, True), (640, True), (1200, False)):
        shown.set_viewport_size({"width": width, "height": 800})
        row = ".exirviz-line.is-stacked.is-it" if is_stacked else ".exirviz-line.is-it:not(.is-stacked)"
        shown.locator(row).first.wait_for()
        found = shown.evaluate(CUT)
        assert found["cut"] == []
        assert min(found["lines"], found["marks"]) > 10
        assert all(drawn == needed for drawn, needed in shown.evaluate(HEIGHTS))
        assert shown.evaluate(SEEN)
    assert re.fullmatch(r"· \d+ unchanged lines ·", shown.locator(".exirviz-line.is-fold").first.inner_text())
    same = shown.locator("button.exirviz-line.is-same").first
    short = same.bounding_box()["height"]
    same.click()
    shown.locator(".exirviz-line.is-same.is-it").first.wait_for()
    assert shown.locator(".exirviz-line.is-same.is-it").first.bounding_box()["height"] > short


def test_what_one_side_alone_has_is_said_and_no_arrow_leads_to_nothing(standalone: Standalone) -> None:
    before = with_detail(sample(), guards=("s0 < 9",), arenas=(Arena(1, 1024),))
    diff = exir_viz.diff(before, with_detail(sample(), arenas=(Arena(1, 2048), Arena(2, 16))))
    page = SideBySide(standalone).open(diff).page
    facts = page.get_by_label("Other changes", exact=True).locator(".exirviz-fact")
    assert facts.all_inner_texts() == [
        "guard batch < 9 removed",
        "memory arena 1 1,024 bytes on cpu → 2,048 bytes on cpu",
        "memory arena 2 added: 16 bytes on cpu",
    ]
