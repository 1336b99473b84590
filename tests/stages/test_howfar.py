"""The table of how far programs go tells an error of ours from one of torch's or ExecuTorch's."""

from __future__ import annotations

import os

import pytest

from exir_viz.stages.records import Failure, Finding, OptionsFix
from exir_viz.stages.stage import Stage
from exir_viz.stages.steps import quantize

from .howfar import DONE, STEPS, how_far, lacks

QUANTIZED = {"quantized": STEPS["quantized"]}


def test_a_refusal_is_not_ours() -> None:
    found = how_far("db:cond_operands", QUANTIZED)
    assert found.row["quantized"].startswith("NothingQuantized")
    assert found.ours == ()


def test_a_step_that_works() -> None:
    found = how_far("named_dims", {"core": STEPS["core"]})
    assert (found.row["core"], found.ours) == (DONE, ())


def test_a_mistake_in_a_step_is_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quantize, "example", None)
    found = how_far("db:cond_operands", QUANTIZED)
    assert found.row["quantized"].startswith("TypeError")
    assert "exir_viz/stages/steps/quantize.py:" in found.ours[0]


def test_links_that_fail_are_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exir_viz.stages.lineage.same_name.link", None)
    found = how_far("named_dims", {"core": STEPS["core"]})
    assert found.row["core"] == DONE
    assert "could not be linked" in found.ours[0]


def test_what_plain_torch_does_must_not_fail() -> None:
    found = how_far("db:static_if", {"core": ("export", lambda stage: stage.transform(fails))})
    assert found.row["core"].startswith("ValueError: ")
    assert "core: plain torch and ExecuTorch do it" in found.ours


def test_a_step_that_writes_to_the_console_is_ours() -> None:
    def writes(stage: Stage) -> Stage:
        os.write(2, b"Warning: from C++\n")
        return stage.decompose()

    found = how_far("named_dims", {"core": ("export", writes)})
    assert found.row["core"] == DONE
    assert found.ours == ("core wrote 1 lines to the console: Warning: from C++",)


def test_a_failure_says_where_and_what_to_do() -> None:
    helpful = Finding("", node="forward/add", remedy="Remove it.")
    assert [*lacks(Failure("ValueError", "no", findings=(helpful,)))] == []
    assert [*lacks(Failure("ValueError", "no"))] == ["a node or a line", "a remedy"]
    assert [*lacks(Failure("NothingQuantized", "no", fixes=(OptionsFix("Leave it out", {}),)))] == []


def fails(_module: object) -> None:
    raise ValueError("no")
