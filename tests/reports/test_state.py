"""The report of state, on a decoder with a static cache from export to the file, and on small programs."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn

import exir_viz
from exir_viz.reports import Outcome, Report, run
from tests.corpus.programs import exported

from .state_programs import CACHES, stages

COPIED, IN_PLACE, RETURNED = "copied whole", "in place", "returned as a new value"
CACHE_SECTION = "Caches of attention"


def written(report: Report) -> dict[str, str]:
    """How each tensor is written."""
    return {row.title: str(row.values[4]) for row in report.rows()}


def caches(report: Report) -> list[str]:
    sections = (one for one in report.sections if one.title == CACHE_SECTION)
    return [row.title for section in sections for row in section.rows]


@pytest.mark.parametrize(
    ("stage", "how"),
    [
        ("exported", IN_PLACE),
        ("core", RETURNED),
        ("edge", RETURNED),
        ("backend", RETURNED),
        ("executorch", COPIED),
        ("delegated", COPIED),
        ("in place", IN_PLACE),
    ],
)
def test_a_cache_is_named_and_followed_to_the_device(stage: str, how: str) -> None:
    report = run("state", stages()[stage])
    assert sorted(caches(report)) == sorted(CACHES)
    assert {written(report)[name] for name in CACHES} == {how}
    assert "cumulative_length_0" not in caches(report)
    assert report.outcome is (Outcome.WARNING if how == COPIED else Outcome.FINE)


def test_the_remedy_of_a_copied_cache_is_what_writes_it_in_place() -> None:
    rows = list(run("state", stages()["executorch"]).rows("warning"))
    assert sorted(row.title for row in rows) == sorted(CACHES)
    remedy = "Lower with ExecutorchBackendConfig(run_reinplace_pass=True), which writes it in place."
    assert {row.remedy for row in rows} == {remedy}
    assert not list(run("state", stages()["in place"]).rows("warning"))


@pytest.mark.parametrize(("stage", "how"), [("executorch", COPIED), ("in place", IN_PLACE)])
def test_a_file_says_what_its_program_does(stage: str, how: str, tmp_path: Path) -> None:
    path = tmp_path / "model.pte"
    path.write_bytes(stages()[stage].content.live.manager.buffer)
    report = run("state", path)
    assert len(caches(report)) == len(CACHES)
    assert [written(report)[name] for name in caches(report)] == [how] * 4


def test_a_copy_is_as_large_as_the_cache() -> None:
    report = run("state", stages()["executorch"])
    section = next(one for one in report.sections if one.title == CACHE_SECTION)
    assert {row.values[2] for row in section.rows} == {2 * 16 * 16 * 4}
    assert all("copies 2 KB into it" in row.reason for row in section.rows)


def test_statistics_that_only_training_writes() -> None:
    at_training = written(run("state", exported("buffer_mutation")))
    assert set(at_training.values()) == {IN_PLACE}
    assert {"norm.running_mean", "norm.running_var"} <= set(at_training)
    frozen = torch.export.export(nn.BatchNorm1d(3).eval(), (torch.ones(2, 3),))
    assert set(written(run("state", frozen)).values()) == {"not written"}


class Kept(nn.Module):
    """Buffers written by a part, by a matrix product that is no attention, and read alone."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("part", torch.zeros(4, 3))
        self.register_buffer("whole", torch.zeros(2, 3))
        self.register_buffer("read", torch.ones(3))

    def forward(self, x: torch.Tensor, count: torch.Tensor) -> torch.Tensor:
        self.part[1:3].copy_(x)
        self.whole.copy_(x)
        count.add_(1)
        return self.whole @ self.part.T + self.read.sum()


def test_parts_inputs_and_what_is_no_cache() -> None:
    program = torch.export.export(Kept(), (torch.ones(2, 3), torch.zeros(1)))
    report = run("state", program)
    assert written(report) == {"part": IN_PLACE, "whole": COPIED, "count": IN_PLACE, "read": "not written"}
    assert caches(report) == []
    assert report.headline.startswith("3 tensors written by each call: 1 copied whole (24 B), 2 in place")
    after = run("state", program.run_decompositions())
    assert written(after) == {"part": RETURNED, "whole": RETURNED, "count": RETURNED, "read": "not written"}


class Grows(nn.Module):
    """An input of any length that is written."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.add_(1).sum()


def test_the_growth_of_a_written_input() -> None:
    length = torch.export.Dim("length", min=2, max=64)
    program = torch.export.export(Grows(), (torch.ones(4, 8),), dynamic_shapes=({0: length},))
    (row,) = run("state", program).rows()
    symbol = exir_viz.load(program).method.symbols[0].name
    assert row.values[2:4] == (None, f"32 B × {symbol}")


def test_a_program_without_state() -> None:
    report = run("state", exported("dynamic_batch"))
    assert (report.headline, report.sections) == ("no state is written", ())
