"""Which nodes of a delegate each op of its payload was made from, with the evidence.

A backend writes a node's debug handle into the op that it makes of it. Where no op of a payload has one, ops
and nodes are paired in order, if there are as many of both.
"""

from __future__ import annotations

from msgspec.structs import replace

from exir_viz.snapshot.build import OP_NUMBER, GraphBuilder
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.payload import Payload

_CALL = OP_NUMBER["call_function"]


def linked(payload: Payload, graph: GraphBuilder) -> Payload:
    """The payload with its ops linked to the nodes of the delegate's graph; ops that have links keep them."""
    calls = [position for position, op in enumerate(graph.ops) if op == _CALL]
    by_handle: dict[int, list[int]] = {}
    for position in calls:
        if graph.handles[position] != NONE:
            by_handle.setdefault(graph.handles[position], []).append(position)
    has_handles = any(op.handle in by_handle for op in payload.ops)
    in_order = not has_handles and len(calls) == len(payload.ops)
    ops = []
    for number, op in enumerate(payload.ops):
        nodes: list[int] = []
        if not op.nodes and op.handle is not None:
            nodes = by_handle.get(op.handle, [])
        if nodes:
            ops.append(replace(op, nodes=tuple(nodes), evidence="debug handle"))
        elif in_order and not op.nodes:
            ops.append(replace(op, nodes=(calls[number],), evidence="order"))
        else:
            ops.append(op)
    return replace(payload, ops=tuple(ops))
