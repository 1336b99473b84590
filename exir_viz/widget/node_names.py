"""Looks up node and module names in a program. The error for a wrong name suggests similar ones."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import cached_property

from exir_viz.errors import ExirVizError
from exir_viz.options import refuse
from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.printable import one_line

_LONGEST = 80


class UnknownName(ExirVizError):
    """A name that is not in the program."""

    def __init__(self, what: str, name: str, near: Iterable[str], *, others: int = 0) -> None:
        self.name = name
        guesses = ", ".join(repr(one_line(each, _LONGEST)) for each in near)
        hint = f" Did you mean {guesses}?" if guesses else ""
        more = f" Other unknown names: {others}." if others else ""
        super().__init__(f"This program has no {what} {one_line(name, _LONGEST)!r}.{hint}{more}")


class NodeNames:
    """The nodes and modules of one Snapshot, by name."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    def node(self, node: str | Node) -> str:
        """A node's name within the whole Snapshot ("forward/mm"); a name alone is one of the method's
        graph.
        """
        found = self.find(node)
        if found is None:
            raise self.unknown("node", str(node.id if isinstance(node, Node) else node))
        return found

    def find(self, node: str | Node) -> str | None:
        """As `node`, but None if there is no such node."""
        if not isinstance(node, str | Node):
            refuse("explorer", "a node", node, "a Node, or the name of one")
        name = node.id if isinstance(node, Node) else node
        whole = f"{self.snapshot.method.graph.path}/{name}"
        return next((each for each in (name, whole) if each in self._nodes), None)

    def is_module(self, path: str) -> bool:
        """Whether it is the path of a module, or of a graph nested in a node."""
        return path in self._modules

    def has_key(self, key: str) -> bool | None:
        """Whether a view has an item with this key; None for groups without a module, which only the
        page knows.

        Keys are "forward:layers.0", "forward/true_graph_0/", "forward/cond()", "forward/mm" and "/", the top.
        """
        if "#" in key:
            return None
        if key == "/":
            return True
        if key.endswith("/"):
            return key[:-1] in self._graphs
        graph, separator, scope = key.partition(":")
        if separator and graph in self._graphs:
            return scope in self._scope_keys
        return key.removesuffix("()") in self._nodes

    def unknown(self, what: str, name: str, *, others: int = 0) -> UnknownName:
        known = [*self._nodes, *self._bare] if what == "node" else [*self._modules, *self._bare]
        return UnknownName(what, name, get_close_matches(name[:200], known, n=3), others=others)

    @cached_property
    def _nodes(self) -> frozenset[str]:
        return frozenset(
            f"{graph.path}/{name}" for graph in self.snapshot.graphs for name in graph.columns.names
        )

    @cached_property
    def _bare(self) -> tuple[str, ...]:
        return tuple(self.snapshot.method.graph.columns.names)

    @cached_property
    def _graphs(self) -> frozenset[str]:
        return frozenset(graph.path for graph in self.snapshot.graphs)

    @cached_property
    def _modules(self) -> frozenset[str]:
        methods = {method.graph.path for method in self.snapshot.methods.values()}
        paths = {scope.path for scope in self.snapshot.scopes if scope.path}
        return frozenset(paths | (self._graphs - methods))

    @cached_property
    def _scope_keys(self) -> frozenset[str]:
        return frozenset(scope.key for scope in self.snapshot.scopes)
