"""How a method is called: its name, keyword arguments, and the containers of values."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
import torch

import exir_viz
from exir_viz.snapshot import Snapshot
from tests.snapshot.sample import sample

from .test_facts import texts, with_method

X = torch.ones(2)


class Sum(torch.nn.Module):
    def forward(self, x, y):
        return x[0] + y


class Handing(torch.nn.Module):
    def __init__(self, pack: Callable[[torch.Tensor], object]) -> None:
        super().__init__()
        self.pack = pack

    def forward(self, x):
        return self.pack(x.sin())


def exported(model: torch.nn.Module, *args: object, strict: bool = False, **kwargs: object) -> Snapshot:
    return exir_viz.load(torch.export.export(model, args, kwargs, strict=strict))


@pytest.mark.parametrize(
    ("x", "other", "text"),
    [
        ([X, X], (X, X), "input `x`: list of 2 → tuple of 2"),
        ({0: [X]}, {0: (X,)}, "input `x[0]`: list of 1 → tuple of 1"),
        ({0: X}, OrderedDict({0: X}), "input `x`: dict → OrderedDict"),
    ],
)
def test_the_container_of_an_input(x: object, other: object, text: str) -> None:
    model = Sum() if not isinstance(x, dict) or isinstance(x[0], torch.Tensor) else First()
    before, after = exported(model, x, X), exported(model, other, X)
    assert texts(before, after) == [text]
    what, _, became = text.partition(": ")
    assert texts(after, before) == [f"{what}: {' → '.join(reversed(became.split(' → ')))}"]
    assert texts(before, exported(model, x, X, strict=True)) == []


class First(Sum):
    def forward(self, x, y):
        return super().forward(x[0], y)


@pytest.mark.parametrize(
    ("pack", "other", "text"),
    [
        (lambda y: [y], lambda y: (y,), "what is handed back: list of 1 → tuple of 1"),
        (lambda y: {"a": y}, lambda y: OrderedDict(a=y), "what is handed back: dict → OrderedDict"),
        (lambda y: (y, [y]), lambda y: (y, (y,)), "output `[1]`: list of 1 → tuple of 1"),
    ],
)
def test_the_container_of_what_is_returned(pack, other, text: str) -> None:
    assert texts(exported(Handing(pack), X), exported(Handing(other), X)) == [text]


def test_an_input_by_keyword() -> None:
    by_place, by_keyword = exported(Sum(), (X,), X), exported(Sum(), (X,), y=X)
    assert texts(by_place, by_keyword) == ["input `y`: by place → by keyword"]
    assert texts(by_keyword, by_place) == ["input `y`: by keyword → by place"]


def test_what_one_side_does_not_keep_is_no_difference(tmp_path: Path) -> None:
    from executorch.exir import to_edge

    program = torch.export.export(Sum(), ([X, X],), {"y": X})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lowered = to_edge(program).to_executorch()
    (tmp_path / "sum.pte").write_bytes(lowered.buffer)
    file = exir_viz.load(tmp_path / "sum.pte")
    assert exir_viz.diff(exir_viz.load(lowered), file).is_empty
    bare = msgspec.structs.replace(file.detail.methods[0], in_spec=None, out_spec=None)
    bare = Snapshot(file.skeleton, msgspec.structs.replace(file.detail, methods=(bare,)))
    assert texts(file, bare) == texts(bare, file) == []


def test_a_method_of_another_name() -> None:
    renamed = with_method(sample(), name="decode")
    assert texts(sample(), renamed) == ["method `forward` is now called `decode`"]
    assert texts(renamed, sample()) == ["method `decode` is now called `forward`"]
