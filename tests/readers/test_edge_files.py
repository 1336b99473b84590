"""What torch itself writes of a program in the edge dialect, and what it was made from, are the same."""

from __future__ import annotations

from pathlib import Path

import torch

import exir_viz
from exir_viz import Session
from exir_viz.snapshot import Snapshot
from tests.corpus.concepts import Fn


def test_an_edge_program_equals_the_file_that_torch_writes(tmp_path: Path) -> None:
    model = torch.nn.Sequential(torch.nn.Conv2d(2, 4, 3), torch.nn.GroupNorm(2, 4))
    edge = Session(model, torch.randn(1, 2, 8, 8)).root.edge()
    torch.export.save(edge.program, tmp_path / "edge.pt2")
    diff = exir_viz.diff(edge, tmp_path / "edge.pt2")
    assert len(edge.snapshot.method.graph) > 5
    assert diff.changes == ()
    file = exir_viz.load(tmp_path / "edge.pt2")
    assert calls(file) == calls(edge.snapshot)


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
