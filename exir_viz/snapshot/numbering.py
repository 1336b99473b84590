"""Nodes of a Snapshot by number: the lengths of the graphs before a node's graph, plus its position."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from .format import plural
from .graph import Node
from .snapshot import Snapshot


class Numbering:
    """Node ↔ number, for one Snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        # By number of a graph: how many nodes the graphs before it have.
        self.starts = (0, *accumulate(len(graph) for graph in snapshot.graphs))

    def __len__(self) -> int:
        return self.starts[-1]

    def number(self, node: Node) -> int:
        """The number of a node of this Snapshot."""
        return self.starts[node.graph.number] + node.position

    def node(self, number: int) -> Node:
        """The node with a number. Raises IndexError if there is none."""
        if not 0 <= number < len(self):
            raise IndexError(f"the Snapshot has {plural(len(self), 'node')}, not one of number {number}")
        graph = bisect_right(self.starts, number) - 1
        return Node(self.snapshot.graphs[graph], number - self.starts[graph])
