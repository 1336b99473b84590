"""Infer modules and source lines for nodes that have none, from the nodes they serve.

torchao gives the nodes that it adds no module and often no line. A quantize node serves the value that it
quantizes, a dequantize node the operator that reads it. The node is marked, because this is inferred.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from torch import fx

# The mark in a node's meta["custom"], which torch keeps through every later step.
INFERRED: Final = "module inferred from"


def infer_modules(graph: fx.Graph) -> None:
    """Give every call without a module the module of a neighbour."""

    own = {node for node in graph.nodes if node.meta.get("nn_module_stack")}
    for node in graph.nodes:
        if node.op != "call_function" or node in own:
            continue
        neighbour = _served(node, own)
        if neighbour is None:
            continue
        node.meta["nn_module_stack"] = dict(neighbour.meta["nn_module_stack"])
        node.meta["custom"] = {**node.meta.get("custom", {}), INFERRED: neighbour.name}
        if not node.meta.get("stack_trace") and neighbour.meta.get("stack_trace"):
            node.meta["stack_trace"] = neighbour.meta["stack_trace"]


def _served(node: fx.Node, own: set[fx.Node]) -> fx.Node | None:
    """The node that this one serves: the value it quantizes if that is computed, else its user."""
    name = getattr(node.target, "__name__", "")
    source = node.all_input_nodes[0] if node.all_input_nodes else None
    if name.startswith("quantize") and source in own and source.op == "call_function":
        return source
    return _nearest(node, own, ahead=True) or _nearest(node, own, ahead=False)


def _nearest(node: fx.Node, own: set[fx.Node], *, ahead: bool) -> fx.Node | None:
    """The nearest call with a module of its own, among users or inputs."""
    waiting, seen = deque([node]), {node}
    while waiting:
        for near in waiting[0].users if ahead else waiting[0].all_input_nodes:
            if near in own and near.op == "call_function":
                return near
            if near not in seen:
                seen.add(near)
                waiting.append(near)
        waiting.popleft()
    return None
