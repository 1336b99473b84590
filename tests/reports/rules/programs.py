"""Small programs at every dialect that keep all rules; tests break them one rule at a time."""

from __future__ import annotations

import warnings
from functools import cache

import torch
from torch.export import ExportedProgram, export

from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.program import Dialect
from exir_viz.stages.session import Session
from exir_viz.stages.stage import Stage


class Counter(torch.nn.Module):
    """State of every kind, a result of several values, a branch."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)
        self.register_buffer("steps", torch.zeros(1))
        self.scale = torch.tensor([1.0, 2.0])

    def forward(self, x, y):
        self.steps.add_(1)
        top, rest = self.linear(x).relu().split(4, dim=-1)
        top = torch.cond(y.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (top,))
        return top.reshape(2, 2, 2) * self.scale, rest + self.steps


class Plain(torch.nn.Module):
    """A chain that each backend and the memory plan understand."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(8, 8)

    def forward(self, x, y):
        a = (self.linear(x) + y).exp()
        b = a.view(8, 2).sin()
        return b * 2.0, a.to(torch.float64).cos().cumsum(0)


class TwoBranches(torch.nn.Module):
    """The result of one branch is used after another branch has run."""

    def __init__(self, *, is_copied: bool = False) -> None:
        super().__init__()
        self.is_copied = is_copied

    def forward(self, x, y):
        a = torch.cond(x.sum() > y.sum(), lambda x, y: x - y, lambda x, y: y - x, (x, y))
        a = a.clone() if self.is_copied else a
        b = torch.cond(y.sum() > 0, lambda x, y: x * y + 3, lambda x, y: x - y, (x, y))
        return a + b


def two_branches(*, is_copied: bool = False) -> Stage:
    """`TwoBranches` with a memory plan."""
    module, inputs = TwoBranches(is_copied=is_copied), (torch.ones(4), torch.full((4,), 2.0))
    return Session(export(module, inputs)).edge().executorch()


@cache
def program(cls: type[torch.nn.Module] = Counter) -> ExportedProgram:
    torch.manual_seed(0)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return export(cls().eval(), (torch.randn(2, 8), torch.randn(2, 8)))


@cache
def stage(dialect: Dialect) -> Stage:
    """`Counter` at the ATen dialects, `Plain` at those of ExecuTorch."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if dialect in (Dialect.ATEN_TRAINING, Dialect.ATEN, Dialect.ATEN_CORE):
            root = Session(program(), name="export").root
            if dialect is Dialect.ATEN_TRAINING:
                return root
            return root.decompose("core" if dialect is Dialect.ATEN_CORE else "functional")
        root = Session(program(Plain), name="export").root
        match dialect:
            case Dialect.EDGE:
                return root.edge()
            case Dialect.BACKEND:
                return root.backend("xnnpack")
            case _:
                return root.edge().executorch()


def snapshot(dialect: Dialect) -> Snapshot:
    return stage(dialect).snapshot
