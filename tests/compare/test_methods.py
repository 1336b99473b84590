"""Methods of equal names match, whatever the classes of their models."""

from __future__ import annotations

import pytest
import torch
from executorch.exir import to_edge
from torch import nn

import exir_viz
from exir_viz.snapshot import Snapshot

from .test_diff import mirrored


class One(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x, y):
        return self.linear(x).relu() - y


class Two(One):
    """Of another class, and equal."""


class Swapped(One):
    def forward(self, x, y):
        return y - self.linear(x).relu()


def edge(**methods: type[One]) -> Snapshot:
    inputs = torch.ones(2, 8), torch.ones(2, 8)
    programs = {}
    for name, kind in methods.items():
        module = kind().eval()
        for parameter in module.parameters():
            nn.init.ones_(parameter)
        programs[name] = torch.export.export(module, inputs)
    return exir_viz.load(to_edge(programs))


@pytest.mark.parametrize(
    ("before", "after"),
    [((One, Two), (Two, One)), ((One, One), (Two, Two))],
)
def test_a_method_of_a_model_of_another_class_is_the_same(
    before: tuple[type[One], ...], after: tuple[type[One], ...]
) -> None:
    a, b = (edge(**dict(zip("ef", kinds, strict=True))) for kinds in (before, after))
    assert mirrored(a, b)
    found = exir_viz.diff(a, b)
    assert found.is_empty
    assert {(one.before, one.after) for one in found.modules if one.path == "linear"} <= {(4, 4), (2, 2)}


def test_what_changed_in_one_of_them_is_all_that_is_reported() -> None:
    a, b = edge(e=One, f=One), edge(e=One, f=Swapped)
    assert mirrored(a, b)
    (one,) = exir_viz.diff(a, b).changes
    assert (one.kind.value, one.b[0].target.name) == ("changed", "sub")
    assert "swapped" in one.reason
