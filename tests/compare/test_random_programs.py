"""Random programs: each equals itself, its other export and its file; both directions agree."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch.export import ExportedProgram, export

import exir_viz

from .test_diff import mirrored

Op = Callable[..., torch.Tensor]


def branch(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    def inner(x, y):
        return torch.cond(y.sum() > 0, lambda x, y: x - y, lambda x, y: x * y, (x, y))

    return torch.cond(x.sum() > 0, inner, lambda x, y: (x + y).sin(), (x, y))


ONE: tuple[Op, ...] = (torch.sin, torch.relu, lambda x: x * 2, lambda x: x.T.clone().T, torch.sigmoid)
TWO: tuple[Op, ...] = (torch.add, torch.mul, torch.maximum, branch, lambda x, y: torch.cat([x, y], 1)[:, :4])


class Chance(torch.nn.Module):
    """Ops, modules and branches in an order that a seed decides; `extra` puts one more op in the middle."""

    def __init__(self, seed: int, extra: bool = False) -> None:
        super().__init__()
        self.seed, self.extra = seed, extra
        self.layers = torch.nn.ModuleList(
            [torch.nn.Linear(4, 4), torch.nn.Linear(4, 4), torch.nn.LayerNorm(4)]
        )
        self.register_buffer("count", torch.zeros(4))

    def forward(self, x, y):
        chance = random.Random(self.seed)
        known = [x, y]
        if chance.random() < 0.5:
            self.count.add_(1)
            known.append(x + self.count)
        length = chance.randint(6, 16)
        for at in range(length):
            kind = chance.choice((ONE, TWO, self.layers))
            value = chance.choice(kind)(*(chance.choice(known) for _ in range(2 if kind is TWO else 1)))
            known.append(value.tanh() if self.extra and at == length // 2 else value)
        return known[-1], sum(known[-3:])


def program(seed: int, extra: bool = False) -> ExportedProgram:
    torch.manual_seed(0)
    return export(Chance(seed, extra).eval(), (torch.randn(3, 4), torch.randn(3, 4)))


@pytest.mark.parametrize("seed", [0, 3])
def test_a_program_is_itself_and_one_more_op_is_one_change(seed: int, tmp_path: Path) -> None:
    live = program(seed)
    core = live.run_decompositions()
    a, again, b, more = map(exir_viz.load, (live, program(seed), core, program(seed, extra=True)))
    others = [(a, a), (a, again), (b, b)]
    for one, it in ((live, a), (core, b)):
        torch.export.save(one, tmp_path / "it.pt2")
        others.append((it, exir_viz.load(tmp_path / "it.pt2")))
    for one, other in others:
        diff = exir_viz.diff(one, other)
        assert diff.is_empty, diff
    assert mirrored(a, b)
    assert mirrored(a, more)
    changes = exir_viz.diff(a, more).changes
    assert [(one.kind.value, one.b[0].target.name) for one in changes] == [("added", "tanh")]
