"""node.target → Target: what a node calls, as FX prints it, with its schema where it has one."""

from __future__ import annotations

from typing import Any

from torch import fx

from exir_viz.snapshot.build import Interner
from exir_viz.snapshot.records import Target, TargetType
from exir_viz.torch_internals.export import target_text
from exir_viz.torch_internals.operators import (
    HigherOrderOperator,
    OpOverload,
    aten_operator,
    overload_name,
    schema_name,
    schema_of,
)

_BY_OP = {
    "placeholder": TargetType.INPUT,
    "output": TargetType.OUTPUT,
    "get_attr": TargetType.ATTRIBUTE,
    "call_module": TargetType.ATTRIBUTE,
    "call_method": TargetType.METHOD,
}


class TargetReader:
    """Targets → numbers of the targets table; a callable is looked at once."""

    def __init__(self, targets: Interner[Target]) -> None:
        self._targets = targets
        self._seen: dict[Any, int] = {}

    def __call__(self, node: fx.Node) -> int:
        key = (node.op, node.target)
        number = self._seen.get(key)
        if number is None:
            number = self._seen[key] = self._targets[target_of(node)]
        return number


def target_of(node: fx.Node) -> Target:
    """The record of a node's target."""
    target: Any = node.target
    if isinstance(target, str):
        return Target(_BY_OP[node.op], target)
    text = target_text(node)
    if isinstance(target, OpOverload):
        return _operator(TargetType.OP, text, target)
    if isinstance(target, HigherOrderOperator):
        name = str(target.name())  # type: ignore[no-untyped-call]
        return Target(TargetType.HIGHER_ORDER, text, "higher_order", name)
    # An edge operator wraps the ATen operator it specialises.
    inner = aten_operator(target)
    if inner is not None:
        return _operator(TargetType.OP, text, inner)
    module = getattr(target, "__module__", "") or ""
    kind = TargetType.BUILTIN if module in ("_operator", "builtins", "math") else TargetType.FUNCTION
    namespace, _, name = text.rpartition(".")
    return Target(kind, text, namespace, name)


def _operator(kind: TargetType, text: str, op: OpOverload) -> Target:
    namespace, _, name = schema_name(op).partition("::")
    schema = schema_of(op)
    return Target(kind, text, namespace, name, overload_name(op), "" if schema is None else str(schema))
