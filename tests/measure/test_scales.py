"""Integers that stand for numbers, and weights that a norm was folded into: set against the right thing."""

from __future__ import annotations

import copy

import pytest
import torch
from torch.ao.quantization.fx import _decomposed  # noqa: F401  registers the ops that quantize
from torch.export import export
from torch.nn.utils.fusion import fuse_conv_bn_eval

import exir_viz
from exir_viz.compare.values.value_pairs import FOLDED
from exir_viz.measure.distance import misfit
from exir_viz.stages.session import Session

X = torch.linspace(-1, 1, 32).reshape(4, 8)
quantized = torch.ops.quantized_decomposed


class Doubled(torch.nn.Module):
    def forward(self, x):
        return (x * 2).sin()


class Integers(torch.nn.Module):
    """The product goes on as integers, and is a number again only if asked for."""

    def __init__(self, *, is_dequantized: bool) -> None:
        super().__init__()
        self.is_dequantized = is_dequantized

    def forward(self, x):
        y = quantized.quantize_per_tensor(x * 2, 1 / 32, 3, -128, 127, torch.int8)
        if self.is_dequantized:
            return quantized.dequantize_per_tensor(y, 1 / 32, 3, -128, 127, torch.int8).sin()
        return y


@pytest.mark.parametrize("is_dequantized", [True, False])
def test_quantized_integers_are_compared_as_numbers(is_dequantized: bool) -> None:
    a, b = export(Doubled(), (X,)), export(Integers(is_dequantized=is_dequantized), (X,))
    links = [("forward/mul", f"forward/{one}", "given") for one in ("quantize_per_tensor", "mul")]
    values = exir_viz.diff(a, b, links=links).values(rtol=0.02)
    row = values.of(values.diff.a.method.graph["mul"])
    assert 0 < row.numbers.max_abs <= 1 / 32
    assert row.row.scaled is not is_dequantized
    assert row.b.name == ("dequantize_per_tensor" if is_dequantized else "quantize_per_tensor")
    assert not values.diverged
    assert values.agree is (True if is_dequantized else None)  # raw integers handed back are not compared


def test_integers_and_floats_do_not_fit() -> None:
    assert misfit([torch.ones(2)], [torch.ones(2, dtype=torch.int8)])
    assert misfit([torch.ones(2)], [torch.ones(2, dtype=torch.complex64)])
    assert not misfit([torch.ones(2, dtype=torch.bool)], [torch.ones(2, dtype=torch.int8)])
    assert not misfit([torch.ones(2, dtype=torch.bfloat16)], [torch.ones(2)])


class Normed(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm = torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8)
        for held in (self.norm.running_mean, self.norm.weight.data, self.norm.bias.data):
            held.uniform_(-2, 2)
        self.norm.running_var.uniform_(0.05, 9)

    def forward(self, x):
        return self.norm(self.conv(x)).relu()


@pytest.fixture
def normed() -> Normed:
    torch.manual_seed(0)
    return Normed().eval()


IMAGE = torch.linspace(-1, 1, 192).reshape(1, 3, 8, 8)


@pytest.mark.parametrize("is_swapped", [False, True])
def test_an_op_with_a_folded_norm_represents_both(normed: Normed, is_swapped: bool) -> None:
    fused = copy.deepcopy(normed)
    fused.conv, fused.norm = fuse_conv_bn_eval(fused.conv, fused.norm), torch.nn.Identity()
    sides = (export(normed, (IMAGE,)), export(fused, (IMAGE,)))
    values = exir_viz.diff(*(sides[::-1] if is_swapped else sides)).values()
    assert not values.diverged
    names = {frozenset((one.a.name, one.b.name)) for one in values}
    assert frozenset(("batch_norm", "conv2d")) in names
    graph = values.diff.a.method.graph
    assert values.reason(values.diff.of(graph["p_conv_weight"])) == FOLDED
    assert values.reason(values.diff.of(graph["p_conv_bias"])) == FOLDED


def test_a_norm_that_is_only_gone_is_not_folded(normed: Normed) -> None:
    without = copy.deepcopy(normed)
    without.norm = torch.nn.Identity()
    values = exir_viz.diff(export(normed, (IMAGE,)), export(without, (IMAGE,))).values()
    assert values.agree is False
    assert FOLDED not in values.record.reasons
    assert values.of(values.diff.b.method.graph["conv2d"]).a.name == "conv2d"


def test_where_no_two_numbers_can_be_compared_there_is_none() -> None:
    class Root(torch.nn.Module):
        def __init__(self, shift: float) -> None:
            super().__init__()
            self.shift = shift

        def forward(self, x):
            return (x + self.shift).sqrt()

    given = (torch.full((4,), 2.0),)
    values = exir_viz.diff(*(export(Root(shift), given) for shift in (1.0, -9.0))).values()
    numbers = values.outputs[0].numbers
    assert (numbers.max_abs, numbers.relative, numbers.unlike, numbers.diverged) == (None, None, 4, True)
    assert "4 NaN or Inf on one side, no finite pair" in str(values)
    assert values.frame["max_abs"].isna().sum() == 1
    assert "max 0" not in str(values)


@pytest.mark.nightly
def test_what_a_delegate_returns_as_integers_is_compared_as_numbers() -> None:
    class Mixed(torch.nn.Module):
        """The sum goes on to a norm that the backend does not take."""

        def __init__(self) -> None:
            super().__init__()
            self.first, self.second = torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)
            self.norm = torch.nn.LayerNorm(8)

        def forward(self, x):
            x = x + self.first(x)
            return x + self.second(self.norm(x))

    torch.manual_seed(0)
    session = Session(Mixed().eval(), X)
    values = exir_viz.diff(session.root, session.root.quantize().edge().backend("xnnpack")).values()
    integers = [one for one in values if one.b.value.dtype == "int8"]
    assert integers
    assert all(one.row.scaled and one.numbers.snr > 20 for one in integers)
    assert all(one.numbers.snr is None or one.numbers.snr > 20 for one in values)
