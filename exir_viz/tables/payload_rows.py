"""The tables of payloads: one row per op, or per tensor, of what backends made of delegates."""

from __future__ import annotations

from collections.abc import Iterator

from exir_viz.snapshot.graph import Graph
from exir_viz.snapshot.payload import Payload, PayloadOp, PayloadTensor, tensor_text
from exir_viz.snapshot.placement import delegate_names
from exir_viz.snapshot.snapshot import Snapshot
from exir_viz.table import Row, Table, table


def payload_ops(snapshot: Snapshot) -> Table:
    """See `snapshot_frames.payload_ops`."""
    columns = (
        *("method", "graph", "delegate", "position", "op", "inputs", "outputs", "options", "debug_handle"),
        *("nodes", "evidence"),
    )
    rows = (
        (*where, position, *_op(graph, payload, op))
        for graph, payload, where in _payloads(snapshot)
        for position, op in enumerate(payload.ops)
    )
    return table("tables.payload_ops()", rows, columns, integers=("position", "debug_handle"))


def payload_tensors(snapshot: Snapshot) -> Table:
    """See `snapshot_frames.payload_tensors`."""
    columns = (
        *("method", "graph", "delegate", "tensor", "role", "dtype", "shape", "bytes", "key"),
        *("scheme", "scales", "zero_points", "scale_count", "axis", "block"),
    )
    rows = (
        (*where, *_tensor(tensor)) for _, payload, where in _payloads(snapshot) for tensor in payload.tensors
    )
    integers = ("bytes", "scale_count", "axis", "block")
    return table("tables.payload_tensors()", rows, columns, integers=integers)


def _payloads(snapshot: Snapshot) -> Iterator[tuple[Graph, Payload, tuple[str, str, str]]]:
    names = delegate_names(snapshot)
    for method in snapshot.methods.values():
        for graph in method.graphs():
            if graph.payload is not None and graph.number in names:
                yield graph, graph.payload, (method.name, graph.path, str(names[graph.number]))


def _op(graph: Graph, payload: Payload, op: PayloadOp) -> Row:
    inputs, outputs = (
        ", ".join(tensor_text(payload.tensors[at]) for at in numbers) for numbers in (op.inputs, op.outputs)
    )
    options = ", ".join(f"{one.name}={one.text}" for one in op.options)
    nodes = ", ".join(graph.columns.names[at] for at in op.nodes)
    return op.type, inputs, outputs, options, op.handle, nodes, op.evidence


def _tensor(tensor: PayloadTensor) -> Row:
    shape = ", ".join(map(str, tensor.shape))
    row = (tensor.name, tensor.role, tensor.dtype, shape, tensor.bytes, tensor.key)
    found = tensor.quantization
    if found is None:
        return (*row, *[None] * 6)
    scales = ", ".join(f"{scale:.6g}" for scale in found.scales)
    zero_points = ", ".join(map(str, found.zero_points))
    return (*row, found.scheme, scales, zero_points, found.count, found.axis, found.block)
