"""Programs that torch prints and nobody expects, where a pass put anything anywhere: capture takes them all.

What is not understood is named, never dropped: an Extra, an ObjectValue, an ObjectArg, a notice.
"""

from __future__ import annotations

import collections
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn
from torch.export import Dim, ExportedProgram, export, unflatten
from torch.testing._internal.two_tensor import TwoTensor

import exir_viz
from exir_viz import tables
from exir_viz.readers.kept_data import MAX_CUSTOM_TEXT
from exir_viz.snapshot import Node, Snapshot, wire
from exir_viz.snapshot.program import Dialect
from exir_viz.snapshot.records import ObjectArg, ObjectValue, TensorValue
from tests.corpus.concepts import Fn

# Quantized and nested tensors are on their way out of torch; programs of today still have them.
pytestmark = pytest.mark.filterwarnings("ignore")


def program() -> ExportedProgram:
    return export(Fn(lambda x: (x + 1) * 2), (torch.randn(2, 2),))


def captured(x: object) -> Snapshot:
    """The Snapshot, shown in every way and written and read again."""
    before = str(x)
    snapshot = exir_viz.load(x)
    assert str(x) == before
    assert exir_viz.load(x) == snapshot
    assert wire.decode(wire.encode(snapshot)) == snapshot
    for show in (str, Snapshot.text, tables.nodes, tables.values):
        show(snapshot)
    return snapshot


def with_meta(name: Any, value: Any) -> Node:
    """The node `add`, with this in its meta."""
    live = program()
    next(node for node in live.graph.nodes if node.name == "add").meta[name] = value
    return captured(live).method.graph["add"]


def test_a_node_of_no_module_is_in_none(tmp_path: Path) -> None:
    """torch has a word for the empty stack, which reads as a module: of a live program and of its file."""

    class Sized(torch.nn.Module):
        def forward(self, x):
            return x.reshape(x.shape[0] * 2, 2)

    live = export(Sized(), (torch.randn(3, 4),), dynamic_shapes=({0: Dim("b", max=8)},))
    (made,) = (node for node in live.graph.nodes if "sym_size" in node.name)
    assert len(made.meta["nn_module_stack"]) == 1
    torch.export.save(live, tmp_path / "sized.pt2")
    for snapshot in (captured(live), exir_viz.load(tmp_path / "sized.pt2")):
        assert [scope.path for scope in snapshot.scopes] == [""]
        assert snapshot.method.graph[made.name].scopes == ()
        assert snapshot.method.graph["reshape"].scopes


def cyclic(kind: type) -> Any:
    if kind is dict:
        table: dict[str, Any] = {"a": 1}
        table["itself"] = table
        return table
    items: list[Any] = [1]
    items += [items, items]
    return items


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("nn_module_stack", {"L": "no pair"}),
        ("nn_module_stack", [("a", torch.nn.Linear)]),
        ("nn_module_stack", {1: ("a", torch.nn.Linear)}),
        ("torch_fn", "relu"),
        ("torch_fn", 5),
        ("source_fn_stack", "relu"),
        ("from_node", [("x", "y")]),
        ("from_node", "x"),
        ("debug_handle", (1, 2)),
        ("debug_handle", True),
        ("debug_handle", -1),
        ("debug_handle", 2**70),
        ("debug_handle", np.int64(7)),
        ("spec", "none of ExecuTorch's"),
        ("unbacked_bindings", ["u0"]),
        ("custom", cyclic(dict)),
        ("custom", {(1, 2): 3}),
        ("a list", cyclic(list)),
        ("an array", np.zeros(3)),
        ("too long", "x" * 10_000_000),
    ],
    ids=lambda x: x if isinstance(x, str) and len(x) < 40 else type(x).__name__,
)
def test_what_torch_never_writes_is_listed(name: str, value: Any) -> None:
    node = with_meta(name, value)
    (extra,) = (extra for extra in node.extras if extra.name == name)
    assert extra.type == type(value).__qualname__
    assert extra.text is None
    assert node.debug_handle is None


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        (5, "five", "five"),
        (("t", 1), 2, "2"),
        ("scale", np.float64(2.5), "2.5"),
        ("custom", {10: "ten", "b": object()}, '{"10": "ten", "b": "builtins.object"}'),
        ("custom", {10: 1, 9: 2}, '{"10": 1, "9": 2}'),  # as strings sort, for strings they are once saved
    ],
)
def test_what_can_be_said_is_said(name: Any, value: Any, text: str) -> None:
    (extra,) = (extra for extra in with_meta(name, value).extras if extra.name == str(name))
    assert extra.text == text


def test_custom_metadata_is_kept_up_to_a_length() -> None:
    short, long = (
        with_meta("custom", {"note": "x" * length}) for length in (MAX_CUSTOM_TEXT // 2, MAX_CUSTOM_TEXT)
    )
    assert [short.extras[-1].text is None, long.extras[-1].text is None] == [False, True]


def test_a_function_without_a_name_is_known_by_its_class() -> None:
    node = with_meta("source_fn_stack", [("relu", torch.nn.ReLU())])
    assert [(fn.name, fn.target) for fn in node.source_fns] == [("relu", "torch.nn.modules.activation.ReLU")]


def test_values_of_any_kind() -> None:
    class Named:
        name = 5
        class_fqn = 3

    value = with_meta("val", Named()).value
    assert isinstance(value, ObjectValue)
    assert (value.role, value.cls.rpartition(".")[2], value.name) == ("object", "Named", "")
    value = with_meta("val", cyclic(list)).value
    assert isinstance(value.items[1], ObjectValue)
    deep: list[Any] = []
    for _ in range(200):
        deep = [deep]
    assert with_meta("val", deep).value is not None


def test_a_file_name_that_is_no_utf8_is_spelt_out() -> None:
    (frame,) = with_meta("stack_trace", 'File "caf\udce9.py", line 3, in f\n    x + 1').frames
    assert frame.file == r"caf\udce9.py"


RAGGED = torch.nested.nested_tensor([torch.randn(2, 3), torch.randn(4, 3)], layout=torch.jagged)
STATE: dict[str, Callable[[], Any]] = {
    "ragged": lambda: RAGGED,
    "nested": lambda: torch.nested.nested_tensor([torch.randn(2, 3), torch.randn(4, 3)]),
    "uninitialised": torch.nn.parameter.UninitializedParameter,
    "subclass": lambda: TwoTensor(torch.randn(2), torch.randn(2)),
    "bits": lambda: torch.empty(2, dtype=torch.bits8),
    "sub-byte": lambda: torch.empty(2, dtype=torch.uint4),
    "float4": lambda: torch.zeros(2, dtype=torch.uint8).view(torch.float4_e2m1fn_x2),
    "quantized": lambda: torch.quantize_per_tensor(torch.randn(2, 2), 0.1, 0, torch.qint8),
    "mkldnn": lambda: torch.randn(3, 3).to_mkldnn(),
    "sparse": lambda: torch.eye(3).to_sparse(),
    "packed": lambda: torch.ops.quantized.linear_prepack(
        torch.quantize_per_tensor(torch.randn(2, 2), 0.1, 0, torch.qint8), None
    ),
    "function": lambda: len,
    "nothing": lambda: None,
}


@pytest.mark.parametrize("name", STATE)
def test_constants_of_any_kind(name: str) -> None:
    live = program()
    live.constants["held"] = STATE[name]()
    snapshot = captured(live)
    (entry,) = snapshot.method.state
    assert (entry.name, entry.data) == ("held", None)
    value = snapshot.values[entry.value]
    if name == "ragged":
        assert isinstance(value, TensorValue)
        assert value.shape[1] == str(RAGGED.shape[1])
    if name in ("nested", "uninitialised", "packed", "function"):
        assert isinstance(value, ObjectValue)
    if name == "packed":
        assert entry.cls == "__torch__.torch.classes.quantized.LinearPackedParamsBase"


def test_a_graph_out_of_order_is_shown_with_a_notice() -> None:
    live = program()
    add, mul = (node for node in live.graph.nodes if node.op == "call_function")
    mul.append(add)
    snapshot = captured(live)
    assert [node.name for node in snapshot.method.graph] == [node.name for node in live.graph.nodes]
    assert snapshot.method.graph["mul"].args[0] == ObjectArg("torch.fx.node.Node", "add")
    (notice,) = snapshot.notices
    assert "'mul' uses 'add', which does not come before it" in notice.text


def test_a_copy_may_be_called_by_keyword() -> None:
    live = export(nn.BatchNorm1d(2), (torch.randn(3, 2),)).run_decompositions()
    assert live.graph_signature.buffers_to_mutate
    *_, output = live.graph.nodes
    with live.graph.inserting_before(output):
        read, made = (node for node in live.graph.nodes if node.name in ("b_num_batches_tracked", "add"))
        live.graph.call_function(torch.ops.aten.copy_.default, (), {"self": read, "src": made})
    assert captured(live).method.graph[-2].target.name == "copy_"


def test_modules_that_are_called_are_nested_graphs() -> None:
    inner = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
    module = unflatten(export(torch.nn.Sequential(inner, inner), (torch.ones(1, 2),)))
    snapshot = captured(module)
    assert snapshot.method.dialect is Dialect.FX
    calls = [node for node in snapshot.method.graph if node.op == "call_module"]
    assert [graph.path for graph in calls[0].subgraphs] == ["forward/0"]
    ops = collections.Counter(
        node.target.text for graph in snapshot.method.graphs() for node in graph if node.op == "call_function"
    )
    assert ops["torch.ops.aten.relu.default"] == 2
