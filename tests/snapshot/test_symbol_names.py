"""Texts name symbols as the user did, `Dim("seq")`; Snapshots keep torch's names."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
import torch

import exir_viz
from exir_viz import tables
from exir_viz.errors import MeasureError, WrongArgument
from exir_viz.pages.dot import dot
from exir_viz.snapshot.program import Symbol
from exir_viz.snapshot.symbol_names import in_user_names, user_names
from exir_viz.snapshot.text import render
from exir_viz.types import Snapshot

TORCH_NAME = re.compile(r"\bs\d+\b")


class Doubled(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return torch.cat([x, x]).transpose(0, 1).contiguous() * x.shape[0] + y


def doubled(is_dynamic: bool = True) -> torch.export.ExportedProgram:
    seq = torch.export.Dim("seq", min=4, max=64)
    shapes = {"x": {0: seq}, "y": {1: 2 * seq}} if is_dynamic else None
    return torch.export.export(Doubled(), (torch.randn(8, 3), torch.randn(3, 16)), dynamic_shapes=shapes)


@pytest.fixture(scope="module")
def program() -> torch.export.ExportedProgram:
    return doubled()


@pytest.fixture(scope="module")
def snapshot(program) -> Snapshot:
    return exir_viz.load(program)


TEXTS: dict[str, Callable[[Snapshot], Any]] = {
    "summary": str,
    "text": lambda snapshot: snapshot.text(),
    "picture": dot,
    **{name: lambda snapshot, name=name: tables.records(snapshot, name) for name in tables.NAMES},
}


@pytest.mark.parametrize("name", [name for name in TEXTS if name not in ("summary", "symbols")])
def test_texts_name_a_symbol_as_the_user_did(snapshot, name):
    assert not TORCH_NAME.search(str(TEXTS[name](snapshot)))


def test_sizes_say_the_name(snapshot):
    assert "f32[seq, 3]" in str(snapshot)
    assert '"f32[3, 2*seq]"' in snapshot.text()
    assert "f32[seq, 3]" in {row["value"] for row in tables.records(snapshot, "nodes")}


def test_both_names_are_reported_where_symbols_are_listed(snapshot):
    (symbol,) = snapshot.method.symbols
    assert TORCH_NAME.fullmatch(symbol.name)
    (row,) = tables.records(snapshot, "symbols")
    assert (row["symbol"], row["dim"]) == (symbol.name, "seq")
    assert re.search(rf"seq +4 to 64 +example 8 +{symbol.name}", str(snapshot))


def test_a_snapshot_and_the_form_that_is_torchs_keep_torchs_names(snapshot, program):
    (symbol,) = snapshot.method.symbols
    assert snapshot.method.graph["x"].value.shape == (symbol.name, 3)
    assert f"f32[{symbol.name}, 3]" in render(snapshot, modules=False)
    assert in_user_names(snapshot).method.graph["x"].value.shape == ("seq", 3)
    assert in_user_names(in_user_names(snapshot)) is in_user_names(snapshot)


def test_a_program_without_named_symbols_is_itself():
    static = exir_viz.load(doubled(is_dynamic=False))
    assert in_user_names(static) is static


def test_names_that_would_be_mistaken_are_not_used():
    def symbol(name: str, dim: str | None) -> Symbol:
        return Symbol(name, "int", True, dim=dim)

    assert user_names([symbol("s0", "a"), symbol("s1", "b")]) == {"s0": "a", "s1": "b"}
    assert user_names([symbol("s0", "a"), symbol("s1", "a")]) == {}, "two symbols of one name"
    assert user_names([symbol("s0", "a"), symbol("s0", "b")]) == {}, "two names of one symbol"
    assert user_names([symbol("s0", "s1"), symbol("s1", None)]) == {}, "the name of another symbol"


def test_a_diff_names_it_whichever_side_knows_the_name(program, snapshot, tmp_path):
    torch.export.save(program, tmp_path / "program.pt2")
    file = exir_viz.load(tmp_path / "program.pt2")
    assert exir_viz.diff(program, file).is_empty
    static = exir_viz.load(doubled(is_dynamic=False))
    for a, b in ((snapshot, static), (static, snapshot)):
        diff = exir_viz.diff(a, b)
        told = f"{diff} {diff.to_markdown()} {diff.to_json()} {diff.text()}"
        assert "[seq, 3]" in told
        assert not TORCH_NAME.search(told)


def test_errors_and_values_of_symbols_use_the_name(program):
    assert (
        exir_viz.profile(program, symbols={"seq": 32}, repeats=1).conditions.inputs[0].value == "f32[32, 3]"
    )
    with pytest.raises(MeasureError, match=r"seq is 100 .*exported for 4 to 64"):
        exir_viz.profile(program, (torch.randn(100, 3), torch.randn(3, 200)), repeats=1)
    with pytest.raises(MeasureError, match=r"Expected: 16, which is 2\*seq with seq = 8"):
        exir_viz.profile(program, (torch.randn(8, 3), torch.randn(3, 20)), repeats=1)
    with pytest.raises(WrongArgument, match="no symbol 'batch': it has seq"):
        exir_viz.profile(program, symbols={"batch": 3}, repeats=1)
