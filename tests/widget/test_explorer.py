"""The widget's Python half: what it sends, to whom, and what a saved notebook keeps of it."""

from __future__ import annotations

import shutil
import zlib
from typing import Any

import pytest
from comm import create_comm
from ipywidgets import Widget
from ipywidgets.widgets.widget import _remove_buffers

from exir_viz.errors import WrongArgument
from exir_viz.snapshot.wire import encode_detail, encode_skeleton
from exir_viz.widget.explorer import Explorer
from exir_viz.widget.node_names import UnknownName
from exir_viz.widget.static_preview import static_preview
from tests.snapshot.sample import hostile, sample


class Recorded(Explorer):
    """An explorer whose messages are kept instead of sent."""

    def send(self, content: Any, buffers: Any = None) -> None:
        self.sent = [*getattr(self, "sent", []), (content, buffers or [])]


@pytest.fixture
def explorer() -> Recorded:
    return Recorded(sample())


def ask(explorer: Recorded, what: str, view: str = "view-1") -> list[tuple[Any, Any]]:
    """What a view is answered."""
    explorer.sent = []
    explorer._receive(explorer, {"kind": "ask", "what": what, "from": view}, [])
    return explorer.sent


def test_the_skeleton_comes_with_the_widget_and_a_small_detail_with_it(explorer: Recorded) -> None:
    state, _, buffers = _remove_buffers(explorer.get_state())
    assert buffers == [encode_skeleton(sample()), encode_detail(sample())]
    assert zlib.decompress(buffers[0]).startswith(b'{"schema":')
    assert state["_program"] == [None, None]


def test_what_a_page_has_taken_is_sent_to_the_view_that_asks(explorer: Recorded) -> None:
    explorer.set_state({"_program": []})
    [(message, buffers)] = ask(explorer, "skeleton")
    assert message == {"kind": "skeleton", "to": "view-1"}
    assert buffers == [encode_skeleton(sample()), encode_detail(sample())]


def test_a_large_detail_waits_until_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exir_viz.widget.explorer._SMALL_DETAIL", 10)
    explorer = Recorded(sample())
    assert explorer._program == [encode_skeleton(sample())]
    assert [len(buffers) for _, buffers in ask(explorer, "skeleton")] == [1]
    assert ask(explorer, "detail") == [({"kind": "detail", "to": "view-1"}, [encode_detail(sample())])]


def test_a_kernel_that_lives_says_so(explorer: Recorded) -> None:
    assert ask(explorer, "life") == [({"kind": "life", "to": "view-1"}, [])]


@pytest.mark.parametrize(
    "message",
    [
        None,
        "ask",
        {},
        {"kind": "ask"},
        {"kind": "ask", "what": "skeleton"},
        {"kind": "ask", "what": "secrets", "from": "v"},
        {"kind": "ask", "what": ["skeleton"], "from": "v"},
    ],
)
def test_what_is_no_question_gets_no_answer(explorer: Recorded, message: object) -> None:
    explorer._receive(explorer, message, [])
    assert not hasattr(explorer, "sent")


def test_what_a_page_leaves_to_be_saved_is_small(explorer: Recorded) -> None:
    explorer.set_state({"_program": []})
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


def test_what_was_set_from_outside_is_kept_as_far_as_it_is_a_node(explorer: Recorded) -> None:
    first = explorer.snapshot.method.graph[0]
    explorer.selection = [first.name, "nothing", first.id]
    assert explorer.selection == [first.id]


def test_a_wrong_name_is_an_error_that_helps(explorer: Recorded) -> None:
    with pytest.raises(UnknownName, match=r"no node 'linear_2'\. Did you mean '.*linear_1'"):
        explorer.select("linear_2")
    with pytest.raises(UnknownName, match="no module or node 'fd'"):
        explorer.open("fd")
    with pytest.raises(UnknownName, match=r"no module 'fd'"):
        explorer.fold("fd")
    with pytest.raises(UnknownName, match=r"\\x1b"):
        explorer.select("\x1b[31m")


def test_orders_are_messages(explorer: Recorded) -> None:
    ask(explorer, "life")
    node = explorer.snapshot.graphs[-1][0]
    explorer.open("fc", node, "add")
    explorer.open(depth=2)
    explorer.fold("fc")
    explorer.fit()
    explorer.search("op:add")
    orders = [message for message, _ in explorer.sent[1:]]
    assert [order["action"] for order in orders] == ["open", "open", "close", "fit", "search"]
    assert (orders[0]["paths"], orders[0]["nodes"]) == (["fc"], [node.id, "forward/add"])
    assert orders[1]["depth"] == 2
    assert all(order["to"] is None for order in orders)


def test_a_rule_has_a_named_colour_or_one_of_its_own(explorer: Recorded) -> None:
    ask(explorer, "life")
    explorer.color("op:*mm*", "red")
    explorer.color("op:add", "#012aBc")
    explorer.color("op:relu")
    explorer.uncolor("op:add")
    orders = [message for message, _ in explorer.sent[1:]]
    assert [order.get("color") for order in orders] == ["#D55E00", "#012aBc", None, None]
    assert orders[-1]["queries"] == ["op:add"]
    with pytest.raises(WrongArgument, match="'blue' or 'orange'"):
        explorer.color("op:add", "rouge")


def test_an_order_at_the_end_of_a_cell_shows_no_second_picture(explorer: Recorded) -> None:
    """IPython shows the value of a last line, and a widget is shown once more."""
    orders = [
        explorer.select("x"),
        explorer.open(),
        explorer.fold(),
        explorer.fit(),
        explorer.search("op:add"),
        explorer.paint({"x": 1}),
        explorer.unpaint(),
    ]
    assert orders == [None] * len(orders)


def test_orders_before_the_first_view_are_sent_to_it(explorer: Recorded) -> None:
    explorer.open(depth=1)
    explorer.paint({"x": 1}, label="time")
    explorer.fit()
    assert not hasattr(explorer, "sent")
    told = [(message["kind"], message["to"]) for message, _ in ask(explorer, "life")]
    assert told == [("life", "view-1"), ("do", "view-1"), ("series", "view-1"), ("do", "view-1")]
    assert len(ask(explorer, "life")) == 1
    # Another view is told of what stays: the paintings, without a wish to see one of them.
    [_, (painted, _)] = ask(explorer, "skeleton", "view-2")
    assert (painted["to"], painted["show"], len(painted["series"])) == ("view-2", None, 1)


def test_no_modules_open_where_an_application_connects_widgets_itself() -> None:
    """As marimo does: then ipywidgets calls `open` on a connected widget."""
    Widget.on_widget_constructed(lambda widget: setattr(widget, "comm", create_comm(target_name="test")))
    try:
        explorer = Recorded(sample())
    finally:
        Widget.on_widget_constructed(None)
    assert [message["kind"] for message, _ in ask(explorer, "life")] == ["life"]
    explorer.open()
    assert [message["action"] for message, _ in explorer.sent[1:]] == ["open"]


def test_where_no_script_runs_there_is_text_and_nothing_of_a_program_is_markup() -> None:
    bundle = Explorer(hostile())._repr_mimebundle_()
    assert bundle is not None
    data, _ = bundle
    assert "application/vnd.jupyter.widget-view+json" in data
    assert "forward" in data["text/plain"]
    for forbidden in ("<img src=x", "<script", "onerror=alert"):
        assert forbidden not in data["text/html"]


def test_a_saved_picture_says_what_it_is_and_how_to_get_the_live_one() -> None:
    if shutil.which("dot") is None:
        pytest.skip("Graphviz's program is not installed here")
    html = static_preview(sample())["text/html"]
    assert html.index("<img") < html.index("<figcaption>") < html.index("<pre>")
    assert "Run the cell again for the explorer." in html
