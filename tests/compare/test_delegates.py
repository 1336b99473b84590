"""Delegated ops have moved; the call of the delegate is new, and says what it is for."""

from __future__ import annotations

import copy
import functools

import pytest
import torch

import exir_viz
from exir_viz.compare.diff import Diff
from exir_viz.snapshot.index import index_of
from exir_viz.stages.session import Session
from exir_viz.stages.stage import Stage
from tests.corpus.eight_layers import saved

from .test_diff import mirrored


class Model(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = torch.nn.Linear(8, 8), torch.nn.Linear(8, 4)

    def forward(self, x):
        return self.second(torch.relu(self.first(x)))


@functools.cache
def stages() -> tuple[Stage, Stage]:
    edge = Session(Model().eval(), torch.randn(2, 8)).root.edge()
    return edge, edge.backend("xnnpack")


def diffs() -> list[Diff]:
    """With the lineage between the stages, and without it."""
    edge, taken = stages()
    assert mirrored(edge.snapshot, taken.snapshot)
    return [exir_viz.diff(edge, taken), exir_viz.diff(edge.snapshot, taken.snapshot)]


@pytest.mark.parametrize("at", [0, 1])
def test_each_op_moved_on_its_own(at: int) -> None:
    diff = diffs()[at]
    calls = [one for one in diff.changes if one.a and one.a[0].op == "call_function"]
    assert len(calls) > 3
    assert all(one.kind == "moved" and len(one.a) == len(one.b) == 1 for one in calls)
    assert {one.reason.partition(": ")[2] for one in calls} == {"delegated to XNNPACK"}


@pytest.mark.parametrize("at", [0, 1])
def test_what_runs_a_delegate_says_so(at: int) -> None:
    added = {one.b[0].target.name: one.reason for one in diffs()[at].changes if one.kind == "added"}
    assert added["executorch_call_delegate"].endswith("Runs the ops delegated to XnnpackBackend.")
    assert added["getitem"].endswith("Output of the XnnpackBackend delegate.")


@pytest.mark.parametrize("at", [0, 1])
def test_what_the_program_returns_is_the_same(at: int) -> None:
    """The item of the call represents the op that computes it."""
    diff = diffs()[at]
    output = diff.of(diff.a.method.graph["output"])
    assert output.kind == "same"


def test_state_went_with_them() -> None:
    texts = [fact.text for fact in diffs()[0].facts]
    assert "state `first.weight` went into XnnpackBackend: parameter f32[8, 8], 256 B" in texts
    edge, taken = stages()
    back = [fact.text for fact in exir_viz.diff(taken, edge).facts]
    assert "state `first.weight` came out of XnnpackBackend: parameter f32[8, 8], 256 B" in back
    reasons = {one.reason for one in exir_viz.diff(taken, edge).changes}
    assert "`aten.relu`: moved from XNNPACK into `forward`" in reasons


def test_rules_about_nodes_that_do_no_work_or_only_moved_come_last() -> None:
    rules = diffs()[0].rules
    assert [rule.minor for rule in rules] == sorted(rule.minor for rule in rules)
    moved = [rule for rule in rules if rule.kind == "moved"]
    assert all("delegated" in one.text for one in moved if not one.minor)
    ours = [rule for rule in rules if rule.minor and rule not in moved]
    minor = {name for rule in ours for name in (*rule.before, *rule.after)}
    assert minor <= {"input", "output", "attribute", "getitem"}
    assert {"input", "attribute"} <= minor
    assert any("delegated to XNNPACK" in rule.text for rule in rules if not rule.minor)


def test_rules_about_nodes_that_only_moved_are_minor() -> None:
    edge, lowered = (exir_viz.load(saved("llama8", stage)) for stage in ("edge", "xnnpack"))
    moved = [rule for rule in exir_viz.diff(edge, lowered).rules if rule.kind == "moved"]
    assert {"moved elsewhere" in rule.text for rule in moved} == {True, False}
    assert all(rule.minor for rule in moved if rule.text.endswith("moved elsewhere in the order"))
    assert not any(rule.minor for rule in moved if "delegated" in rule.text and "aten." in rule.text)


class Tied(torch.nn.Module):
    """A head with the embedding's weight: the delegate of the head gets a copy of it."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = torch.nn.Embedding(32, 16)
        self.head = torch.nn.Linear(16, 32, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        return self.head(torch.erf(self.embed(ids)))


def test_a_weight_that_a_delegate_copies_stays_where_it_is() -> None:
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    program = torch.export.export(Tied().eval().requires_grad_(False), (torch.zeros(1, 4, dtype=torch.long),))
    lowered = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
    a, b = exir_viz.load(lowered), exir_viz.load(copy.deepcopy(lowered).to_executorch())
    assert sum("head.weight" in index_of(graph).states.values() for graph in a.graphs) == 2
    diff = exir_viz.diff(a, b)
    for before in (node for graph in a.graphs for node in graph if node.op == "placeholder"):
        after = next(graph for graph in b.graphs if graph.path == before.graph.path)[before.name]
        assert diff.of(before).b == (after,)
