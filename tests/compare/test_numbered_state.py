"""State with numbered names, and a side without modules."""

from __future__ import annotations

import torch
from torch import nn

import exir_viz

from .mutate import bare
from .test_diff import mirrored
from .test_scopes import Stack, captured


class Constants(nn.Module):
    """Adds tensors that are written in its code."""

    def __init__(self, first: int) -> None:
        super().__init__()
        self.first = first

    def forward(self, x):
        x = x.tanh() * torch.full((8, 8), 2.0)[0]
        if self.first:
            x = x.cumsum(0)[:, None] + torch.tensor([[1.0]])
            x = x[:, 0]
        return x.relu() + torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0])


def test_a_counted_name_is_no_name() -> None:
    """One more constant before shifts all numbers: constants are matched by their users."""
    a, b = captured(Constants(0)), captured(Constants(1))
    assert mirrored(a, b)
    found = exir_viz.diff(a, b)
    (constant,) = [node for node in a.method.graph if "lifted" in node.name]
    match = found.of(constant)
    assert match.kind == "same"
    assert match.b[0].name != constant.name
    assert [one.kind.value for one in found.changes if one.b and "lifted" in one.b[0].name] == ["added"]


def test_a_side_that_knows_no_modules_is_matched_all_the_same() -> None:
    a = captured(Stack(4))
    b = bare(a)
    assert mirrored(a, b)
    found = exir_viz.diff(a, b)
    assert found.counts.same == len(found)
    assert {one.evidence.name for one in found} <= {"interface", "structure", "neighbour"}
