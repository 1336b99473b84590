"""Programs that break one rule each: where, and how the program that keeps it was edited."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.program import (
    Argument,
    ArgumentType,
    CallSignature,
    Dialect,
    InputKind,
    InputSpec,
    ModuleCall,
    StateKind,
    Tree,
)
from exir_viz.snapshot.records import Call, Literal, LiteralType, ObjectValue, TargetType

from .editor import Editor
from .programs import snapshot, two_branches

TRAINING, ATEN, CORE = Dialect.ATEN_TRAINING, Dialect.ATEN, Dialect.ATEN_CORE
EDGE, BACKEND, EXECUTORCH = Dialect.EDGE, Dialect.BACKEND, Dialect.EXECUTORCH
CONVERT = "dim_order_ops__to_dim_order_copy_default"
_EDGE_TEXT = "executorch.exir.dialects.edge._ops.aten."

Edit = Callable[[Editor], Editor]


@dataclass(frozen=True)
class Seed:
    """A rule, the dialect, the node that breaks it ("" for the method), and the edit of a graph."""

    rule: str
    dialect: Dialect
    node: str
    edit: Edit
    graph: int = 0
    of: Callable[[Dialect], Snapshot] = snapshot

    def broken(self) -> Snapshot:
        return self.edit(Editor(self.of(self.dialect), self.graph)).finish()


def _argument(at: int, arg: Any) -> Callable[[Call], Call]:
    return lambda call: msgspec.structs.replace(call, args=(*call.args[:at], arg, *call.args[at + 1 :]))


def _int(value: int) -> Literal:
    return Literal(LiteralType.INT, str(value))


def _spec(at: int, **fields: Any) -> Callable[[list[Any]], list[Any]]:
    def change(specs: list[Any]) -> list[Any]:
        specs[at] = msgspec.structs.replace(specs[at], **fields)
        return specs

    return change


def _argument_spec(at: int, **fields: Any) -> Callable[[list[Any]], list[Any]]:
    def change(specs: list[Any]) -> list[Any]:
        arg = msgspec.structs.replace(specs[at].arg, **fields)
        specs[at] = msgspec.structs.replace(specs[at], arg=arg)
        return specs

    return change


def _state(change: Callable[[Any], Any]) -> Edit:
    def edit(editor: Editor) -> Editor:
        state = tuple(one for one in map(change, editor.record.state) if one is not None)
        editor.record = msgspec.structs.replace(editor.record, state=state)
        return editor

    return edit


def _preserved(editor: Editor) -> Editor:
    leaf = Tree("leaf")
    signature = CallSignature((Argument(ArgumentType.TENSOR, "ghost"),), (), leaf, leaf)
    editor.method = msgspec.structs.replace(editor.method, module_calls=(ModuleCall("linear", signature),))
    return editor


def _ghost(specs: list[Any]) -> list[Any]:
    return [*specs, InputSpec(InputKind.USER_INPUT, Argument(ArgumentType.TENSOR, "ghost"))]


def _planned(*names: str, **fields: Any) -> Edit:
    def edit(editor: Editor) -> Editor:
        for name in names:
            editor.spec(name, **fields)
        return editor

    return edit


def _edge(name: str, op: str, overload: str = "default") -> Edit:
    text = f"{_EDGE_TEXT}{op}.{overload}"
    return lambda e: e.target(name, text=text, name=op, overload=overload)


SEEDS = (
    # the graph
    Seed("placeholders-first", ATEN, "y", lambda e: e.move("y", after="relu")),
    Seed("placeholders-first", TRAINING, "c_scale", lambda e: e.move("c_scale", after="gt")),
    Seed("placeholders-first", EDGE, "y", lambda e: e.move("y", after="aten_addmm_default")),
    Seed("placeholders-first", ATEN, "late", lambda e: e.copy("getitem", "late", after="sin"), graph=1),
    Seed("single-output", ATEN, "add_1", lambda e: e.remove("output")),
    Seed("single-output", ATEN, "output_1", lambda e: e.copy("output", "output_1")),
    Seed("single-output", CORE, "late", lambda e: e.copy("relu", "late", after="output")),
    Seed("single-output", ATEN, "sin", lambda e: e.remove("output"), graph=1),
    Seed("node-kind", ATEN, "relu", lambda e: e.op("relu", "call_method")),
    Seed("node-kind", EDGE, "aten_sin_default", lambda e: e.op("aten_sin_default", "call_module")),
    Seed("node-kind", ATEN, "relu", lambda e: e.op("relu", "instruction")),
    Seed("earlier-inputs", ATEN, "relu", lambda e: e.input("relu", 0, "add_1")),
    Seed("earlier-inputs", ATEN, "relu", lambda e: e.move("linear", after="relu")),
    Seed("earlier-inputs", ATEN, "sin", lambda e: e.input("sin", 0, "sin"), graph=1),
    Seed("unique-names", ATEN, "linear", lambda e: e.rename("relu", "linear")),
    Seed("node-value", ATEN, "relu", lambda e: e.value("relu")),
    Seed("node-value", ATEN, "x", lambda e: e.value("x")),
    Seed("node-value", ATEN, "sin", lambda e: e.value("sin"), graph=1),
    Seed("get-attr", ATEN, "gt", lambda e: e.op("gt", "get_attr")),
    Seed("get-attr", TRAINING, "relu", lambda e: e.op("relu", "get_attr")),
    Seed("getitem-range", ATEN, "getitem_1", lambda e: e.call("getitem_1", _argument(1, _int(5)))),
    Seed("getitem-range", BACKEND, "getitem", lambda e: e.call("getitem", _argument(1, _int(-3)))),
    Seed("branch-inputs", ATEN, "cond", lambda e: e.copy("getitem", "more", after="getitem"), graph=1),
    # the signature
    Seed("signature-inputs", ATEN, "z", lambda e: e.rename("x", "z")),
    Seed("signature-inputs", ATEN, "y", lambda e: e.sign(inputs=lambda specs: specs[:-1])),
    Seed("signature-inputs", ATEN, "", lambda e: e.sign(inputs=_ghost)),
    Seed("signature-state", ATEN, "p_linear_bias",
         _state(lambda one: None if one.name == "linear.bias" else one)),
    Seed("signature-state", ATEN, "p_linear_weight",
         _state(lambda one: msgspec.structs.replace(one, kind=StateKind.BUFFER))),
    Seed("signature-state", ATEN, "c_scale", lambda e: e.sign(inputs=_spec(3, target=None))),
    Seed("signature-state", ATEN, "b_steps", lambda e: e.sign(inputs=_spec(2, persistent=None))),
    Seed("signature-outputs", ATEN, "output", lambda e: e.sign(outputs=lambda specs: specs[:-1])),
    Seed("signature-outputs", ATEN, "add_1", lambda e: e.sign(outputs=_argument_spec(2, name="relu"))),
    Seed("output-order", ATEN, "add", lambda e: e.sign(outputs=lambda specs: [*specs[1:], specs[0]])),
    Seed("updated-input", ATEN, "add", lambda e: e.sign(outputs=_spec(0, target="ghost"))),
    Seed("module-call-signature", ATEN, "", _preserved),
    Seed("pytree-inputs", ATEN, "x", lambda e: e.value("x", ObjectValue("script", "Queue"))),
    # the ATen dialects
    Seed("aten-operators", ATEN, "relu",
         lambda e: e.target("relu", type=TargetType.FUNCTION, text="model.helper", name="helper")),
    Seed("aten-operators", TRAINING, "relu",
         lambda e: e.target("relu", type=TargetType.BUILTIN, text="builtins.print", name="print")),
    Seed("aten-operators", CORE, "relu", lambda e: e.target("relu", text=f"{_EDGE_TEXT}relu.default")),
    Seed("meta-kernel", ATEN, "relu", lambda e: e.target("relu", name="_aminmax")),
    Seed("memory-format", ATEN, "x", lambda e: e.value("x", dim_order=(1, 0), stride=(1, 2))),
    Seed("memory-format", CORE, "p_linear_weight",
         lambda e: e.value("p_linear_weight", dim_order=(1, 0), stride=(1, 8))),
    Seed("no-mutation", ATEN, "relu", lambda e: e.target("relu", name="relu_")),
    Seed("no-mutation", CORE, "add", lambda e: e.target("add", name="add_")),
    Seed("no-mutation", EDGE, "aten_sin_default", _edge("aten_sin_default", "sin_")),
    Seed("no-aliasing", EDGE, "aten_view_copy_default", _edge("aten_view_copy_default", "view")),
    Seed("core-aten", CORE, "relu", lambda e: e.target("relu", name="silu")),
    Seed("core-aten", EDGE, "aten_sin_default", _edge("aten_sin_default", "silu")),
    Seed("core-aten", BACKEND, "aten_cos_default", _edge("aten_cos_default", "silu")),
    # the edge dialect
    Seed("edge-operators", EDGE, "aten_sin_default",
         lambda e: e.target("aten_sin_default", text="torch.ops.aten.sin.default")),
    Seed("edge-dtypes", EDGE, "aten_sin_default", lambda e: e.value("aten_sin_default", dtype="int64")),
    Seed("edge-dtypes", EDGE, "aten_mul_tensor",
         lambda e: e.value("_lifted_tensor_constant0", dtype="float64")),
    Seed("edge-dtypes", BACKEND, "aten_cos_default", lambda e: e.value("aten_cos_default", dtype="uint8")),
    Seed("scalar-arguments", EDGE, "aten_add_tensor",
         lambda e: e.call("aten_add_tensor", _argument(1, _int(2)))),
    Seed("scalar-inputs", EDGE, "y", lambda e: e.sign(inputs=_argument_spec(4, type=ArgumentType.SYM_INT))),
    Seed("scalar-inputs", EDGE, "aten_mul_tensor",
         lambda e: e.sign(outputs=_argument_spec(0, type=ArgumentType.SYM_INT))),
    Seed("dim-order", EDGE, CONVERT, lambda e: e.value(CONVERT, stride=(1, 2))),
    Seed("dim-order", EDGE, "aten_sin_default", _edge("aten_sin_default", "clone")),
    Seed("delegate-call", BACKEND, "executorch_call_delegate",
         lambda e: e.input("executorch_call_delegate", 0, "x")),
    Seed("delegate-call", BACKEND, "executorch_call_delegate",
         lambda e: e.call("executorch_call_delegate", lambda call: Call(call.args[:-1]))),
    # the runtime
    Seed("out-variants", EXECUTORCH, "aten_sin_default",
         lambda e: e.target("aten_sin_default", overload="default", text="torch.ops.aten.sin.default")),
    Seed("plan-overlap", EXECUTORCH, "aten_sin_default", _planned("alloc_4", "aten_sin_default", offset=64)),
    Seed("plan-overlap", EXECUTORCH, "aten_sin_default", _planned("alloc_4", "aten_sin_default", offset=127)),
    Seed("branch-results", EXECUTORCH, "cond_1", lambda e: e, of=lambda _: two_branches().snapshot),
    Seed("plan-lifetime", EXECUTORCH, "aten_exp_default",
         _planned("alloc_3", "aten_exp_default", lifetime=(11, 15))),
    Seed("plan-arena", EXECUTORCH, "aten_sin_default",
         _planned("alloc_4", "aten_sin_default", offset=100_000)),
    Seed("plan-arena", EXECUTORCH, "aten_sin_default",
         _planned("alloc_4", "aten_sin_default", offset=-16)),
)  # fmt: skip
