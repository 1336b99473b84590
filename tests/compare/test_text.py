"""Two texts side by side: aligned by matches, marked within lines, folded where equal."""

from __future__ import annotations

import pytest

import exir_viz
from exir_viz.compare.records import TextRow
from exir_viz.errors import ExirVizError
from exir_viz.snapshot.text import lines
from tests.snapshot.sample import chain, hostile, sample

from .mutate import mutate


def code(rows: tuple[TextRow, ...], kind: str) -> list[tuple[str, str]]:
    return [
        (row.a.text.strip() if row.a else "", row.b.text.strip() if row.b else "")
        for row in rows
        if row.kind == kind
    ]


def marked(row: TextRow) -> tuple[list[str], list[str]]:
    return tuple([cell.text[start:stop] for start, stop in cell.marks] for cell in (row.a, row.b))


def test_every_line_is_shown_or_counted() -> None:
    diff = exir_viz.diff(*mutate(chain(200), "mixed", share=0.05)[:2])
    rows = diff.text()
    whole = diff.text(context=10_000)
    assert not any(row.hidden for row in whole)
    assert sum(row.hidden or 1 for row in rows) == len(whole)
    for side, snapshot in ((0, diff.a), (1, diff.b)):
        cells = [row.b if side else row.a for row in whole]
        shown = [cell.text for cell in cells if cell]
        assert shown == [line.text for line in lines(snapshot.method, expanded=True)]
        assert [cell.line for cell in cells if cell] == list(range(1, len(shown) + 1))


def test_equal_programs_fold_to_one_line() -> None:
    (row,) = exir_viz.diff(sample(), sample()).text()
    assert (row.kind, row.hidden > 20) == ("fold", True)


def test_a_node_put_in_stands_alone_and_its_reader_is_the_same() -> None:
    rows = exir_viz.diff(*mutate(chain(40), "insert", share=0.02)[:2]).text()
    (added,) = code(rows, "added")
    assert added[0] == ""
    assert "aten.neg" in added[1]
    assert not code(rows, "changed")


def test_marks_name_what_changed_and_no_more() -> None:
    diff = exir_viz.diff(*mutate(chain(40), "retype", share=0.02)[:2])
    (row,) = [row for row in diff.text() if row.kind == "changed"]
    assert marked(row) == (["f32"], ["f16"])


def test_another_name_is_no_mark() -> None:
    rows = exir_viz.diff(*mutate(chain(30), "rename")[:2]).text(context=1000)
    kinds = {row.kind for row in rows}
    assert kinds <= {"same", "note", "fold"}
    assert not any(cell.marks for row in rows for cell in (row.a, row.b) if cell)


def test_a_source_line_of_another_file_stands_beside_its_counterpart() -> None:
    rows = exir_viz.diff(*mutate(sample(), "rename")[:2]).text(context=1000)
    moved = [row for row in rows if row.b and "/moved" in row.b.text]
    assert moved
    assert all(row.a and "# File: " in row.a.text and not row.b.marks for row in moved)


def test_hostile_names_are_lines_of_text() -> None:
    diff = exir_viz.diff(*mutate(hostile(), "retype", share=1.0)[:2])
    rows = diff.text(context=1000)
    assert all("\n" not in cell.text for row in rows for cell in (row.a, row.b) if cell)


def test_an_unknown_method_is_named() -> None:
    with pytest.raises(ExirVizError, match="Unknown method 'x'"):
        exir_viz.diff(sample(), sample()).text("x")
