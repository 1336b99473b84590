"""The table of how far programs go tells an error of ours from one of torch's or ExecuTorch's."""

from __future__ import annotations

import pytest

from exir_viz.stages.steps import quantize

from .howfar import DONE, STEPS, how_far

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
    (told,) = found.ours
    assert "exir_viz/stages/steps/quantize.py:" in told


def test_links_that_fail_are_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("exir_viz.stages.lineage.same_name.link", None)
    found = how_far("named_dims", {"core": STEPS["core"]})
    assert found.row["core"] == DONE
    assert "could not be linked" in found.ours[0]


def test_what_plain_torch_does_must_not_fail() -> None:
    found = how_far("db:static_if", {"core": ("export", lambda stage: stage.transform(fails))})
    assert found.row["core"].startswith("ValueError: ")
    assert found.ours == ("core: plain torch and ExecuTorch do it",)


def fails(_module: object) -> None:
    raise ValueError("no")
