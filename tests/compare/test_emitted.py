"""Against a `.pte` file: what it writes out by itself, and what it cannot know, is no difference."""

from __future__ import annotations

import functools
import warnings
from pathlib import Path

import pytest
import torch

import exir_viz
from exir_viz.compare.diff import Diff
from exir_viz.snapshot import Snapshot
from tests.readers import pte_files

from .test_diff import mirrored


@functools.cache
def sides(name: str, folder: Path) -> tuple[Snapshot, Snapshot]:
    """A lowered program, live and as its file."""
    lowered = pte_files.lowered(name)
    path = folder / f"{name}.pte"
    path.write_bytes(lowered.data)
    return exir_viz.capture(lowered.manager), exir_viz.load(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pte")


@pytest.mark.parametrize("name", ["several", "methods", "delegated"])
def test_a_lowered_program_and_its_file_are_the_same(name: str, folder: Path) -> None:
    """Though the one has nodes for memory and for what a delegate computes, and leaves defaults out."""
    live, file = sides(name, folder)
    if name != "delegated":
        assert any(node.target.name == "alloc" for graph in live.graphs for node in graph)
    diff = exir_viz.diff(live, file)
    assert diff.is_empty, str(diff)
    assert mirrored(live, file)


def test_sizes_in_a_file_are_bounds(folder: Path) -> None:
    live, file = sides("dynamic", folder)
    (change,) = exir_viz.diff(live, file).changes
    assert change.reason.endswith("became `executorch_prim.et_view`")


class Written(torch.nn.Module):
    """Defaults in the middle and at the end, by keyword and by place; a number for a float; several outs."""

    def forward(self, x):
        y = torch.nn.functional.gelu(x) + 1.0
        values, where = torch.topk(y.sub(x, alpha=2).clamp(0), 2)
        return values.softmax(-1), where.sum(0, keepdim=True)


@functools.cache
def written(folder: Path) -> tuple[Path, Path, Snapshot]:
    """As `torch.export` saves it, as ExecuTorch emits it, and at the edge between."""
    from executorch.exir import to_edge

    program = torch.export.export(Written(), (torch.randn(3, 4),))
    before, after = folder / "written.pt2", folder / "written.pte"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.export.save(program, before)
        edge = to_edge(program)
        at_edge = exir_viz.capture(edge)
        after.write_bytes(edge.to_executorch().buffer)
    return before, after, at_edge


def told(diff: Diff) -> list[str]:
    return [one.reason for one in diff.changes if one.a and one.a[0].op == "call_function"]


def test_out_variants_take_what_their_ops_took(folder: Path) -> None:
    _, after, edge = written(folder)
    reasons = told(exir_viz.diff(edge, exir_viz.load(after)))
    assert "`aten.gelu` became `aten.gelu.out`" in reasons
    assert "`aten.topk` became `aten.topk.values`" in reasons
    assert not [text for text in reasons if "not given" in text or "memory" in text or "probably" in text]


def test_two_files_are_compared_by_recorded_schemas(folder: Path) -> None:
    before, after, _ = written(folder)
    reasons = told(exir_viz.diff(exir_viz.load(before), exir_viz.load(after)))
    assert "`aten.sub.Tensor` became `aten.sub.out`" in reasons
    assert not [text for text in reasons if "not given" in text or "memory" in text]


def test_another_argument_is_told_under_its_name(folder: Path) -> None:
    class Other(Written):
        def forward(self, x):
            y = torch.nn.functional.gelu(x, approximate="tanh") + 1.0
            values, where = torch.topk(y.sub(x, alpha=3).clamp(0), 2, largest=False)
            return values.softmax(-1), where.sum(0, keepdim=True)

    path = folder / "other.pt2"
    torch.export.save(torch.export.export(Other(), (torch.randn(3, 4),)), path)
    reasons = told(exir_viz.diff(exir_viz.load(path), exir_viz.load(written(folder)[1])))
    assert "`aten.gelu` became `aten.gelu.out`: approximate 'tanh' → (not given)" in reasons
    assert "`aten.sub.Tensor` became `aten.sub.out`: alpha 3 → 2" in reasons
    assert "`aten.topk` became `aten.topk.values`: largest False → (not given)" in reasons
