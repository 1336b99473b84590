"""Uncertain matches: not stated as facts, at most as trusted as their evidence, or not matched at all."""

from __future__ import annotations

import pytest
import torch
from torch import nn

import exir_viz
from exir_viz.compare.align.groups import group
from exir_viz.compare.align.pairing import MatchEvidence, Pairing
from exir_viz.compare.align.rewrites import settle_holes
from exir_viz.compare.diff import Diff
from exir_viz.compare.normalize.side import Side, Tables
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.records import NodeArg
from tests.snapshot.sample import Maker, aten, chain

from .mutate import bare, mutate
from .test_diff import mirrored
from .test_scopes import captured

X = torch.randn(1, 6, 16)


class Between(nn.Module):
    """Something between two layers."""

    def __init__(self, inner: nn.Module) -> None:
        super().__init__()
        self.first, self.inner, self.last = nn.Linear(16, 16), inner, nn.Linear(16, 4)

    def forward(self, x):
        return self.last(self.inner(self.first(x)))


class Fn(nn.Module):
    def __init__(self, fn) -> None:
        super().__init__()
        self.fn = fn

    def forward(self, *args):
        return self.fn(*args)


class Offset(nn.Module):
    """Adds a buffer, or a user input."""

    def __init__(self, is_passed: bool) -> None:
        super().__init__()
        if not is_passed:
            self.register_buffer("offset", torch.ones(1, 6, 16))

    def forward(self, x, y=None):
        return x + (self.offset if y is None else y)


def diff(a: Snapshot, b: Snapshot) -> Diff:
    assert mirrored(a, b)
    return exir_viz.diff(a, b)


def test_a_layer_did_not_become_one_op_that_took_its_place() -> None:
    layer = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    found = diff(captured(Between(layer), X), captured(Between(nn.Tanh()), X))
    assert found.counts.rewritten == 0
    assert [one.b[0].target.name for one in found.changes if one.kind == "added"] == ["tanh"]
    assert found.counts.removed > 30


@pytest.mark.parametrize("other", [torch.nonzero, lambda x: x.sum(-1) > 0, lambda x: x.sum()])
def test_what_hands_on_another_kind_of_value_is_something_else(other) -> None:
    """Between the same input and output, with nothing else in common."""
    a, b = bare(captured(Fn(lambda x: x.tanh().sin()), X)), bare(captured(Fn(other), X))
    assert all(diff(a, b).of(a.method.graph[name]).kind == "removed" for name in ("tanh", "sin"))


def test_what_only_stands_between_the_same_nodes_probably_became_the_other() -> None:
    a, b = captured(Fn(lambda x: x.tanh().neg()), X), captured(Fn(lambda x: x.sigmoid().neg()), X)
    (one,) = diff(bare(a), bare(b)).changes
    assert one.reason == "`aten.tanh` probably became `aten.sigmoid`"
    assert one.evidence.confidence < 0.9


def test_a_pair_is_believed_no_more_than_what_it_was_found_from() -> None:
    tables = Tables()
    pairing = Pairing(Side(chain(8), tables), Side(chain(8), tables))
    pairing.pair(3, 3, MatchEvidence.SEQUENCE)
    pairing.pair(4, 4, MatchEvidence.NEIGHBOUR, found_from=3)
    pairing.pair(5, 5, MatchEvidence.NEIGHBOUR, found_from=4)
    pairing.pair(6, 6, MatchEvidence.STRUCTURE)
    pairing.pair(7, 7, MatchEvidence.NEIGHBOUR, found_from=6)
    for one in (pairing, pairing.turned()):
        found = {
            each.a[0]: (each.evidence.value, each.confidence)
            for each in group(one).groups
            if each.a and each.b
        }
        assert found[3] == ("sequence", 0.9)
        assert found[4] == found[5] == ("neighbour", 0.9)
        assert found[7] == ("neighbour", 0.99)


def test_state_is_no_input_of_the_user() -> None:
    found = diff(captured(Offset(False), X), captured(Offset(True), X, X))
    kinds = {node.name: one.kind.value for one in found for node in (*one.a, *one.b)}
    assert (kinds["b_offset"], kinds["y"]) == ("removed", "added")


def test_new_names_of_state_are_no_fact_either() -> None:
    """Every parameter, buffer and output of another name."""
    a, b = mutate(captured(Between(nn.BatchNorm1d(6)), X), "rename")[:2]
    found = diff(a, b)
    assert {entry.name for entry in a.method.state}.isdisjoint(entry.name for entry in b.method.state)
    assert found.is_empty, found


def test_a_state_that_changed_under_another_name_is_reported_once() -> None:
    class Named(nn.Module):
        def __init__(self, name: str, size: int) -> None:
            super().__init__()
            self.name = name
            setattr(self, name, nn.Linear(16, size))

        def forward(self, x):
            return getattr(self, self.name)(x)

    found = diff(captured(Named("one", 4), X), captured(Named("two", 4), X))
    assert found.is_empty, found
    facts = diff(captured(Named("one", 4), X), captured(Named("two", 8), X)).facts
    states = {fact.name: (fact.before, fact.after) for fact in facts if fact.topic == "state"}
    assert states["one.weight"] == ("parameter f32[4, 16], 256 B", "parameter f32[8, 16], 512 B")
    assert set(states) == {"one.weight", "one.bias"}


def masked(layers: int) -> Snapshot:
    """All layers read one mask."""
    make = Maker("masked")
    value = make.tensor(8)
    graph = make.builder.graph("forward")
    mask, at = make.input(graph, "mask", value), make.input(graph, "x", value)
    for number in range(layers):
        for op, more in (("add", (NodeArg(mask),)), ("relu", ())):
            args = NodeArg(at), *more
            at = make.add(graph, f"{op}_{number}", "call_function", aten(op), args, value=value)
    make.output(graph, at)
    return make.finish(graph)


def test_what_is_left_in_many_places_is_not_compared_with_all_that_reads_the_same(call_count) -> None:
    def left(layers: int) -> Pairing:
        a, b = (Side(masked(layers), tables) for tables in (Tables(),) for _ in range(2))
        return Pairing(a, b, [(i, i) for i in range(a.size) if a.node(i).target.name != "add"])

    few, many = left(40), left(400)
    assert call_count(lambda: settle_holes(many)) < 11 * call_count(lambda: settle_holes(few))
    assert many.of_a == list(range(many.a.size))
    assert sum(evidence is MatchEvidence.BOUNDARY for *_, evidence in many.links) == 400


class Flat(nn.Module):
    """Writes to a view of the input: the transpose then reads the written value, not the input."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("count", torch.zeros(3))

    def forward(self, x):
        self.count += 1
        y = x.view(-1)
        y[1:3].zero_()
        return y.sum() + self.count, x.t()


def test_one_call_is_no_other_op_with_a_result_of_another_shape() -> None:
    session = exir_viz.Session(Flat(), torch.randn(2, 3))
    diff = exir_viz.diff(session.root, session.decompose().edge())
    (copied,) = (match for match in diff if any(node.target.name == "copy" for node in match.b))
    assert copied.a == ()
    assert "aten.t probably became" not in str(diff)
