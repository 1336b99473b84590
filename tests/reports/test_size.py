"""The report of sizes: each byte counts once, and no file is smaller than what is counted in it."""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch import nn

import exir_viz
from exir_viz.reports import Report, run
from exir_viz.reports import size as size_report
from exir_viz.reports.size import parts
from exir_viz.snapshot.program import StateEntry, StateKind
from exir_viz.snapshot.records import TensorValue
from tests.corpus.concepts import CONCEPTS
from tests.corpus.programs import SMALL, archive
from tests.nightly import nightly, some
from tests.readers.pte_files import NAMES, lowered

from .state_programs import stages

PROGRAM = "Program and padding"


def bytes_of(report: Report, title: str) -> dict[str, int]:
    sections = (section for section in report.sections if section.title == title)
    return {row.title: int(row.values[0] or 0) for section in sections for row in section.rows}


def check_sums(report: Report, whole: int) -> None:
    """Parts are the whole; modules and dtypes are its tensors."""
    kinds = bytes_of(report, "What it is")
    assert sum(kinds.values()) == whole
    assert min(kinds.values(), default=0) >= 0
    tensors = sum(kinds.get(kind, 0) for kind in ("Parameters", "Buffers", "Constants"))
    assert sum(bytes_of(report, "Tensors by module").values()) == tensors
    assert sum(bytes_of(report, "Tensors by dtype").values()) == tensors


@pytest.mark.parametrize("name", [*CONCEPTS, *SMALL, "resnet50", "llama32"])
def test_a_pt2_is_the_sum_of_its_parts(name: str) -> None:
    path = archive(name, "core" if name == "llama32" else "aten")
    report = run("size", path)
    assert report.unexamined == ()
    check_sums(report, path.stat().st_size)
    data = sum(part.bytes for part in parts(exir_viz.load(path)))
    assert bytes_of(report, "What it is")[PROGRAM] == path.stat().st_size - data


@pytest.mark.parametrize("name", some(NAMES, NAMES[::3]))
def test_a_pte_is_the_sum_of_its_parts(name: str, tmp_path: Path) -> None:
    path = tmp_path / "model.pte"
    path.write_bytes(lowered(name).data)
    report = run("size", path)
    if not report.unexamined:
        check_sums(report, path.stat().st_size)
    check_sums(run("size", exir_viz.load(path)), sum(part.bytes for part in parts(exir_viz.load(path))))


@pytest.mark.parametrize("stage", ["delegated", *nightly(["executorch"])])
def test_a_decoder_on_a_device(stage: str, tmp_path: Path) -> None:
    """Its caches begin empty: they take memory, and no bytes of the file."""
    path = tmp_path / "model.pte"
    path.write_bytes(stages()[stage].content.live.manager.buffer)
    report = run("size", path)
    check_sums(report, path.stat().st_size)
    kinds = bytes_of(report, "What it is")
    assert "Buffers" not in kinds
    outside = "Data of delegates outside their payloads"
    assert (outside in kinds, "Payloads of XnnpackBackend" in kinds) == ((stage == "delegated"),) * 2


class Shares(nn.Module):
    """Weights that lie in one memory, in part of it, and that are equal in another."""

    def __init__(self) -> None:
        super().__init__()
        self.one = nn.Linear(8, 8, bias=False)
        self.tied = nn.Linear(8, 8, bias=False)
        self.tied.weight = self.one.weight
        self.equal = nn.Linear(8, 8, bias=False)
        self.equal.weight = nn.Parameter(self.one.weight.detach().clone())
        self.register_buffer("rows", self.one.weight.detach()[2:5])
        self.register_buffer("wide", torch.ones(1).expand(100))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.equal(self.tied(self.one(x))) + self.rows.sum() + self.wide.sum()


def test_memory_counts_once(tmp_path: Path) -> None:
    program = torch.export.export(Shares(), (torch.ones(2, 8),))
    report = run("size", exir_viz.load(program))
    assert report.headline.startswith("516 B")  # two matrices and the one element of an expanded buffer
    check_sums(report, 516)
    (shared,) = bytes_of(report, "Names of one memory").values()
    assert shared == 256
    assert list(bytes_of(report, "Tensors with equal checksums").values()) == [256]
    path = tmp_path / "model.pt2"
    torch.export.save(program, path)
    check_sums(run("size", path), path.stat().st_size)


def test_a_program_that_is_no_file_has_no_size_of_its_own() -> None:
    report = run("size", exir_viz.load(archive("dynamic_batch")))
    assert PROGRAM not in bytes_of(report, "What it is")
    assert "only a file has a size. Pass the path of a .pt2 or .pte file." in report.unexamined[0]


def test_the_figure_has_the_bytes_of_the_report() -> None:
    snapshot = exir_viz.load(archive("resnet50"))
    (treemap,) = exir_viz.figures.size(snapshot).data
    total = sum(part.bytes for part in parts(snapshot))
    sizes = dict(zip(treemap.ids, treemap.values, strict=True))
    assert sizes["program"] == total
    for box, size in sizes.items():
        inner = [sizes[i] for i, parent in zip(treemap.ids, treemap.parents, strict=True) if parent == box]
        assert sum(inner) <= size


def test_each_byte_of_a_storage_counts_once() -> None:
    """Tensors that overlap in one storage, in any order."""
    for seed in range(200):
        rng, taken = random.Random(seed), set[int]()
        covered: defaultdict[object, list[tuple[int, int]]] = defaultdict(list)
        for _ in range(12):
            offset, size = rng.randrange(40), rng.randrange(1, 12)
            value = TensorValue("uint8", (size,), (1,), offset)
            snapshot = SimpleNamespace(values=(value,), is_pte=False)
            entry = StateEntry("w", StateKind.BUFFER, 0, bytes=size, storage=0)
            new = {*range(offset, offset + size)} - taken
            taken |= new
            assert size_report._new_bytes(snapshot, entry, covered) == len(new)
