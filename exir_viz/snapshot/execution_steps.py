"""The nodes of a method in execution order, with those of its branches and loop bodies."""

from __future__ import annotations

from typing import Final, NamedTuple

from .graph import Graph, Node

# Steps after which a body that several calls run is expanded at the first only: no real program has so many.
_MOST_STEPS: Final = 1_000_000


class GraphRun(NamedTuple):
    """A graph as one call runs it: by position, the step of a node, and the last step of what it runs."""

    graph: Graph
    first: list[int]
    last: list[int]

    def begin(self, position: int) -> int:
        """The step of the node at a position, or of the nearest one that there is."""
        return self.first[max(0, min(position, len(self.first) - 1))]

    def end(self, position: int) -> int:
        """The last step of the node at a position, with the bodies that it runs."""
        return self.last[max(0, min(position, len(self.last) - 1))]


class ExecutionSteps:
    """The nodes that a method runs, one after another; a body's nodes come right after the node that runs it.

    Delegates are not in it: a backend runs their nodes as it likes.
    """

    def __init__(self, graph: Graph) -> None:
        self.nodes: list[Node] = []
        self.runs: list[GraphRun] = []
        self._expanded: set[int] = set()
        self._walk(graph)

    def __len__(self) -> int:
        return len(self.nodes)

    def _walk(self, graph: Graph) -> None:
        run = GraphRun(graph, [], [])
        self.runs.append(run)
        self._expanded.add(graph.number)
        bodies: dict[int, list[Graph]] = {}
        for ref in graph.columns.subgraphs:
            body = graph.snapshot.graphs[ref.graph]
            if body.delegate is None:
                runner = ref.node if graph[ref.node].op != "get_attr" else _first_user(graph, ref.node)
                bodies.setdefault(runner, []).append(body)
        for node in graph:
            run.first.append(len(self.nodes))
            self.nodes.append(node)
            for body in bodies.get(node.position, ()):
                if body.number not in self._expanded or len(self.nodes) < _MOST_STEPS:
                    self._walk(body)
            run.last.append(len(self.nodes) - 1)


def _first_user(graph: Graph, position: int) -> int:
    return next(iter(graph.user_positions(position)), position)
