"""Where a program calls an op, and what became that op."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.graph import Graph, Node
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.records import Origin

_FIRST = 12
_ORIGINS = 6


def uses(snapshot: Snapshot, op: str) -> tuple[int, tuple[str, ...]]:
    """How many nodes call it, in all methods and nested graphs, and the ids of the first of them."""
    found = [node.id for node in _callers(snapshot, op)]
    return len(found), tuple(found[:_FIRST])


def made_of(snapshot: Snapshot, op: str) -> dict[str, int]:
    """The ops of the first stage that became this one here, the most frequent first, by `from_node`."""
    counts: Counter[str] = Counter()
    for node in _callers(snapshot, op):
        for root in {_root(snapshot, origin).target for origin in node.origins}:
            name = root.removeprefix("torch.ops.").replace("::", ".")
            if name not in (op, "placeholder", "output", ""):
                counts[name] += 1
    return dict(counts.most_common(_ORIGINS))


def _callers(snapshot: Snapshot, op: str) -> Iterator[Node]:
    numbers = {number for number, target in enumerate(snapshot.targets) if op_name(target) == op}
    for method in snapshot.methods.values():
        for graph in method.graphs():
            yield from _of_graph(graph, numbers)


def _of_graph(graph: Graph, numbers: set[int]) -> Iterator[Node]:
    for position, target in enumerate(graph.columns.targets):
        if target in numbers:
            yield graph[position]


def _root(snapshot: Snapshot, origin: Origin) -> Origin:
    while origin.parents:
        origin = snapshot.detail.origins[origin.parents[0]]
    return origin
