"""node.target → Target: what a node calls, as FX prints it, with its schema where it has one."""

from __future__ import annotations

from typing import Any

import torch
from torch import fx

from exir_viz.snapshot.build import Interner
from exir_viz.snapshot.records import Target, TargetType

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
    text: str = node._pretty_print_target(target)
    if isinstance(target, torch._ops.OpOverload):
        return _operator(TargetType.OP, text, target)
    if isinstance(target, torch._ops.HigherOrderOperator):
        return Target(TargetType.HIGHER_ORDER, text, "higher_order", str(target._name))
    # An edge operator wraps the ATen operator it specialises.
    inner = getattr(target, "_op", None)
    if isinstance(inner, torch._ops.OpOverload):
        return _operator(TargetType.OP, text, inner)
    module = getattr(target, "__module__", "") or ""
    kind = TargetType.BUILTIN if module in ("_operator", "builtins", "math") else TargetType.FUNCTION
    namespace, _, name = text.rpartition(".")
    return Target(kind, text, namespace, name)


def _operator(kind: TargetType, text: str, op: torch._ops.OpOverload) -> Target:
    namespace, _, name = op._schema.name.partition("::")
    return Target(kind, text, namespace, name, op._overloadname, str(op._schema))
