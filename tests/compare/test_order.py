"""The order of inputs: a fact of the signature, and the only way to match them if a file has no names."""

from __future__ import annotations

import functools
from pathlib import Path

import msgspec
import pytest
import torch

import exir_viz
from exir_viz.compare.classify.signature import order_changes
from exir_viz.compare.normalize.methods import named_as
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.program import Argument, ArgumentType, InputKind, InputSpec
from tests.snapshot.sample import sample

from .test_diff import mirrored
from .test_facts import texts, with_signature
from .written import live_and_file


def specs(paths: str) -> list[InputSpec]:
    argument = Argument(ArgumentType.TENSOR, "arg")
    return [InputSpec(InputKind.USER_INPUT, argument, path=path) for path in paths.split()]


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ("x y", "x y", None),
        ("x y", "x z y", None),
        ("x y", "y x", "inputs `x`, `y` swapped places"),
        ("w x y z", "w z y x", "order of inputs: `x`, `y`, `z` → `z`, `y`, `x`"),
        ("v x w y", "v y w x z", "order of inputs: `x`, `w`, `y` → `y`, `w`, `x`"),
        ("x y z", "z x y", "input `z` is now first, it was third"),
        ("x y z", "n y z x", "input `x` is now fourth, it was first"),
        ("a b c d", "c d a b", "order of inputs: `a`, `b`, `c`, `d` → `c`, `d`, `a`, `b`"),
    ],
)
def test_the_order_in_words(before: str, after: str, text: str | None) -> None:
    found = [fact.text for fact in order_changes(specs(before), specs(after))]
    assert found == ([] if text is None else [text])
    back = list(order_changes(specs(after), specs(before)))
    there = list(order_changes(specs(before), specs(after)))
    assert [(one.after, one.before) for one in back] == [(one.before, one.after) for one in there]


def test_inputs_of_another_order_are_a_difference() -> None:
    inputs = sample().method.signature.inputs
    turned = with_signature(sample(), msgspec.structs.replace(sample().method.signature, inputs=inputs[::-1]))
    assert texts(sample(), turned) == ['inputs `batch["x"]`, `input` swapped places']


class Less(torch.nn.Module):
    def forward(self, x, y):
        return x - y


class SameNames(torch.nn.Module):
    def forward(self, y, x):
        return x - y


@functools.cache
def lowered(cls: type[torch.nn.Module], folder: Path) -> tuple[Snapshot, Snapshot]:
    """A live program, whose inputs have names, and a file, whose inputs have none."""
    program = torch.export.export(cls(), (torch.ones(2), torch.zeros(2)))
    return live_and_file(program, folder / f"{cls.__name__}.pte")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("order")


def test_inputs_without_names_match_by_their_place(folder: Path) -> None:
    (live, file), (other, other_file) = (lowered(cls, folder) for cls in (Less, SameNames))
    assert texts(live, other)[0] == "inputs `x`, `y` swapped places"
    for one, two in ((live, other_file), (other, file), (file, other_file)):
        (change,) = exir_viz.diff(one, two).changes
        assert "swapped" in change.reason
        assert mirrored(one, two)
    for one, two in ((live, file), (other, other_file)):
        assert exir_viz.diff(one, two).is_empty
        inputs = [match for match in exir_viz.diff(one, two) if match.a and match.a[0].op == "placeholder"]
        assert {match.evidence.name for match in inputs} == {"interface"}


def test_where_one_has_more_inputs_the_others_keep_their_places() -> None:
    assert named_as(["x", "y", "z"], ["args[0]", "args[1]"]) == ["x", "y"]
    assert named_as(["args[0]"], ["x", "y"]) == ["args[0]", "y"]
    assert named_as(["a", "b"], ["b", "a"]) == ["b", "a"]
