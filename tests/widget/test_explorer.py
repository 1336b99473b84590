"""The widget's Python half: what it sends, to whom, and what a saved notebook keeps of it."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import pytest

from exir_viz.snapshot.wire import encode_detail, encode_skeleton
from exir_viz.widget.explorer import Explorer
from tests.snapshot.sample import hostile, sample


class Recorded(Explorer):
    """An explorer whose messages are kept instead of sent."""

    def send(self, content: Any, buffers: Any = None) -> None:
        self.sent = [*getattr(self, "sent", []), (content, buffers or [])]


@pytest.fixture
def explorer() -> Recorded:
    return Recorded(sample())


def test_the_skeleton_is_sent_to_the_view_that_asks_and_a_small_detail_comes_along(
    explorer: Recorded,
) -> None:
    explorer._answer(explorer, {"kind": "ask", "what": "skeleton", "from": "view-1"}, [])
    [(message, buffers)] = explorer.sent
    assert message == {"kind": "skeleton", "to": "view-1"}
    assert buffers == [encode_skeleton(sample()), encode_detail(sample())]
    assert zlib.decompress(buffers[0]).startswith(b'{"schema":')


def test_a_large_detail_waits_until_it_is_asked_for(
    explorer: Recorded, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("exir_viz.widget.explorer._SMALL_DETAIL", 10)
    explorer._answer(explorer, {"kind": "ask", "what": "skeleton", "from": "v"}, [])
    explorer._answer(explorer, {"kind": "ask", "what": "detail", "from": "v"}, [])
    assert [len(buffers) for _, buffers in explorer.sent] == [1, 1]
    assert explorer.sent[1][1] == [encode_detail(sample())]


@pytest.mark.parametrize("message", [None, "ask", {}, {"kind": "ask"}, {"kind": "ask", "what": "secrets"}])
def test_what_is_no_question_gets_no_answer(explorer: Recorded, message: object) -> None:
    explorer._answer(explorer, message, [])
    assert not hasattr(explorer, "sent")


def test_the_program_is_not_part_of_the_synced_state(explorer: Recorded) -> None:
    state = {key: value for key, value in explorer.get_state().items() if key not in {"_esm", "_css"}}
    size = len(repr(state))
    assert size < 2000, f"a saved notebook would hold {size} characters of state"


def test_nodes_are_selected_by_name_and_as_nodes(explorer: Recorded) -> None:
    graph = explorer.snapshot.method.graph
    first, second = graph[0], graph[1]
    explorer.select(first.name, second)
    assert explorer.selection == [first.id, second.id]
    explorer.select([first, [second]])
    assert explorer.selection == [first.id, second.id]


def test_orders_are_messages(explorer: Recorded) -> None:
    explorer.open("fc").open(depth=2).fold().fit().search("op:add")
    orders = [message for message, _ in explorer.sent]
    assert [order["action"] for order in orders] == ["open", "open", "close", "fit", "search"]
    assert orders[0]["paths"] == ["fc"]
    assert orders[1]["depth"] == 2


def test_numbers_go_as_bytes_beside_the_names_of_their_nodes(explorer: Recorded) -> None:
    graph = explorer.snapshot.method.graph
    explorer.paint({graph[0].name: 1.5, graph[1]: 2}, label="time", unit="ms")
    message, buffers = explorer.sent[-1]
    assert message["series"] == [{"label": "time", "unit": "ms", "nodes": [graph[0].id, graph[1].id]}]
    assert struct.unpack("<2d", buffers[0]) == (1.5, 2.0)


def test_painting_again_under_a_label_replaces_it(explorer: Recorded) -> None:
    explorer.paint({"a": 1}, label="time").paint({"a": 2}, label="time").paint({"a": 3}, label="bytes")
    message, buffers = explorer.sent[-1]
    assert [head["label"] for head in message["series"]] == ["time", "bytes"]
    assert struct.unpack("<d", buffers[0]) == (2.0,)


def test_where_no_script_runs_there_is_text_and_nothing_of_a_program_is_markup() -> None:
    bundle = Explorer(hostile())._repr_mimebundle_()
    assert bundle is not None
    data, _ = bundle
    assert "application/vnd.jupyter.widget-view+json" in data
    assert "forward" in data["text/plain"]
    for forbidden in ("<img src=x", "<script", "onerror=alert"):
        assert forbidden not in data["text/html"]
