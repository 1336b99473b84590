"""Two Snapshots side by side, numbers resolved: how a file's differs from the live program's.

What NOT_IN_ARCHIVE names is left out, and nothing else. Tables may be numbered differently; what the numbers
stand for may not.
"""

from __future__ import annotations

from typing import Any

import msgspec

from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.graph import Graph


def differences(file: Snapshot, live: Snapshot) -> list[str]:
    """Every field that differs, with both sides."""
    one, other = rows(file), rows(live)
    return [
        f"{key}: file {one.get(key)!r}, live {other.get(key)!r}"
        for key in sorted({*one, *other}, key=repr)
        if one.get(key) != other.get(key)
    ]


def rows(snapshot: Snapshot) -> dict[tuple[Any, ...], Any]:
    """Every field of a Snapshot by its place."""
    found: dict[tuple[Any, ...], Any] = {}
    for name, method in snapshot.methods.items():
        record, detail = method.record, method.detail
        for field in ("dialect", "verifiers", "symbols", "ranges", "graph"):
            found[name, field] = getattr(record, field)
        for field in ("in_spec", "out_spec", "module_calls", "guards", "opset", "arenas", "meta"):
            found[name, field] = getattr(detail, field)
        for number, entry in enumerate(record.state):
            found[name, "state", number] = (
                msgspec.structs.replace(entry, value=0),
                snapshot.values[entry.value],
            )
        examples = detail.examples
        found[name, "examples"] = examples and [(one.path, snapshot.values[one.value]) for one in examples]
        for graph in method.graphs():
            found |= {(name, *key): value for key, value in _graph(snapshot, graph).items()}
    return found


def _graph(snapshot: Snapshot, graph: Graph) -> dict[tuple[Any, ...], Any]:
    columns, detail = graph.columns, graph.detail
    where = f"graph {graph.path}"
    found: dict[tuple[Any, ...], Any] = {
        (where, "itself"): (columns.type, columns.parent, columns.subgraphs, columns.delegate, detail.meta),
        (where, "signature"): graph.signature,
    }
    for node in graph:
        origins = detail.origins[node.position]
        lists = snapshot.detail.origin_lists
        fields = {
            "name": node.name,
            "op": node.op,
            "target": msgspec.structs.replace(node.target, schema=None),
            "value": node.value,
            "inputs": node.input_positions,
            "call": node.call,
            "scopes": node.scopes,
            "frames": node.frames,
            "torch_fn": node.torch_fn,
            "source_fns": node.source_fns,
            "debug_handle": node.debug_handle,
            "specs": node.specs,
            "extras": node.extras,
            "origins": () if origins == NONE else [_origin(snapshot, one) for one in lists[origins]],
        }
        found |= {(where, node.position, field): value for field, value in fields.items()}
    return found


def _origin(snapshot: Snapshot, number: int) -> tuple[Any, ...]:
    origin = snapshot.detail.origins[number]
    parents = [_origin(snapshot, parent) for parent in origin.parents]
    return (origin.name, origin.target, origin.pass_name, origin.action, origin.graph, parents)
