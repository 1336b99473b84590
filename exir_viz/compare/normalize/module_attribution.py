"""The module calls that each node is attributed to: one rule for counts, lists and frames.

A node is attributed to the module where its cost counts (see `snapshot.module_attribution`). State without a
module is attributed to every module call that reads it, else to the module in its name, and everything else
to the whole model. A module call without nodes does not count.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.graph import Graph
from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.module_attribution import owner_of
from exir_viz.snapshot.program import InputKind
from exir_viz.snapshot.records import Scope
from exir_viz.snapshot.rollup import module_path

STATE = frozenset({InputKind.PARAMETER, InputKind.BUFFER, InputKind.CONSTANT_TENSOR, InputKind.CUSTOM_OBJ})


class ModuleAttribution:
    """The attribution in one Snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._wholes: dict[int, tuple[int, ...]] = {}

    def of(self, node: Node) -> tuple[int, ...]:
        """The numbers of the innermost module calls; none if there is no call of the whole model."""
        if _is_state(node):
            own = node.graph.columns.scopes[node.position]
            owners = (own,) if own != NONE else _read_in(node) or self._named(node)
        else:
            owners = (owner,) if (owner := owner_of(node)) != NONE else ()
        return owners or self.whole(node.graph)

    def whole(self, graph: Graph) -> tuple[int, ...]:
        """The call of the whole model around a graph; else any."""
        while graph.parent is not None:
            graph = graph.parent
        if graph.number not in self._wholes:
            called = outermost((graph,))
            own = [at for at in self._roots if at in called]
            self._wholes[graph.number] = tuple((own or self._roots)[:1])
        return self._wholes[graph.number]

    @cached_property
    def _roots(self) -> list[int]:
        scopes = self._snapshot.scopes
        return [at for at in sorted(self.called) if is_whole(scopes[at])]

    @cached_property
    def called(self) -> set[int]:
        """The module calls that contain a node, or a submodule call that does."""
        scopes = self._snapshot.scopes
        found: set[int] = set()
        for graph in self._snapshot.graphs:
            found.update(graph.columns.scopes)
        found.discard(NONE)
        for at in range(len(scopes) - 1, -1, -1):
            if at in found and scopes[at].parent != NONE:
                found.add(scopes[at].parent)
        return found

    def _named(self, node: Node) -> tuple[int, ...]:
        """The first call of the innermost module whose name is a prefix of the state's name, except the whole
        model.
        """
        path = index_of(node.graph).states.get(node.position) or node.target.text
        while path := path.rpartition(".")[0]:
            if path in self._by_path:
                return (self._by_path[path],)
        return ()

    @cached_property
    def _by_path(self) -> dict[str, int]:
        scopes = self._snapshot.scopes
        return {module_path(scopes[at].path): at for at in sorted(self.called, reverse=True)}


def _read_in(node: Node) -> tuple[int, ...]:
    scopes, readers = node.graph.columns.scopes, node.graph.user_positions(node.position)
    owners = dict.fromkeys(owner_of(node.graph[at]) if scopes[at] == NONE else scopes[at] for at in readers)
    return tuple(owner for owner in owners if owner != NONE)


def outermost(graphs: Iterable[Graph]) -> set[int]:
    """The outermost module calls of nodes of these graphs."""
    scopes = ((graph.snapshot, scope) for graph in graphs for scope in set(graph.columns.scopes) - {NONE})
    return {snapshot.scope_numbers(scope)[0] for snapshot, scope in scopes}


def is_whole(scope: Scope) -> bool:
    """Whether it is a call of the whole model."""
    return scope.parent == NONE and not module_path(scope.path)


def _is_state(node: Node) -> bool:
    """Whether it is a parameter, buffer or constant, or the name of a nested graph."""
    return node.op == "get_attr" or (
        node.op == "placeholder" and index_of(node.graph).roles[node.position] in STATE
    )
