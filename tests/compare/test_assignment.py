"""State with numbered names, whose counterparts follow from the cheapest assignment."""

from __future__ import annotations

import random
from itertools import permutations

import torch
from torch import nn

import exir_viz
from exir_viz.compare.align.assignment import minimum_cost

from .mutate import bare
from .test_diff import mirrored
from .test_scopes import Stack, captured


def cost(costs: list[list[float]], pairs: list[tuple[int, int]]) -> float:
    return sum(costs[row][column] for row, column in pairs)


def test_the_cheapest_of_all_assignments() -> None:
    chance = random.Random(0)
    for _ in range(60):
        rows, columns = chance.randint(1, 5), chance.randint(1, 5)
        costs = [
            [chance.choice([-3.0, -1.5, 0.0, chance.random()]) for _ in range(columns)] for _ in range(rows)
        ]
        pairs = minimum_cost(costs)
        assert len(pairs) == min(rows, columns)
        assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == len(pairs)
        short, long = sorted((rows, columns))
        orders = permutations(range(long), short)
        every = (
            list(zip(*((range(short), order) if rows <= columns else (order, range(short))), strict=True))
            for order in orders
        )
        assert abs(cost(costs, pairs) - min(cost(costs, one) for one in every)) < 1e-9
    assert minimum_cost([]) == minimum_cost([[]]) == []


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
