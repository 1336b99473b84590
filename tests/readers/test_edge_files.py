"""What torch itself writes of a program in the edge dialect, and what it was made from, are the same."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import exir_viz
from exir_viz import Session
from exir_viz.snapshot import Snapshot
from tests.corpus.concepts import CONCEPTS, Fn
from tests.corpus.programs import exported


def test_an_edge_program_equals_the_file_that_torch_writes(tmp_path: Path) -> None:
    model = torch.nn.Sequential(torch.nn.Conv2d(2, 4, 3), torch.nn.GroupNorm(2, 4))
    edge = Session(model, torch.randn(1, 2, 8, 8)).root.edge()
    torch.export.save(edge.program, tmp_path / "edge.pt2")
    diff = exir_viz.diff(edge, tmp_path / "edge.pt2")
    assert len(edge.snapshot.method.graph) > 5
    assert diff.changes == ()
    file = exir_viz.load(tmp_path / "edge.pt2")
    assert calls(file) == calls(edge.snapshot)


@pytest.mark.parametrize("name", ["static_values", "unbacked_item", "unbacked_float", "data_dependent_shape"])
def test_symbols_that_lowering_left_behind_are_no_difference(name: str, tmp_path: Path) -> None:
    """ExecuTorch gives values new symbols, and leaves ranges and bindings of the old ones in the program."""
    edge = Session(CONCEPTS[name]()).root.edge()
    torch.export.save(edge.program, tmp_path / "edge.pt2")
    assert "No difference" in str(exir_viz.diff(edge, tmp_path / "edge.pt2"))
    symbols = {one.name: one for one in edge.snapshot.method.symbols}
    left = {str(symbol) for symbol in edge.program.range_constraints} - symbols.keys()
    said = "".join(one.text for one in edge.snapshot.notices if one.code == "range")
    assert [name for name in left if f"the range of {name} is left out" not in said] == []
    assert all(one.bindings for one in symbols.values())


def test_equal_assertions_are_matched_in_order(tmp_path: Path) -> None:
    """Of two equal assertions, torch gives one a value of None, and a file holds neither."""
    core = Session(exported("unbacked")).root.decompose("core")
    torch.export.save(core.program, tmp_path / "core.pt2")
    assert "No difference" in str(exir_viz.diff(core, tmp_path / "core.pt2"))


def calls(snapshot: Snapshot) -> set[str]:
    """Once each: torch writes items of tuples that nobody reads too."""
    return {node.target.text for node in snapshot.method.graph if node.op == "call_function"}


def test_a_file_of_complex_numbers_can_be_read(tmp_path: Path) -> None:
    """XNNPACK's lowering lets them pass, and ExecuTorch writes their type."""
    call = Fn(lambda x: torch.view_as_real(torch.fft.fft(x)).sum(-1))
    stage = Session(call, torch.randn(8)).root.backend("xnnpack").executorch()
    (tmp_path / "program.pte").write_bytes(stage.pte)
    file = exir_viz.load(tmp_path / "program.pte")
    assert "complex64" in {getattr(node.value, "dtype", "") for node in file.method.graph}
    assert len(exir_viz.diff(stage, file).changes) == 0
