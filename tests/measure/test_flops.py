"""FLOPs by node are those of a calculation by hand, at every stage, and torch's own where it has a rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode

import exir_viz

attention = functional.scaled_dot_product_attention
X = torch.randn(2, 8, 16, 16)
A, B = torch.randn(3, 4, 5), torch.randn(3, 5, 6)
Q, KV = torch.randn(2, 4, 8, 16), torch.randn(2, 2, 8, 16)
ROWS = torch.randn(7, 3, 5)

Call = Callable[..., object]
# A module or a function, its inputs, and its multiplications. torch has a rule for the first group.
COUNTED: dict[str, tuple[Call, tuple[torch.Tensor, ...], int]] = {
    "conv": (nn.Conv2d(8, 12, 3), (X,), 2 * 12 * 14 * 14 * 8 * 9),
    "conv_groups": (nn.Conv2d(8, 12, 3, groups=4), (X,), 2 * 12 * 14 * 14 * 2 * 9),
    "conv_dilated": (nn.Conv2d(8, 12, 3, stride=2, dilation=2, padding=1), (X,), 2 * 12 * 7 * 7 * 8 * 9),
    "conv_transposed": (nn.ConvTranspose2d(8, 12, 3, stride=2), (X,), 2 * 16 * 16 * 8 * 12 * 9),
    "conv_transposed_groups": (nn.ConvTranspose2d(8, 12, 3, groups=4), (X,), 2 * 16 * 16 * 8 * 3 * 9),
    "conv1d_unbatched": (nn.Conv1d(8, 12, 3), (X[0, 0, :8],), 12 * 14 * 8 * 3),
    "linear": (nn.Linear(5, 6), (A,), 3 * 4 * 5 * 6),
    "linear_of_a_vector": (nn.Linear(5, 6), (A[0, 0],), 5 * 6),
    "bmm": (torch.bmm, (A, B), 3 * 4 * 5 * 6),
    "addmm": (lambda a, b: torch.addmm(torch.ones(6), a, b), (A[0], B[0]), 4 * 5 * 6),
    "einsum": (lambda a, b: torch.einsum("bij,bjk->bik", a, b), (A, B), 3 * 4 * 5 * 6),
    "gru": (nn.GRU(5, 6), (ROWS,), 7 * 3 * 3 * 6 * (5 + 6)),
    "lstm_with_a_projection": (nn.LSTM(5, 6, proj_size=3), (ROWS,), 7 * 3 * (4 * 6 * (5 + 3) + 6 * 3)),
}
ADDED: dict[str, tuple[Call, tuple[torch.Tensor, ...], int]] = {
    "attention": (lambda q: attention(q, q, q), (Q,), 2 * 2 * 4 * 8 * 8 * 16),
    "attention_causal": (lambda q: attention(q, q, q, is_causal=True), (Q,), 2 * 2 * 4 * 8 * 8 * 16),
    "attention_grouped": (lambda q, k: attention(q, k, k, enable_gqa=True), (Q, KV), 2 * 2 * 4 * 8 * 8 * 16),
    "attention_to_fewer_keys": (lambda q, k: attention(q, k, k), (Q, Q[:, :, :3]), 2 * 2 * 4 * 8 * 3 * 16),
    "mv": (torch.mv, (A[0], B[0, :, 0]), 4 * 5),
    "matmul_with_a_vector": (torch.matmul, (A, B[0, :, 0]), 3 * 4 * 5),
    "dot": (torch.dot, (A[0, 0], B[0, :, 0]), 5),
    "vdot": (torch.vdot, (A[0, 0], B[0, :, 0]), 5),
    "addmv": (lambda a, b: torch.addmv(torch.ones(4), a, b), (A[0], B[0, :, 0]), 4 * 5),
    "addbmm": (lambda a, b: torch.addbmm(torch.ones(4, 6), a, b), (A, B), 3 * 4 * 5 * 6),
    "int_mm": (torch._int_mm, (torch.ones(32, 16).char(), torch.ones(16, 8).char()), 32 * 16 * 8),
    "lstm": (nn.LSTM(5, 6), (ROWS,), 7 * 3 * 4 * 6 * (5 + 6)),
    "lstm_both_ways": (
        nn.LSTM(5, 6, num_layers=2, bidirectional=True, batch_first=True),
        (ROWS,),
        2 * 7 * 3 * 4 * 6 * (5 + 6) + 2 * 7 * 3 * 4 * 6 * (12 + 6),
    ),
}  # fmt: skip
# Core ATen has pointwise products and sums instead.
NOT_OF_CORE = ("mv", "matmul_with_a_vector", "dot", "vdot")


class Calls(nn.Module):
    def __init__(self, call: Call) -> None:
        super().__init__()
        self.call = call

    def forward(self, *inputs: torch.Tensor) -> object:
        return self.call(*inputs)


def _flops(program: torch.export.ExportedProgram, inputs: tuple[Any, ...]) -> int:
    return sum(cost.flops or 0 for cost in exir_viz.profile(program, inputs, repeats=1, warmup=1))


@pytest.mark.parametrize("name", COUNTED | ADDED)
def test_flops_are_twice_the_multiplications(name: str) -> None:
    call, inputs, products = (COUNTED | ADDED)[name]
    program = torch.export.export(Calls(call).eval(), inputs)
    assert _flops(program, inputs) == 2 * products
    in_core = _flops(program.run_decompositions(), inputs)
    assert in_core == (0 if name in NOT_OF_CORE else 2 * products)


@pytest.mark.parametrize("name", COUNTED)
def test_torch_counts_the_same(name: str) -> None:
    call, inputs, products = COUNTED[name]
    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        call(*inputs)
    assert counter.get_total_flops() == 2 * products


def test_what_is_no_matrix_product_has_no_count() -> None:
    inputs = (torch.randn(4, 5), torch.tensor([1, 3]))
    program = torch.export.export(Calls(lambda x, at: torch.relu(x[at]).softmax(1).sum()), inputs)
    costs = list(exir_viz.profile(program, inputs, repeats=1))
    assert [cost.flops for cost in costs] == [None] * 4
    assert [cost.intensity for cost in costs] == [None] * 4
