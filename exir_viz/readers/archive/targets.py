"""The text of a call's target in the file → Target. A name is only split, never looked up or imported."""

from __future__ import annotations

from typing import Final

from exir_viz.snapshot.records import Target, TargetType

_OPS: Final = "torch.ops."
_HIGHER_ORDER: Final = "torch.ops.higher_order."
# How ExecuTorch's own serialiser spells the ops of its dialects; and how they print, and torch spells them.
_EDGE: Final = "executorch.exir.dialects.edge.ops."
_EDGE_PRINTED: Final = "executorch.exir.dialects.edge._ops."
# The same for calls that allocate memory for an output.
_MEMORY: Final = "memory."
_MEMORY_PRINTED: Final = "executorch.exir.memory."


def call_target(text: str) -> Target:
    """What a call_function node calls, as FX prints it."""
    if text.startswith(_HIGHER_ORDER):
        return Target(TargetType.HIGHER_ORDER, text, "higher_order", text.removeprefix(_HIGHER_ORDER))
    if text.startswith(_OPS):
        return _operator(text, text.removeprefix(_OPS))
    if text.startswith(_EDGE):
        return _operator(_EDGE_PRINTED + text.removeprefix(_EDGE), text.removeprefix(_EDGE))
    if text.startswith(_EDGE_PRINTED):
        return _operator(text, text.removeprefix(_EDGE_PRINTED))
    if text.startswith(_MEMORY):
        text = _MEMORY_PRINTED + text.removeprefix(_MEMORY)
    text = text.removeprefix("_") if text.startswith("_operator.") else text
    namespace, _, name = text.rpartition(".")
    kind = TargetType.BUILTIN if namespace in ("operator", "builtins", "math") else TargetType.FUNCTION
    return Target(kind, text, namespace, name)


def is_symbolic(text: str) -> bool:
    """Whether it computes on symbolic numbers alone: its arguments are positional and it has one output."""
    return text.startswith(("_operator.", "math.", "torch.sym_")) or text == "torch.ops.aten.item.default"


def plain_name(target: Target) -> str:
    """The name that FX makes a node's name of, where the file gives none: "add.Tensor", "cond"."""
    return f"{target.name}.{target.overload}" if target.overload else target.name


def _operator(text: str, path: str) -> Target:
    namespace, _, rest = path.partition(".")
    name, _, overload = rest.partition(".")
    return Target(TargetType.OP, text, namespace, name, overload)
