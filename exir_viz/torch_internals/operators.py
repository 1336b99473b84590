"""Operators: their schemas, names, kernels and registrations."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

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

# Operators: their classes, their schemas, and the ATen operator behind an edge operator.
#
# Why: a node's target is an OpOverload, which no public module of torch names; its schema, its overload's
# name, and what an edge operator wraps are private attributes. The classes are taken from operators that
# are public.

__all__ = ["HigherOrderOperator", "OpOverload", "OpOverloadPacket"]

OPERATORS: Final = Feature(
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
        OPERATORS.left_out(f"{type(target).__name__}._schema is absent")
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


# The names of all operators of the dispatcher.
#
# Why: `explain` suggests operators for a misspelled name, and checks which overloads exist.

OPERATOR_NAMES: Final = Feature(
    name="operator_names",
    purpose="Suggest operators for a name that is unknown",
    without="Unknown operator names come without suggestions.",
    uses=("torch._C._dispatch_get_all_op_names",),
)


def all_operator_names() -> frozenset[str]:
    """Every name, such as "aten::add.Tensor"; none if torch does not expose them."""
    if not OPERATOR_NAMES.is_usable():
        return frozenset()
    import torch

    return frozenset(torch._C._dispatch_get_all_op_names())


# Whether an operator is composite: made of other operators in C++, for every backend.
#
# Why: functionalization decomposes composite operators whatever the table contains, and a composite operator
# may return a view of its input. Only the dispatcher knows which operators these are.

OPERATOR_KERNELS: Final = Feature(
    name="operator_kernels",
    purpose="Mark operators that every decomposition removes; copy only state that a run may write to",
    without="Operators that every decomposition removes are not marked, and profiling copies more state.",
    uses=(
        "torch._C._dispatch_has_kernel_for_dispatch_key",
        "torch._C.DispatchKey.CompositeImplicitAutograd",
    ),
)


def has_composite_kernel(name: str) -> bool:
    """Whether the operator of this name ("aten::reshape") is composite. False if unknown."""
    if not OPERATOR_KERNELS.is_usable():
        return False
    import torch

    return bool(torch._C._dispatch_has_kernel_for_dispatch_key(name, "CompositeImplicitAutograd"))


def may_be_composite(op: OpOverload) -> bool:
    """Whether an operator may be composite, in C++ or in Python. True if unknown."""
    if not OPERATOR_KERNELS.is_usable():
        return True
    import torch

    return op.has_kernel_for_dispatch_key(torch._C.DispatchKey.CompositeImplicitAutograd)


# Operators of other libraries: the file that registered them, and the Python function that implements them.
#
# Why: a process that measures a program must import the module that registers its operators, and the
# docstring of an operator is that of its implementation. Both are private in torch.

CUSTOM_OPERATORS: Final = Feature(
    name="custom_operators",
    purpose="Find the module that registers a custom operator, and its docstring",
    without="Modules of custom operators must be named with imports=, and their docstrings are not shown.",
    uses=(
        "torch._library.custom_ops.OPDEFS.get(name)",
        "torch._library.custom_ops.CustomOpDef",
        "torch._C._dispatch_dump",
        "torch._prims",
    ),
)
_REGISTERED_AT: Final = re.compile(r"registered at (?P<file>.+?):\d+")


def registered_at(name: str) -> Iterator[str]:
    """The files that registered an operator ("mylib::op") or a kernel of it."""
    if not CUSTOM_OPERATORS.is_usable():
        return
    import torch

    for found in _REGISTERED_AT.finditer(torch._C._dispatch_dump(name)):
        yield found["file"]


def implementation_of(name: str) -> Any:
    """The function behind an operator made by torch.library.custom_op; None for other operators."""
    if not CUSTOM_OPERATORS.is_usable():
        return None
    from torch._library import custom_ops

    return getattr(custom_ops.OPDEFS.get(name), "_init_fn", None)


def python_kernels(op: Any) -> tuple[Any, ...]:
    """The kernels of an operator that are written in Python."""
    return tuple(getattr(op, "py_kernels", {}).values())


def primitive(name: str) -> Any:
    """torch's primitive with a name ("broadcast_in_dim"); None without one."""
    if not CUSTOM_OPERATORS.is_usable():
        return None
    import torch._prims as prims

    return getattr(prims, name, None)


# The version of ATen's operators, which torch writes into every file.
#
# Why: a capture of a live program keeps the same fact as a saved file.

OPSET_VERSION: Final = Feature(
    name="opset_version",
    purpose="Show the version of ATen's operators",
    without="The version of ATen's operators is not shown.",
    uses=("torch._C._get_max_operator_version",),
)


def opset_version() -> dict[str, int]:
    """The versions by namespace, as in a file; {} if torch does not expose them."""
    if not OPSET_VERSION.is_usable():
        return {}
    import torch

    return {"aten": torch._C._get_max_operator_version()}


# Operators that torch runs on a CPU, and for which its FLOP counter has no rule.
#
# Why: `scaled_dot_product_attention` has no FLOPs of its own: they are those of the kernel that it calls,
# which is another one on each device.

CPU_KERNELS: Final = Feature(
    name="cpu_kernels",
    purpose="Count the FLOPs of attention and of integer matrix products",
    without="Attention and integer matrix products have no FLOPs.",
    uses=("torch.ops.aten._scaled_dot_product_flash_attention_for_cpu", "torch.ops.aten._int_mm"),
)


class CpuKernels(NamedTuple):
    """The operators, as torch's FLOP counter takes them."""

    attention: Any
    int_mm: Any


def cpu_kernels() -> CpuKernels | None:
    """The operators; None, and a notice, if torch has others."""
    if not CPU_KERNELS.is_usable():
        return None
    aten = torch.ops.aten
    return CpuKernels(aten._scaled_dot_product_flash_attention_for_cpu, aten._int_mm)


# The class of a script object: the registered one, not its Python wrapper.
#
# Why: in Python, all objects of C++ classes registered with TorchScript are ScriptObjects.

SCRIPT_OBJECTS: Final = Feature(
    name="script_objects",
    purpose="Show the class of a TorchBind object",
    without="TorchBind objects are shown as ScriptObject, without their class.",
    uses=("torch.ScriptObject._type",),
)


def script_class(obj: torch.ScriptObject) -> str | None:
    """The qualified name of the class; None where torch does not tell."""
    return str(obj._type().qualified_name()) if SCRIPT_OBJECTS.is_usable() else None
