"""Whether an operator is composite: made of other operators in C++, for every backend.

Why: functionalization decomposes composite operators whatever the table contains, and a composite operator
may return a view of its input. Only the dispatcher knows which operators these are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .features import Feature

if TYPE_CHECKING:
    from torch._ops import OpOverload

FEATURE: Final = Feature(
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
    if not FEATURE.is_usable():
        return False
    import torch

    return bool(torch._C._dispatch_has_kernel_for_dispatch_key(name, "CompositeImplicitAutograd"))


def may_be_composite(op: OpOverload) -> bool:
    """Whether an operator may be composite, in C++ or in Python. True if unknown."""
    if not FEATURE.is_usable():
        return True
    import torch

    return op.has_kernel_for_dispatch_key(torch._C.DispatchKey.CompositeImplicitAutograd)
