"""A Snapshot made by hand, with something of everything: what the torch-free tests look at.

x, y → fc (called twice, with one weight) → add → cond(two branches) → output; a buffer is written.
"""

from __future__ import annotations

import functools

from exir_viz.snapshot import Graph, Snapshot
from exir_viz.snapshot.build import OP_NUMBER, GraphBuilder, SnapshotBuilder
from exir_viz.snapshot.program import (
    Argument,
    ArgumentType,
    Delegate,
    Dialect,
    InputKind,
    InputSpec,
    MethodDetail,
    MethodRecord,
    OriginOfSnapshot,
    OutputKind,
    OutputSpec,
    Range,
    Signature,
    StateEntry,
    StateKind,
    Symbol,
    SymbolBinding,
)
from exir_viz.snapshot.records import (
    Arg,
    Call,
    Frame,
    Literal,
    LiteralType,
    NodeArg,
    Scope,
    SequenceArg,
    SequenceValue,
    Target,
    TargetType,
    TensorValue,
    Value,
)

HOSTILE = 'x"];\n<b>\\N</b>\x1b[31m'


GETITEM = Target(TargetType.BUILTIN, "operator.getitem", "operator", "getitem")


class Maker:
    """A SnapshotBuilder with the words of a test."""

    def __init__(self, name: str = "sample") -> None:
        self.builder = SnapshotBuilder(OriginOfSnapshot("test", name, torch="2.13.0"))

    def tensor(self, *shape: int | str) -> int:
        return self.builder.values[TensorValue("float32", shape, tuple(1 for _ in shape))]

    def value(self, value: Value) -> int:
        return self.builder.values[value]

    def scope(self, path: str, cls: str, parent: int = -1, call: int = 0) -> int:
        key = f"L__self__{path}" + (f"@{call}" if call else "")
        return self.builder.scopes[Scope(parent, key, path, cls, call)]

    def trace(self, line: int, code: str) -> int:
        return self.builder.traces[(self.builder.frames[Frame("model.py", line, "forward", code)],)]

    def add(
        self, graph: GraphBuilder, name: str, op: str, target: Target, args: tuple[Arg, ...] = (), **more: int
    ) -> int:
        """Add a node; a NodeArg's `at` is given as the position in the graph, and is translated."""
        inputs: list[int] = []

        def local(arg: Arg) -> Arg:
            if isinstance(arg, NodeArg):
                inputs.append(arg.at)
                return NodeArg(len(inputs) - 1)
            if isinstance(arg, SequenceArg):
                return SequenceArg(arg.type, tuple(map(local, arg.items)))
            return arg

        call = self.builder.calls[Call(tuple(map(local, args)))]
        return graph.add(name, OP_NUMBER[op], self.builder.targets[target], inputs, call, **more)

    def input(self, graph: GraphBuilder, name: str, value: int) -> int:
        return self.add(graph, name, "placeholder", Target(TargetType.INPUT, name), value=value)

    def output(self, graph: GraphBuilder, *positions: int) -> int:
        items = tuple(NodeArg(position) for position in positions)
        return self.add(
            graph, "output", "output", Target(TargetType.OUTPUT, "output"), (SequenceArg("tuple", items),)
        )

    def finish(self, graph: GraphBuilder, **record: object) -> Snapshot:
        method = MethodRecord("forward", graph.number, Dialect.ATEN, **record)  # type: ignore[arg-type]
        self.builder.method(method, MethodDetail())
        return self.builder.finish()


def aten(name: str, overload: str = "default") -> Target:
    return Target(
        TargetType.OP, f"torch.ops.aten.{name}.{overload}", "aten", name, overload, f"aten::{name}(...)"
    )


def higher_order(name: str) -> Target:
    return Target(TargetType.HIGHER_ORDER, f"torch.ops.higher_order.{name}", "higher_order", name)


def tensor_arg(name: str) -> Argument:
    return Argument(ArgumentType.TENSOR, name)


@functools.cache
def sample() -> Snapshot:
    make = Maker()
    flat, weight = make.tensor("s0", 4), make.tensor(4, 4)
    root = make.scope("", "models.Net")
    first, second = (make.scope("fc", "torch.nn.modules.linear.Linear", root, call) for call in (0, 1))
    graph = make.builder.graph("forward")
    w = make.input(graph, "p_fc_weight", weight)
    steps = make.input(graph, "b_steps", make.tensor())
    x, y = make.input(graph, "x", flat), make.input(graph, "input", flat)
    line = make.trace(7, "h = self.fc(x)")
    linear = make.add(
        graph,
        "linear",
        "call_function",
        aten("linear"),
        (NodeArg(x), NodeArg(w)),
        value=flat,
        scope=first,
        trace=line,
    )
    again = make.trace(8, "h = self.fc(h) + input")
    twice = make.add(
        graph, "linear_1", "call_function", aten("linear"), (NodeArg(linear), NodeArg(w)),
        value=flat, scope=second, trace=again,
    )  # fmt: skip
    total = make.add(
        graph, "add", "call_function", aten("add", "Tensor"), (NodeArg(twice), NodeArg(y)),
        value=flat, scope=root, trace=again,
    )  # fmt: skip
    one = Literal(LiteralType.INT, "1")
    count = make.add(
        graph,
        "add_1",
        "call_function",
        aten("add", "Tensor"),
        (NodeArg(steps), one),
        value=make.tensor(),
        scope=root,
    )
    true = make.add(
        graph, "true_graph_0", "get_attr", Target(TargetType.ATTRIBUTE, "true_graph_0"), scope=root
    )
    backend = make.add(graph, "lowered_0", "get_attr", Target(TargetType.ATTRIBUTE, "lowered_0"), scope=root)
    both = make.value(SequenceValue("tuple", (TensorValue("float32", ("s0", 4), (1, 1)),)))
    cond = make.add(
        graph, "cond", "call_function", higher_order("cond"),
        (NodeArg(total), NodeArg(true), NodeArg(backend), SequenceArg("list", (NodeArg(total),))),
        value=both, scope=root, trace=make.trace(9, "return torch.cond(h > 0, f, g, (h,))"),
    )  # fmt: skip
    getitem = make.add(
        graph, "getitem", "call_function", GETITEM,
        (NodeArg(cond), Literal(LiteralType.INT, "0")), value=flat, scope=root,
    )  # fmt: skip
    make.output(graph, count, getitem)
    graph.holds(true, _branch(make, flat))
    graph.holds(backend, _delegate(make, flat))
    graph.signature = Signature(
        (
            InputSpec(InputKind.PARAMETER, tensor_arg("p_fc_weight"), "fc.weight"),
            InputSpec(InputKind.BUFFER, tensor_arg("b_steps"), "steps", True),
            InputSpec(InputKind.USER_INPUT, tensor_arg("x"), path='batch["x"]'),
            InputSpec(InputKind.USER_INPUT, tensor_arg("input"), path="input"),
        ),
        (
            OutputSpec(OutputKind.BUFFER_MUTATION, tensor_arg("add_1"), "steps"),
            OutputSpec(OutputKind.USER_OUTPUT, tensor_arg("getitem"), path="output"),
        ),
    )
    make.builder.notice("source", "A source file was not there.")
    make.builder.notice("source", "A source file was not there.")
    return make.finish(
        graph,
        state=(
            StateEntry("fc.weight", StateKind.PARAMETER, weight, 64, 0),
            StateEntry("tied.weight", StateKind.PARAMETER, weight, 64, 0),
            StateEntry("steps", StateKind.BUFFER, make.tensor(), 4, 1),
        ),
        symbols=(Symbol("s0", "int", True, "0", "int_oo", "8", "batch", (SymbolBinding("x", "size()[0]"),)),),
        ranges=(Range("s0", "0", "int_oo"),),
    )


def _branch(make: Maker, value: int) -> int:
    graph = make.builder.graph("true_graph_0", "subgraph", 0)
    x = make.input(graph, "x", value)
    sin = make.add(graph, "sin", "call_function", aten("sin"), (NodeArg(x),), value=value)
    make.output(graph, sin)
    return graph.number


def _delegate(make: Maker, value: int) -> int:
    graph = make.builder.graph("lowered_0", "delegate", 0)
    graph.delegate = Delegate("XnnpackBackend", 2048)
    x = make.input(graph, "x", value)
    cos = make.add(graph, "cos", "call_function", aten("cos"), (NodeArg(x),), value=value)
    make.output(graph, cos)
    return graph.number


@functools.cache
def chain(length: int, scoped: bool = True) -> Snapshot:
    """A `fresh_chain` that all tests of a process share."""
    return fresh_chain(length, scoped)


def fresh_chain(length: int, scoped: bool = True) -> Snapshot:
    """x → relu → relu → …: `length` calls, in equal modules of ten calls each; nothing is indexed yet."""
    make = Maker("chain")
    value = make.tensor(8)
    graph = make.builder.graph("forward")
    at = make.input(graph, "x", value)
    root = make.scope("", "models.Deep") if scoped else -1
    for number in range(length):
        scope = make.scope(f"layers.{number // 10}", "models.Layer", root) if scoped else -1
        at = make.add(
            graph, f"relu_{number}", "call_function", aten("relu"), (NodeArg(at),), value=value, scope=scope
        )
    make.output(graph, at)
    return make.finish(graph)


@functools.cache
def taken(states: int) -> Snapshot:
    """A backend took a module with so many buffers; the call that reads them all is in no module itself."""
    make = Maker("taken")
    value = make.tensor(8)
    scope = make.scope("layer", "models.Layer", make.scope("", "models.Net"))
    names = [f"b_{number}" for number in range(states)]
    graph = make.builder.graph("forward")
    held = [make.input(graph, name, value) for name in names]
    lowered = make.add(graph, "lowered_0", "get_attr", Target(TargetType.ATTRIBUTE, "lowered_0"))
    args = tuple(map(NodeArg, (lowered, *held)))
    call = make.add(
        graph, "call", "call_function", higher_order("executorch_call_delegate"), args, value=value
    )
    item = make.add(graph, "getitem", "call_function", GETITEM, (NodeArg(call),), value=value)
    make.output(graph, item)
    inner = make.builder.graph("lowered_0", "delegate", 0)
    inner.delegate = Delegate("XnnpackBackend", 2048)
    given = tuple(NodeArg(make.input(inner, name, value)) for name in names)
    stack = make.add(inner, "stack", "call_function", aten("stack"), given, value=value, scope=scope)
    make.output(inner, stack)
    graph.holds(lowered, inner.number)
    graph.signature = Signature(
        tuple(InputSpec(InputKind.BUFFER, tensor_arg(name), f"layer.{name}", True) for name in names),
        (OutputSpec(OutputKind.USER_OUTPUT, tensor_arg("getitem"), path="output"),),
    )
    return make.finish(graph)


@functools.cache
def hostile() -> Snapshot:
    """A program whose every name would be markup, an escape or a line end."""
    make = Maker(HOSTILE)
    value = make.tensor(HOSTILE)
    graph = make.builder.graph("forward")
    scope = make.scope(HOSTILE, HOSTILE)
    x = make.input(graph, HOSTILE, value)
    target = Target(TargetType.FUNCTION, HOSTILE, HOSTILE, HOSTILE)
    text = Literal(LiteralType.STR, HOSTILE)
    node = make.add(
        graph, f"<{HOSTILE}>", "call_function", target, (NodeArg(x), text),
        value=value, scope=scope, trace=make.trace(1, HOSTILE),
    )  # fmt: skip
    make.output(graph, node)
    make.builder.notice(HOSTILE, HOSTILE)
    return make.finish(graph)


def main_graph(snapshot: Snapshot) -> Graph:
    return snapshot.method.graph
