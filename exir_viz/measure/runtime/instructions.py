"""Instructions of a `.pte` → the nodes that they are, and the graphs that a node runs.

The debug handle of a node that is an instruction is the instruction's number.
Not so within a delegate, whose nodes keep the debug handles that they had before.
"""

from __future__ import annotations

from collections.abc import Sequence

from exir_viz.snapshot import Graph, Node
from exir_viz.snapshot.opkind import is_instruction
from exir_viz.snapshot.snapshot import Method


def by_instruction(method: Method) -> dict[int, Node]:
    """By number, the node that is called there."""
    found: dict[int, Node] = {}
    for graph in method.graphs():
        if is_delegated(graph):
            continue
        for node in graph:
            if node.debug_handle is not None and is_instruction(node.target):
                found.setdefault(node.debug_handle, node)
    return found


def is_delegated(graph: Graph | None) -> bool:
    """Is it what a backend took, or nested in that?"""
    return graph is not None and (graph.delegate is not None or is_delegated(graph.parent))


def held(node: Node) -> Sequence[Graph]:
    """The graphs of a delegate, a branch or a loop; its call holds them, or the attributes given to it do."""
    return node.subgraphs or [graph for one in node.inputs for graph in one.subgraphs]
