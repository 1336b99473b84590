"""Map instructions of a `.pte` to nodes, and nodes to their nested graphs.

The debug handle of a node that is an instruction is the instruction's number, except inside a delegate, whose
nodes keep their earlier debug handles.
"""

from __future__ import annotations

from collections.abc import Sequence

from exir_viz.snapshot import Graph, Node
from exir_viz.snapshot.index import delegate_around
from exir_viz.snapshot.opkind import is_instruction
from exir_viz.snapshot.snapshot import Method


def by_instruction(method: Method) -> dict[int, Node]:
    """The node that is called by each instruction, by number."""
    found: dict[int, Node] = {}
    for graph in method.graphs():
        if delegate_around(graph) is not None:
            continue
        for node in graph:
            if node.debug_handle is not None and is_instruction(node.target):
                found.setdefault(node.debug_handle, node)
    return found


def subgraphs_of(node: Node) -> Sequence[Graph]:
    """The graphs of a delegate, a branch or a loop: those of its call, or of the attributes passed to it."""
    return node.subgraphs or [graph for one in node.inputs for graph in one.subgraphs]
