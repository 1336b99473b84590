"""Tensors that parts of a program are run on: of every dtype, as they lie in memory."""

from __future__ import annotations

import pytest
import torch

pytest.importorskip("executorch")

from executorch.exir.tensor import scalar_type_table

from exir_viz.measure.runtime.method_inputs import filled

# torch's own quantized kinds, which it fills in no such way, and a complex one that it calls experimental.
UNFILLED = {torch.complex32, torch.quint8, torch.qint8, torch.qint32, torch.quint4x2, torch.quint2x4}


@pytest.mark.parametrize("dtype", [one for one in scalar_type_table if one not in UNFILLED], ids=str)
def test_every_dtype_of_a_pte_is_filled(dtype: torch.dtype) -> None:
    made = filled((2, 3), (1, 2), dtype)
    assert (made.dtype, tuple(made.shape), made.stride()) == (dtype, (2, 3), (1, 2))
    wide = made.to(torch.complex64 if dtype.is_complex else torch.float32)
    is_number = dtype.is_floating_point or dtype.is_complex
    assert bool(wide.any()) == is_number
    assert wide.isfinite().all()


def test_nothing_and_a_scalar() -> None:
    assert filled((0, 3), (3, 1), torch.float32).numel() == 0
    assert filled((), (), torch.int64).item() == 0
