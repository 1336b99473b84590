"""An op that another module calls now has moved; a removed op and an added one have not."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import exir_viz
from exir_viz.compare.diff import Diff

from .test_diff import mirrored

X = torch.randn(4, 8)


def diff(a: nn.Module, b: nn.Module, core: bool = False) -> Diff:
    for parameter in (*a.parameters(), *b.parameters()):
        nn.init.ones_(parameter)
    programs = [torch.export.export(one.eval(), (X,)) for one in (a, b)]
    before, after = (exir_viz.load(one.run_decompositions() if core else one) for one in programs)
    assert mirrored(before, after)
    return exir_viz.diff(before, after)


def told(found: Diff) -> list[str]:
    return [f"{one.kind.value} {(one.b or one.a)[0].target.name}" for one in found.changes]


class Act(nn.Module):
    """GELU as a module or as a function, of either kind."""

    def __init__(self, is_module: bool, approximate: str = "none") -> None:
        super().__init__()
        self.linear, self.act = nn.Linear(8, 8), nn.GELU(approximate)
        self.is_module, self.approximate = is_module, approximate

    def forward(self, x):
        x = self.linear(x)
        return (self.act(x) if self.is_module else nn.functional.gelu(x, approximate=self.approximate)) + 1


@pytest.mark.parametrize("core", [False, True])
def test_a_function_that_became_a_module(core: bool) -> None:
    found = diff(Act(False), Act(True), core)
    assert told(found) == ["moved gelu"]
    (one,) = found.changes
    assert (one.fields, one.evidence.name) == (("scope",), "elsewhere")
    assert one.reason == "`aten.gelu`: moved to another module"


def test_what_moved_and_changed_is_reported_as_changed() -> None:
    (one,) = diff(Act(False), Act(True, "tanh")).changes
    assert (one.kind.value, one.fields) == ("changed", ("args", "scope"))


class Half(nn.Module):
    def __init__(self, before: bool, after: bool) -> None:
        super().__init__()
        self.linear, self.before, self.after = nn.Linear(8, 8), before, after

    def forward(self, x):
        x = self.linear(x.tanh() if self.before else x)
        return x.tanh() if self.after else x


class Halves(nn.Module):
    """tanh at up to four places: before and after the linear of two modules."""

    def __init__(self, *places: int) -> None:
        super().__init__()
        self.first, self.second = Half(0 in places, 1 in places), Half(2 in places, 3 in places)

    def forward(self, x):
        return self.second(self.first(x))


def test_an_op_that_the_next_module_calls_now() -> None:
    assert told(diff(Halves(1), Halves(2))) == ["moved tanh"]


@pytest.mark.parametrize(("gone", "came"), [(0, 2), (0, 3), (1, 3)])
def test_an_op_that_went_and_another_that_came_in_another_place(gone: int, came: int) -> None:
    assert sorted(told(diff(Halves(gone), Halves(came)))) == ["added tanh", "removed tanh"]


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear, self.norm = nn.Linear(8, 8), nn.LayerNorm(8)

    def forward(self, x):
        return self.norm(self.linear(x).relu() + x)


class Net(nn.Module):
    """Blocks called as modules, without their own forward, or as functions of their parameters."""

    def __init__(self, how: str) -> None:
        super().__init__()
        self.blocks, self.head, self.how = nn.ModuleList(Block() for _ in range(3)), nn.Linear(8, 3), how

    def forward(self, x):
        for block in self.blocks:
            if self.how == "module":
                x = block(x)
            elif self.how == "inlined":
                x = block.norm(block.linear(x).relu() + x)
            else:
                linear, norm = block.linear, block.norm
                x = nn.functional.linear(x, linear.weight, linear.bias).relu() + x
                x = nn.functional.layer_norm(x, (8,), norm.weight, norm.bias)
        return self.head(x)


@pytest.mark.parametrize(
    ("how", "core", "moved"),
    [("inlined", True, 6), ("functions", True, 18)],
)
def test_blocks_that_are_modules_no_more(how: str, core: bool, moved: int) -> None:
    for one, other in (("module", how), (how, "module")):
        found = diff(Net(one), Net(other), core)
        assert found.counts.moved == len(found.changes) == moved


class Twins(nn.Module):
    """A call as another's, of another module."""

    def __init__(self, inner: int) -> None:
        super().__init__()
        self.inner = nn.ModuleList(nn.ReLU() for _ in range(inner))

    def forward(self, x):
        return sum((one(x) * at for at, one in enumerate(self.inner, 2)), x.sigmoid())


def test_a_call_that_came_beside_an_equal_one_is_new() -> None:
    counts = diff(Twins(1), Twins(3)).counts
    assert (counts.added, counts.removed, counts.moved) == (6, 0, 0)


class Low(nn.Module):
    """A linear, or two of low rank in its place, with the same user."""

    def __init__(self, is_low: bool) -> None:
        super().__init__()
        low = nn.Sequential(nn.Linear(8, 2, bias=False), nn.Linear(2, 8))
        self.linear = low if is_low else nn.Linear(8, 8)

    def forward(self, x):
        return self.linear(x).relu()


def test_an_op_of_other_weights_before_the_same_reader_is_another() -> None:
    counts = diff(Low(False), Low(True)).counts
    assert (counts.moved, counts.changed, counts.removed) == (0, 0, 3)
