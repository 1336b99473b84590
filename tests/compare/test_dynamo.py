"""Plain GraphModules: what Dynamo traced of a model, and what AOT made of it."""

from __future__ import annotations

import pytest

import exir_viz
from tests.nightly import some

from .dynamo import MODELS, dynamo_truth, graph_modules
from .score import score


def test_calls_of_one_function_in_one_module_became_each_other() -> None:
    diff = exir_viz.diff(*graph_modules("two layers"))
    assert sorted(one.text for one in diff.rules) == [
        "`torch._C._nn.gelu` became `aten.gelu`",
        "`torch._C._nn.linear` became `aten.t` + `aten.addmm`",
    ]


@pytest.mark.parametrize("name", some(MODELS, [*MODELS][::3]))
def test_no_pair_is_wrong_or_missing(name: str) -> None:
    truth = dynamo_truth(name)
    found = score(truth)
    assert found.true == len(truth.pairs) > 0
    assert found.right == found.found == found.true
    assert "probably" not in str(exir_viz.diff(truth.a, truth.b))
