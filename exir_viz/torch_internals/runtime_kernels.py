"""Which kernels the installed ExecuTorch runtime has.

Why: the runtime reports a missing kernel by a number. Its list of kernels shows which operator it is.
"""

from __future__ import annotations

from typing import Final

from .features import Feature

FEATURE: Final = Feature(
    name="runtime_kernels",
    purpose="Name the operators that the installed runtime has no kernel for",
    without="Where a program does not run, the operators without a kernel are not named.",
    uses=("executorch.extension.pybindings.portable_lib._get_operator_names",),
)


def kernel_names() -> frozenset[str] | None:
    """The operators for which the runtime has a kernel; None if unknown."""
    if not FEATURE.is_usable():
        return None
    from executorch.extension.pybindings import portable_lib

    return frozenset(portable_lib._get_operator_names())
