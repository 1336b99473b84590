"""The widget of a diff: what goes with it, what it answers, and what stands where no script runs."""

from __future__ import annotations

import json
import zlib
from typing import Any

import msgspec
import pytest

import exir_viz
from exir_viz.compare.diff import Diff
from exir_viz.compare.records import Comparison
from exir_viz.snapshot.wire import encode_detail, encode_skeleton
from exir_viz.widget.diff_explorer import DiffExplorer
from tests.compare.mutate import mutate
from tests.snapshot.sample import chain, hostile


@pytest.fixture
def diff() -> Diff:
    return exir_viz.diff(*mutate(chain(40), "mixed", share=0.1)[:2])


class Sent(DiffExplorer):
    """Keeps what it sends."""

    def __init__(self, diff: Diff) -> None:
        self.sent: list[tuple[Any, list[bytes]]] = []
        super().__init__(diff)

    def send(self, content: Any, buffers: Any = None) -> None:
        self.sent.append((content, list(buffers or [])))


def test_the_comparison_and_both_programs_go_with_it(diff: Diff) -> None:
    comparison, *sides = diff.explore()._program
    assert msgspec.json.decode(zlib.decompress(comparison), type=Comparison) == diff.comparison
    assert sides == [encode(side) for side in (diff.a, diff.b) for encode in (encode_skeleton, encode_detail)]


@pytest.mark.parametrize("what", ["diff", "text", "life"])
def test_a_question_is_answered_to_the_view_that_asked(what: str, diff: Diff) -> None:
    widget = Sent(diff)
    widget._receive(widget, {"kind": "ask", "what": what, "from": "view-1", "n": 3}, [])
    ((content, buffers),) = widget.sent
    assert content == {"kind": what, "to": "view-1", "n": 3}
    if what == "text":
        assert len(json.loads(zlib.decompress(buffers[0]))) == len(diff.text())
    assert len(buffers) == {"diff": 5, "text": 1, "life": 0}[what]


def test_what_is_no_question_gets_no_answer(diff: Diff) -> None:
    widget = Sent(diff)
    for raw in (None, {"kind": "ask"}, {"kind": "ask", "what": "rm", "from": "view-1"}):
        widget._receive(widget, raw, [])
    assert widget.sent == []


def test_the_last_line_of_a_cell_shows_it(diff: Diff) -> None:
    data, _ = diff._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert data["text/plain"] == str(diff)


def test_what_stands_where_no_script_runs_is_escaped() -> None:
    data, _ = exir_viz.diff(hostile(), chain(3))._repr_mimebundle_()
    assert "<script" not in data["text/html"].lower()
    assert data["text/html"].count("<") == 4
