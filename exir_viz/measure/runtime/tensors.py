"""Inputs for parts of a program: tensors with values that every op accepts."""

from __future__ import annotations

from collections.abc import Sequence

import torch


def filled(sizes: Sequence[int], strides: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """Random numbers around 0; integers and booleans are 0, which is a valid index."""
    made = torch.empty_strided(sizes, strides, dtype=dtype, device="cpu")
    if not (dtype.is_floating_point or dtype.is_complex):
        return made.zero_()
    # not normal_, which some small float dtypes do not have
    wide = torch.complex64 if dtype.is_complex else torch.float32
    return made.copy_(torch.randn(sizes, dtype=wide, device="cpu"))
