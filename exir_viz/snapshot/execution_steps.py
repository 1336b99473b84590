"""The nodes of a method in execution order, with those of its branches and loop bodies."""

from __future__ import annotations

from .graph import Graph, Node


class ExecutionSteps:
    """The nodes that a method runs, one after another; a body's nodes come right after the node that runs it.

    Delegates are not in it: a backend runs their nodes as it likes.
    """

    def __init__(self, graph: Graph) -> None:
        self.nodes: list[Node] = []
        self.graphs: list[Graph] = []
        # By graph and position: the step of a node, and the last step of what it runs.
        self._first: dict[int, list[int]] = {}
        self._last: dict[int, list[int]] = {}
        self._walk(graph)

    def __len__(self) -> int:
        return len(self.nodes)

    def first(self, graph: Graph, position: int) -> int:
        """The step of the node at a position, or of the nearest one that there is."""
        steps = self._first[graph.number]
        return steps[max(0, min(position, len(steps) - 1))]

    def last(self, graph: Graph, position: int) -> int:
        """The last step of the node at a position, with the bodies that it runs."""
        steps = self._last[graph.number]
        return steps[max(0, min(position, len(steps) - 1))]

    def _walk(self, graph: Graph) -> None:
        self.graphs.append(graph)
        first = self._first[graph.number] = []
        last = self._last[graph.number] = []
        bodies: dict[int, list[Graph]] = {}
        for ref in graph.columns.subgraphs:
            body = graph.snapshot.graphs[ref.graph]
            if body.delegate is None and body.holder is not None:
                bodies.setdefault(body.holder.position, []).append(body)
        for node in graph:
            first.append(len(self.nodes))
            self.nodes.append(node)
            for body in bodies.get(node.position, ()):
                self._walk(body)
            last.append(len(self.nodes) - 1)
