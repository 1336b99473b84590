"""The tables of one Snapshot: one row per node, edge, value, module call, spec, symbol or op."""

from __future__ import annotations

from collections.abc import Iterator

from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.describe import dims, short, value_bytes
from exir_viz.snapshot.frames import users_frame
from exir_viz.snapshot.graph import Graph, Node
from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.opkind import op_kind, op_name
from exir_viz.snapshot.program import InputSpec, OutputSpec
from exir_viz.snapshot.records import Literal, MapValue, SequenceValue, SymValue, TensorValue, Value
from exir_viz.snapshot.rollup import scope_tree
from exir_viz.snapshot.snapshot import Method, Snapshot
from exir_viz.snapshot.symbol_names import in_user_names
from exir_viz.table import Row, Table, table


def nodes(snapshot: Snapshot) -> Table:
    """See `snapshot_frames.nodes`."""
    columns = (
        *("method", "graph", "position", "node", "op", "target", "kind", "value", "bytes", "inputs", "users"),
        *("module", "class", "call", "file", "line", "function", "code", "debug_handle"),
    )
    integers = ("position", "bytes", "inputs", "users", "call", "line", "debug_handle")
    shown = in_user_names(snapshot)
    rows = ((method.name, graph.path, *_node(node)) for method, graph in _graphs(shown) for node in graph)
    return table("tables.nodes()", rows, columns, integers=integers)


def edges(snapshot: Snapshot) -> Table:
    """See `snapshot_frames.edges`."""
    columns = ("method", "graph", "source", "target", "argument", "value", "bytes")
    return table("tables.edges()", _edges(in_user_names(snapshot)), columns, integers=("argument", "bytes"))


def values(snapshot: Snapshot) -> Table:
    """See `snapshot_frames.values`."""
    columns = (
        *("method", "graph", "node", "item", "type", "value", "dtype", "shape", "stride", "dim_order"),
        *("device", "layout", "requires_grad", "bytes", "hint"),
    )
    shown = in_user_names(snapshot)
    rows = (
        (method.name, graph.path, graph.columns.names[position], item, *_value(value))
        for method, graph in _graphs(shown)
        for position, number in enumerate(graph.columns.values)
        if number != NONE
        for item, value in _leaves(shown.values[number])
    )
    return table("tables.values()", rows, columns, integers=("bytes",), booleans=("requires_grad",))


def scopes(snapshot: Snapshot) -> Table:
    """See `snapshot_frames.scopes`."""
    columns = (
        *("method", "graph", "scope", "parent", "module", "class", "call", "depth"),
        *("own_ops", "own_parameters", "own_bytes", "total_ops", "total_parameters", "total_bytes"),
    )
    return table("tables.scopes()", _scopes(snapshot), columns, integers=("call", "depth", *columns[8:]))


def signature(snapshot: Snapshot) -> Table:
    """See `snapshot_frames.signature`."""
    columns = (
        *("method", "direction", "position", "kind", "name", "target", "path", "value", "bytes"),
        "persistent",
    )
    rows, integers = _signature(in_user_names(snapshot)), ("position", "bytes")
    return table("tables.signature()", rows, columns, integers=integers, booleans=("persistent",))


def symbols(snapshot: Snapshot) -> Table:
    """See `snapshot_frames.symbols`."""
    columns = ("method", "symbol", "type", "backed", "lower", "upper", "hint", "dim", "bound_at")
    rows = (
        (method.name, one.name, one.type, one.backed, one.lower, one.upper, one.hint, one.dim, bound)
        for method in snapshot.methods.values()
        for one in method.symbols
        for bound in [", ".join(f"{at.node}.{at.path}" if at.path else at.node for at in one.bindings)]
    )
    return table("tables.symbols()", rows, columns, booleans=("backed",))


def ops(snapshot: Snapshot) -> Table:
    """See `snapshot_frames.ops`."""
    columns = ("method", "graph", "target", "kind", "count", "schema")
    rows = (
        (
            method.name,
            graph.path,
            op_name(target),
            op_kind("call_function", target).value,
            count,
            target.schema,
        )
        for method, graph in _graphs(snapshot)
        for target, count in index_of(graph).ops.items()
    )
    return table("tables.ops()", rows, columns, integers=("count",))


def _graphs(snapshot: Snapshot) -> Iterator[tuple[Method, Graph]]:
    for method in snapshot.methods.values():
        for graph in method.graphs():
            yield method, graph


def _node(node: Node) -> Row:
    graph, position = node.graph, node.position
    index, scope, frames_ = index_of(graph), node.scope, node.frames
    start, stop = graph.input_span(position)
    value = node.value
    where = (scope.path, scope.cls, scope.call) if scope else (None, None, None)
    frame = users_frame(frames_)
    line = (frame.file, frame.line, frame.function, frame.code) if frame else (None, None, None, None)
    return (
        *(position, node.name, node.op, op_name(node.target), index.kinds[position].value),
        *(None if value is None else short(value), index.bytes[position]),
        *(stop - start, len(graph.user_positions(position)), *where, *line, node.debug_handle),
    )


def _edges(snapshot: Snapshot) -> Iterator[Row]:
    texts = [short(value) for value in snapshot.values]
    for method, graph in _graphs(snapshot):
        index, names, numbers = index_of(graph), graph.columns.names, graph.columns.values
        for position, name in enumerate(names):
            for argument, source in enumerate(index.inputs(position)):
                text = texts[numbers[source]] if numbers[source] != NONE else None
                yield (method.name, graph.path, names[source], name, argument, text, index.bytes[source])


def _leaves(value: Value, item: str = "") -> Iterator[tuple[str, Value]]:
    match value:
        case SequenceValue():
            for at, part in enumerate(value.items):
                yield from _leaves(part, f"{item}[{at}]")
        case MapValue():
            for key, part in zip(value.keys, value.items, strict=True):
                yield from _leaves(part, f"{item}[{key!r}]")
        case _:
            yield item, value


def _value(value: Value) -> Row:
    match value:
        case TensorValue():
            stride = None if value.stride is None else dims(value.stride)
            order = None if value.dim_order is None else dims(value.dim_order)
            layout = (dims(value.shape), stride, order, value.device, value.layout, value.requires_grad)
            return ("tensor", short(value), value.dtype, *layout, value_bytes(value), None)
        case SymValue():
            return ("symbol", short(value), value.type.value, *[None] * 7, value.hint)
        case Literal():
            return ("literal", short(value), value.type.value, *[None] * 8)
        case _:
            return ("object", short(value), *[None] * 9)


def _scopes(snapshot: Snapshot) -> Iterator[Row]:
    for method, graph in _graphs(snapshot):
        for count in scope_tree(graph, method.state).values():
            scope, own, total = count.scope, count.own, count.total
            parent = None if scope.parent == NONE else snapshot.scopes[scope.parent].key
            yield (
                *(method.name, graph.path, scope.key, parent, scope.path, scope.cls, scope.call, count.depth),
                *(own.ops, own.parameters, own.bytes, total.ops, total.parameters, total.bytes),
            )


def _signature(snapshot: Snapshot) -> Iterator[Row]:
    for method in snapshot.methods.values():
        for at, spec in enumerate(method.signature.inputs):
            yield (method.name, "input", at, *_spec(method.graph, spec), spec.persistent)
        for at, out in enumerate(method.signature.outputs):
            yield (method.name, "output", at, *_spec(method.graph, out), None)


def _spec(graph: Graph, spec: InputSpec | OutputSpec) -> Row:
    name, value = spec.arg.name, spec.arg.value
    content = graph[name].value if value is None and name in graph else value
    text = None if content is None else short(content)
    return (
        spec.kind.value,
        name,
        spec.target,
        spec.path,
        text,
        None if content is None else value_bytes(content),
    )
