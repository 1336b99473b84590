"""How FX prints and names nodes.

Why: a Snapshot shows a target as `graph.print_tabular()` and the generated code do, so that text can be
searched in both. The functions that print targets are private; without them a plainer text is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .features import Feature

if TYPE_CHECKING:
    from torch import fx

FEATURE: Final = Feature(
    name="node_text",
    purpose="Write targets of nodes as FX prints them; name the inputs of a preview",
    without="Targets are not written as FX prints them, and previews do not name their inputs.",
    uses=(
        "torch.fx.Node._pretty_print_target(target)",
        "torch.fx.Node._rename(self, candidate)",
        "torch.fx.node._get_qualified_name(func)",
        "torch.fx.traceback.NodeSource._get_action_string(self)",
    ),
)


def target_text(node: fx.Node) -> str:
    """The target of a node as text: "torch.ops.aten.add.Tensor", "operator.getitem"."""
    if FEATURE.is_usable():
        return str(node._pretty_print_target(node.target))
    return function_text(node.target)


def function_text(function: Any) -> str:
    """The full name of a function or operator."""
    if FEATURE.is_usable():
        from torch.fx.node import _get_qualified_name

        return _get_qualified_name(function)
    if callable(getattr(function, "name", None)):
        return f"torch.ops.{function}"
    module = str(getattr(function, "__module__", "")).replace("_operator", "operator")
    return f"{module}.{getattr(function, '__name__', type(function).__name__)}"


def rename(node: fx.Node, name: str) -> None:
    """Rename a node."""
    if FEATURE.is_usable():
        node._rename(name)


def action_text(source: Any) -> str:
    """What a pass did to create a node, from one entry of its `from_node`: "create", "replace+create"."""
    if FEATURE.is_usable():
        return str(source._get_action_string())
    return "+".join(action.name.lower() for action in source.action)
