"""Values of coarse dtypes agree within what these round; all others keep to the tolerance that is given."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import exir_viz
from exir_viz.compare.values.precision import EPSILON, QUANTIZED, least_rtol, shared_precision
from exir_viz.measure.distance import Tolerance

# Within two roundings of bfloat16, and beyond those of every finer dtype.
FACTOR = 1.005
X = torch.linspace(1, 2, 16)


class Scaled(nn.Module):
    """In a dtype of its own, then as float32, and written to a buffer; and beside it in float32 alone."""

    def __init__(self, dtype: torch.dtype, factor: float, beside: float = 1.0) -> None:
        super().__init__()
        self.dtype, self.factor, self.beside = dtype, factor, beside
        self.register_buffer("kept", torch.zeros(16))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, ...]:
        coarse = x.to(self.dtype) * self.factor
        after = coarse.to(torch.float32) + 1
        self.kept.copy_(after)
        return coarse, after, x * self.beside


def exported(dtype: torch.dtype, factor: float = 1.0, beside: float = 1.0) -> torch.export.ExportedProgram:
    return torch.export.export(Scaled(dtype, factor, beside), (X,))


REAL = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}


@pytest.mark.parametrize("name", [name for name in EPSILON if name != QUANTIZED])
def test_the_next_number_after_1_is_a_step_away(name: str) -> None:
    dtype, step = getattr(torch, REAL.get(name, name)), EPSILON[name]
    kept, rounded = (float(torch.tensor(1 + one, dtype=dtype).double()) for one in (step, step / 2))
    assert kept == 1 + step
    assert rounded in (1, 1 + step)


def test_bfloat16_agrees_within_two_roundings() -> None:
    values = exir_viz.diff(exported(torch.bfloat16), exported(torch.bfloat16, FACTOR)).values(X)
    assert values.agree
    assert not values.diverged
    assert any(row.numbers.max_abs > 1e-5 + 1e-3 * 2 for row in values.outputs)
    assert values.record.coarse == (("bfloat16", 2**-6),)
    assert "; bfloat16: 0.0156" in str(values)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64])
def test_finer_dtypes_do_not(dtype: torch.dtype) -> None:
    values = exir_viz.diff(exported(dtype), exported(dtype, FACTOR)).values(X)
    assert not values.agree
    assert [row.numbers.diverged for row in values.outputs] == [True, True, False, True]


def test_what_bfloat16_has_no_part_in_is_not_let_off() -> None:
    sides = exported(torch.bfloat16), exported(torch.bfloat16, FACTOR, beside=FACTOR)
    values = exir_viz.diff(*sides).values(X)
    assert [row.numbers.diverged for row in values.outputs] == [False, False, True, False]
    assert [one.b.target.name for one in values.origins] == ["mul"]


def test_with_rtol_0_nothing_may_round() -> None:
    sides = exported(torch.bfloat16), exported(torch.bfloat16, FACTOR)
    assert exir_viz.diff(*sides).values(X, rtol=0).agree is False
    assert Tolerance(0.0, 0.0).of("bfloat16") == Tolerance(0.0, 0.0)


def test_a_wider_tolerance_is_kept() -> None:
    assert Tolerance(0.1, 0.0).of("bfloat16") == Tolerance(0.1, 0.0)
    assert Tolerance(1e-3, 0.0).of("bfloat16") == Tolerance(least_rtol("bfloat16"), 0.0)
    assert Tolerance(1e-3, 0.0).of("int8") == Tolerance(1e-3, 0.0)


def test_a_real_model_agrees_with_what_it_decomposes_to() -> None:
    torch.manual_seed(0)
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True).eval().bfloat16()
    session = exir_viz.Session(layer, torch.randn(2, 4, 16, dtype=torch.bfloat16))
    values = exir_viz.diff(session.root, session.decompose()).values()
    assert values.agree
    assert not values.diverged, str(values)


def test_eight_bits_round_only_if_both_programs_compute_in_them() -> None:
    assert shared_precision(QUANTIZED, QUANTIZED) == QUANTIZED
    assert shared_precision(QUANTIZED, "float32") == shared_precision("float32", QUANTIZED) == "float32"
    assert shared_precision("float16", "float32") == "float16"
    wide = Tolerance(1e-3, 1e-5).of(QUANTIZED)
    assert [wide.is_exact(torch.zeros(1, dtype=dtype)) for dtype in (torch.int8, torch.int64)] == [
        False,
        True,
    ]
    assert Tolerance(1e-3, 1e-5).is_exact(torch.zeros(1, dtype=torch.int8))
