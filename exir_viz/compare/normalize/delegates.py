"""Delegate calls: the call itself, its inputs and its outputs.

Such nodes represent others: an input inside a delegate the call's argument, an item of the call the member
that computes it. They are no part of what an op became.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.graph import Graph
from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.opkind import ITEM


class Run(NamedTuple):
    """A call that runs a delegate, and the node that names the delegate (the call itself in a `.pte`)."""

    call: Node
    holder: Node
    inner: Graph

    def given(self) -> Iterator[tuple[Node, Node]]:
        """Inputs inside that are no state, each with the call's argument."""
        states = index_of(self.inner).states
        inputs = [node for node in self.inner if node.op == "placeholder" and node.position not in states]
        passed = [node for node in self.call.inputs if node != self.holder]
        yield from zip(inputs, passed, strict=False) if len(inputs) == len(passed) else ()

    def output_items(self) -> Iterator[tuple[Node, Node]]:
        """Items of the call, each with the member that computes it."""
        output = next((node for node in self.inner if node.op == "output"), None)
        returned = _leaves(output.args) if output is not None else []
        for user in self.call.users:
            index = user.args[1] if len(user.args) == 2 else None
            if user.target.name == ITEM and isinstance(index, int) and index < len(returned):
                yield user, returned[index]


def runs(snapshot: Snapshot) -> Iterator[Run]:
    """All of them, except inside delegates."""
    for graph in snapshot.graphs:
        if is_within(graph):
            continue
        for ref in graph.columns.subgraphs:
            inner, holder = snapshot.graphs[ref.graph], graph[ref.node]
            if inner.delegate is not None:
                calls = (holder,) if holder.op == "call_function" else holder.users
                yield from (Run(call, holder, inner) for call in calls)


def is_within(graph: Graph | None) -> bool:
    """Whether it is a delegate's graph, or nested in one."""
    while graph is not None:
        if graph.delegate is not None:
            return True
        graph = graph.parent
    return False


def running_nodes(snapshot: Snapshot) -> dict[int, str]:
    """By number: why a program has the nodes that run delegates, as a text."""
    number = Numbering(snapshot).number
    return {number(node): text for run in runs(snapshot) for node, text in _why(run)}


def _why(run: Run) -> Iterator[tuple[Node, str]]:
    delegate = run.inner.delegate
    backend = "a backend" if delegate is None else delegate.backend
    yield run.call, f"Runs the ops delegated to {backend}."
    yield from ((node, f"Input of the {backend} delegate.") for node, _ in run.given())
    yield from ((node, f"Output of the {backend} delegate.") for node, _ in run.output_items())


def _leaves(value: object) -> list[Node]:
    if isinstance(value, Node):
        return [value]
    return [leaf for item in value for leaf in _leaves(item)] if isinstance(value, list | tuple) else []
