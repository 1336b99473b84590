"""Instructions of a `.pte` → the nodes that they are, and the graphs that a node runs.

The debug handle of a node that is an instruction is the instruction's number.
Not so within a delegate, whose nodes keep the debug handles that they had before.
"""

from __future__ import annotations

from collections.abc import Sequence

from exir_viz.snapshot import Graph, Node
from exir_viz.snapshot.index import delegate_around
from exir_viz.snapshot.opkind import is_instruction
from exir_viz.snapshot.snapshot import Method


def by_instruction(method: Method) -> dict[int, Node]:
    """By number, the node that is called there."""
    found: dict[int, Node] = {}
    for graph in method.graphs():
        if delegate_around(graph) is not None:
            continue
        for node in graph:
            if node.debug_handle is not None and is_instruction(node.target):
                found.setdefault(node.debug_handle, node)
    return found


def held(node: Node) -> Sequence[Graph]:
    """The graphs of a delegate, a branch or a loop; its call holds them, or the attributes given to it do."""
    return node.subgraphs or [graph for one in node.inputs for graph in one.subgraphs]
