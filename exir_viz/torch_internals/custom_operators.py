"""Operators of other libraries: the file that registered them, and the Python function that implements them.

Why: a process that measures a program must import the module that registers its operators, and the docstring
of an operator is that of its implementation. Both are private in torch.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from .features import Feature

FEATURE: Final = Feature(
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
    if not FEATURE.is_usable():
        return
    import torch

    for found in _REGISTERED_AT.finditer(torch._C._dispatch_dump(name)):
        yield found["file"]


def implementation_of(name: str) -> Any:
    """The function behind an operator made by torch.library.custom_op; None for other operators."""
    if not FEATURE.is_usable():
        return None
    from torch._library import custom_ops

    return getattr(custom_ops.OPDEFS.get(name), "_init_fn", None)


def python_kernels(op: Any) -> tuple[Any, ...]:
    """The kernels of an operator that are written in Python."""
    return tuple(getattr(op, "py_kernels", {}).values())


def primitive(name: str) -> Any:
    """torch's primitive with a name ("broadcast_in_dim"); None without one."""
    if not FEATURE.is_usable():
        return None
    import torch._prims as prims

    return getattr(prims, name, None)
