"""Views whose memory an op writes to after they are computed.

Enters: a Snapshot. Leaves: these views. Their value at the time they run is not the value that their users
read. A program without writes in place computes the view after the write instead: the two values differ
though the programs are equal.
"""

from __future__ import annotations

from collections.abc import Iterator

from exir_viz.compare.normalize.schemas import Parameter, parameters
from exir_viz.snapshot import Graph, Node, Snapshot
from exir_viz.snapshot.opkind import ITEM, op_name

# How a schema marks arguments that share memory with the result, "Tensor(a)", or are written to:
# "Tensor(a!)".
_SHARED, _WRITTEN = "(", "!"


def stale_views(snapshot: Snapshot) -> set[Node]:
    """The views that a later op of their graph writes to."""
    return {node for graph in snapshot.graphs for node in _of_graph(graph)}


def _of_graph(graph: Graph) -> Iterator[Node]:
    memory: dict[Node, frozenset[Node]] = {}  # by node: the nodes that made the memory of its value
    last_write: dict[Node, int] = {}
    views: list[Node] = []
    for node in graph:
        known = parameters(node.target) or ()
        shared = list(node.inputs[:1] if op_name(node.target) == ITEM else _passed(node, known, _SHARED))
        written = [*_passed(node, known, _WRITTEN)]
        memory[node] = frozenset().union(*(memory[one] for one in shared)) or frozenset({node})
        for one in written:
            last_write |= dict.fromkeys(memory[one], node.position)
        if shared and not written:
            views.append(node)
    for view in views:
        if any(last_write.get(one, -1) > view.position for one in memory[view]):
            yield view


def _passed(node: Node, known: tuple[Parameter, ...], mark: str) -> Iterator[Node]:
    """The nodes that are passed for the parameters with a mark in their type."""
    for at, one in enumerate(known):
        if mark in one.type:
            passed = node.args[at] if at < len(node.args) else node.kwargs.get(one.name)
            items = passed if isinstance(passed, tuple | list) else (passed,)
            yield from (item for item in items if isinstance(item, Node))
