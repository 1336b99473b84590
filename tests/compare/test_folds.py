"""A batch norm that one side folded into the op before it: one rewrite, with its state in the bias."""

from __future__ import annotations

import copy

import pytest
import torch
from torch.export import ExportedProgram, export
from torch.nn.utils.fusion import fuse_conv_bn_eval, fuse_linear_bn_eval

import exir_viz
from exir_viz.compare.diff import Diff

from .test_diff import mirrored

IMAGE = torch.linspace(-1, 1, 192).reshape(1, 3, 8, 8)
NUMBERS = {"p_norm_weight", "p_norm_bias", "b_norm_running_mean", "b_norm_running_var"}


class Normed(torch.nn.Module):
    def __init__(self, op: torch.nn.Module, norm: torch.nn.Module) -> None:
        super().__init__()
        self.op, self.norm = op, norm
        self.norm.running_mean.uniform_(-2, 2)

    def forward(self, x):
        return self.norm(self.op(x)).relu()


def convolution(bias: bool = True) -> Normed:
    return Normed(torch.nn.Conv2d(3, 8, 3, bias=bias), torch.nn.BatchNorm2d(8)).eval()


def folded(model: Normed) -> Normed:
    twin = copy.deepcopy(model)
    fuse = fuse_linear_bn_eval if isinstance(twin.op, torch.nn.Linear) else fuse_conv_bn_eval
    twin.op, twin.norm = fuse(twin.op, twin.norm), torch.nn.Identity()
    return twin


def compared(a: ExportedProgram, b: ExportedProgram) -> Diff:
    """Without lineage, as two files are."""
    sides = exir_viz.load(a), exir_viz.load(b)
    assert mirrored(*sides)
    return exir_viz.diff(*sides)


@pytest.mark.parametrize("bias", [True, False])
def test_op_and_norm_are_one_rewriting(bias: bool) -> None:
    model = convolution(bias)
    diff = compared(export(model, (IMAGE,)), export(folded(model), (IMAGE,)))
    graph = diff.a.method.graph
    match = diff.of(graph["batch_norm"])
    assert [node.name for node in match.a] == ["conv2d", "batch_norm"]
    assert match.b == (diff.b.method.graph["conv2d"],)
    assert match.reason == (
        "`aten.conv2d` + `aten.batch_norm` probably became `aten.conv2d` by folding the batch norm"
    )
    assert match.evidence.name == "folded"
    assert match.evidence.text.startswith("inference: ")
    assert match.evidence.confidence < 1


@pytest.mark.parametrize("bias", [True, False])
def test_the_numbers_of_a_norm_went_into_the_bias(bias: bool) -> None:
    model = convolution(bias)
    diff = compared(export(model, (IMAGE,)), export(folded(model), (IMAGE,)))
    match = diff.of(diff.a.method.graph["b_norm_running_var"])
    assert {node.name for node in match.a} == NUMBERS | ({"p_op_bias"} if bias else set())
    assert [node.name for node in match.b] == ["p_op_bias"]
    assert match.reason.endswith(" probably became `p_op_bias` by folding the batch norm")
    assert {one.name for one in diff.facts if one.topic == "state" and one.after is None} >= {
        "norm.weight", "norm.bias", "norm.running_mean", "norm.running_var",
    }  # fmt: skip


def test_a_decomposed_norm_and_its_item() -> None:
    model = convolution()
    sides = (export(one, (IMAGE,)).run_decompositions() for one in (model, folded(model)))
    diff = compared(*sides)
    match = diff.of(diff.b.method.graph["convolution"])
    names = {node.target.name for node in match.a}
    assert names == {"convolution", "_native_batch_norm_legit_no_training", "getitem"}
    assert not [node for node in (*match.a, *match.b) if diff.of(node).kind == "removed"]


def test_into_a_linear_and_across_dialects() -> None:
    model = Normed(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8)).eval()
    x = torch.randn(2, 4)
    a, b = export(model, (x,)), export(folded(model), (x,)).run_decompositions()
    diff = compared(a, b)
    match = diff.of(diff.a.method.graph["batch_norm"])
    assert {node.target.name for node in match.a} == {"linear", "batch_norm"}
    assert {node.target.name for node in match.b} == {"permute", "addmm"}


def test_a_norm_that_is_only_gone_is_removed() -> None:
    model = convolution()
    without = copy.deepcopy(model)
    without.norm = torch.nn.Identity()
    diff = compared(export(model, (IMAGE,)), export(without, (IMAGE,)))
    assert diff.of(diff.a.method.graph["batch_norm"]).kind == "removed"
    assert diff.of(diff.a.method.graph["b_norm_running_var"]).kind == "removed"


@pytest.mark.parametrize("decomposed", [True, False])
def test_folding_scales_the_weight(decomposed: bool) -> None:
    """A removed norm with only the bias trained again was not folded."""
    model = convolution(bias=False)
    other = copy.deepcopy(model)
    other.norm = torch.nn.Identity()
    other.op.bias = torch.nn.Parameter(torch.ones(8))
    linear = Normed(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8)).eval()
    shifted = copy.deepcopy(linear)
    shifted.norm = torch.nn.Identity()
    shifted.op.bias = torch.nn.Parameter(torch.ones(8))
    for a, b, x in ((model, other, IMAGE), (linear, shifted, torch.ones(2, 4))):
        programs = export(a, (x,)), export(b, (x,))
        diff = compared(*(one.run_decompositions() if decomposed else one for one in programs))
        assert "folding" not in str(diff)
        (norm,) = (node for node in diff.a.method.graph if "batch_norm" in node.target.name)
        assert diff.of(norm).kind == "removed"


def test_a_norm_that_trains_is_not_folded() -> None:
    model = convolution()
    diff = compared(export(model.train(), (IMAGE,)), export(folded(model.eval()), (IMAGE,)))
    assert "folding" not in str(diff)


def test_another_reader_of_the_op_forbids_it() -> None:
    class Both(Normed):
        def forward(self, x):
            x = self.op(x)
            return self.norm(x).relu() + x

    model = Both(torch.nn.Conv2d(3, 8, 3), torch.nn.BatchNorm2d(8)).eval()
    diff = compared(export(model, (IMAGE,)), export(folded(model), (IMAGE,)))
    assert "folding" not in str(diff)
