"""Strides → dim order: which dimension is outermost in memory. Knows no torch.

The rule is torch's (`Tensor.dim_order`): dimensions by falling stride, ties in their own order. Where a stride
is symbolic its hint stands for it; without a hint the order is not known, and is not guessed.
"""

from __future__ import annotations

from collections.abc import Sequence


def dim_order(strides: Sequence[int | None]) -> tuple[int, ...] | None:
    """The order, or None where a stride is unknown (pass hints for symbolic strides)."""
    if any(stride is None for stride in strides):
        return None
    known = [stride for stride in strides if stride is not None]
    return tuple(sorted(range(len(known)), key=lambda dim: -known[dim]))
