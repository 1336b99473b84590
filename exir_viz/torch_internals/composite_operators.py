"""Composite operators: list them, and keep them whole while one call is decomposed.

Why: a preview of one decomposed call must keep the composite operators that the rule calls, as
`run_decompositions` keeps operators that are not named. torch's functions for that are private.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

from .features import Feature

FEATURE: Final = Feature(
    name="composite_operators",
    purpose="Preview one decomposed call with all other composite operators kept whole",
    without="A preview decomposes all composite operators, not only the requested one.",
    uses=(
        "torch._export.utils._collect_all_valid_cia_ops()",
        "torch._export.utils._special_op_to_preserve_cia",
        "torch.export.exported_program._override_composite_implicit_decomp(cia_ops_to_callable)",
        "torch._dispatch.python.enable_python_dispatcher()",
    ),
)


def composite_ops() -> frozenset[Any]:
    """The composite operators that torch can keep whole on request; none if this is unknown."""
    return _collected() if FEATURE.available() is None else frozenset()


@cache
def _collected() -> frozenset[Any]:
    from torch._export.utils import _collect_all_valid_cia_ops

    return frozenset(_collect_all_valid_cia_ops())


@contextmanager
def kept_whole(but: Any) -> Iterator[None]:
    """Keep all composite operators whole except one."""
    if not FEATURE.is_usable():
        yield
        return
    from torch._dispatch.python import enable_python_dispatcher
    from torch._export.utils import _special_op_to_preserve_cia
    from torch.export.exported_program import _override_composite_implicit_decomp

    kept = dict.fromkeys(composite_ops() - {but}, _special_op_to_preserve_cia)
    with _override_composite_implicit_decomp(kept), enable_python_dispatcher():
        yield
