"""Operators: their classes, their schemas, and the ATen operator behind an edge operator.

Why: a node's target is an OpOverload, which no public module of torch names; its schema, its overload's name,
and what an edge operator wraps are private attributes. The classes are taken from operators that are public.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import torch

from .features import Feature

if TYPE_CHECKING:
    from torch._ops import HigherOrderOperator, OpOverload, OpOverloadPacket
else:
    OpOverload = type(torch.ops.aten.add.Tensor)
    OpOverloadPacket = type(torch.ops.aten.add)
    # The class of cond derives from the class of all higher-order operators.
    HigherOrderOperator = next(
        one for one in type(torch.ops.higher_order.cond).__mro__ if one.__module__ == OpOverload.__module__
    )

__all__ = [
    "FEATURE",
    "HigherOrderOperator",
    "OpOverload",
    "OpOverloadPacket",
    "arguments_of",
    "aten_operator",
    "aten_schema_of",
    "is_mutable",
    "is_operator",
    "is_random_operator",
    "overload_name",
    "returns_of",
    "schema_name",
    "schema_of",
    "wrapped",
]

FEATURE: Final = Feature(
    name="operators",
    purpose="Read the schemas of operators, and the ATen operator behind an edge operator",
    without="Operators have no schema: their effects and dtype rules are unknown.",
    uses=("torch.ops.aten.add.Tensor._schema.arguments", "torch.ops.aten.add.Tensor._overloadname"),
    attributes=(
        "torch._ops.OpOverload",
        "torch._ops.OpOverloadPacket",
        "torch._ops.HigherOrderOperator",
        "torch.ops.aten.add.Tensor._op",
        "executorch.exir.dialects.edge._ops.EdgeOpOverload._op",
        "executorch.exir.dialects.edge._ops.EdgeOpOverload._schema",
    ),
)


def is_operator(value: object) -> bool:
    """Whether its class is one of torch's own operator classes, not a subclass."""
    return type(value).__module__ == OpOverload.__module__


def schema_of(target: Any) -> Any:
    """The schema of an operator of any dialect; None for anything else."""
    found = getattr(target, "_schema", None)
    if found is None and isinstance(target, OpOverload):
        FEATURE.left_out(f"{type(target).__name__}._schema is absent")
    return found


def aten_schema_of(target: Any) -> torch.FunctionSchema | None:
    """The schema of the ATen operator that a target is or wraps; None without one."""
    schema = getattr(wrapped(target), "_schema", None) or schema_of(target)
    return schema if isinstance(schema, torch.FunctionSchema) else None


def arguments_of(op: OpOverload) -> Sequence[Any]:
    """The arguments of an operator's schema."""
    schema = schema_of(op)
    return () if schema is None else schema.arguments


def returns_of(op: OpOverload) -> Sequence[Any]:
    """What an operator returns, by its schema."""
    schema = schema_of(op)
    return () if schema is None else schema.returns


def is_mutable(op: OpOverload) -> bool:
    """Whether an operator writes to an argument, according to its schema."""
    schema = schema_of(op)
    return schema is not None and bool(schema.is_mutable)


def is_random_operator(op: OpOverload) -> bool:
    """Whether an operator draws random numbers, according to its tags. Dropout does only while training."""
    return torch.Tag.nondeterministic_seeded in op.tags


def schema_name(op: OpOverload) -> str:
    """The name without the overload, "aten::add"."""
    return str(op.name()).partition(".")[0]  # type: ignore[no-untyped-call]


def overload_name(op: OpOverload) -> str:
    """The name of the overload: "Tensor", "default"."""
    return str(op.name()).partition(".")[2] or "default"  # type: ignore[no-untyped-call]


def wrapped(target: Any) -> Any:
    """What an edge operator wraps; for an ATen operator its dispatcher entry; else the target."""
    return getattr(target, "_op", target)


def aten_operator(target: Any) -> OpOverload | None:
    """The ATen operator that a target is, or that an edge operator wraps; None for anything else."""
    for one in (target, wrapped(target)):
        if isinstance(one, OpOverload):
            return one
    return None
