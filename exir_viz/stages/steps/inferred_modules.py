"""Modules and source lines for nodes that have none, from the nodes they serve.

torchao gives the nodes that it adds no module and often no line. A quantize node serves the value that it
quantizes, a dequantize node the operator that reads it. What is lent is marked on the node: it is inferred.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from torch import fx

# In a node's meta["custom"], which torch carries through every later step: whose module this is.
INFERRED: Final = "module inferred from"


def infer_modules(graph: fx.Graph) -> None:
    """Give every call of a graph that has no module that of a neighbour."""

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
    """The node that this one is for: what it quantizes if that is computed, else what reads it."""
    name = getattr(node.target, "__name__", "")
    source = node.all_input_nodes[0] if node.all_input_nodes else None
    if name.startswith("quantize") and source in own and source.op == "call_function":
        return source
    return _nearest(node, own, ahead=True) or _nearest(node, own, ahead=False)


def _nearest(node: fx.Node, own: set[fx.Node], *, ahead: bool) -> fx.Node | None:
    """The nearest call with a module of its own, along the flow or against it."""
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
