"""Instructions of a `.pte` → the nodes that they are: a node's debug handle is its instruction's number."""

from __future__ import annotations

from exir_viz.snapshot import Node
from exir_viz.snapshot.snapshot import Method


def by_instruction(method: Method) -> dict[int, Node]:
    """By number, the node that is called there."""
    found: dict[int, Node] = {}
    for graph in method.graphs():
        for node in graph:
            if node.debug_handle is not None and node.op == "call_function":
                found.setdefault(node.debug_handle, node)
    return found
