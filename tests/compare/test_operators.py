"""The matcher on the lowering of single operators; `python -m tests.bench operators` runs all of torch's."""

from __future__ import annotations

import pytest

from .operators import Result, operators, result, total

# One of each kind: views, items of tuples, several ops, a reduction, a matrix product, a convolution.
SAMPLE = (
    "add", "addmm", "baddbmm", "cat", "chunk", "expand", "index_put", "max.reduction_with_dim", "mean",
    "nn.functional.batch_norm", "nn.functional.conv2d", "nn.functional.layer_norm", "nn.functional.linear",
    "permute", "split", "squeeze", "stack", "topk", "unbind", "var_mean", "view", "zeros_like",
)  # fmt: skip
GOAL = 0.995


@pytest.fixture(scope="module")
def results() -> list[Result]:
    pytest.importorskip("executorch")
    tried = operators()
    return [one for name in SAMPLE if (one := result(name, tried[name])) is not None]


@pytest.mark.nightly
def test_calls_of_single_operators_are_matched_as_lineage_has_them(results: list[Result]) -> None:
    assert len(results) >= 0.9 * len(SAMPLE), "what torch or ExecuTorch refuses is left out"
    precision, recall, true = total(results)
    assert true > 2 * len(results)
    mismatches = [f"{one.name}: {text}" for one in results for text in one.mismatches]
    assert min(precision, recall) >= GOAL, "\n".join(mismatches)


def test_what_is_missed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("executorch")
    monkeypatch.setattr("tests.compare.operators.PASSES", {})
    found = result("addmm", operators()["addmm"])
    assert found is not None
    assert found.score.recall == 0
    assert [text.partition(":")[0] for text in found.mismatches] == ["missing"] * found.score.true
