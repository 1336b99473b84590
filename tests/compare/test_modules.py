"""Which modules a change is listed under: every change in some module, and in the whole model at least."""

from __future__ import annotations

import pytest
import torch
from msgspec.structs import replace
from torch import nn

import exir_viz
from exir_viz.compare.diff import Diff
from exir_viz.compare.normalize.module_attribution import ModuleAttribution
from exir_viz.compare.records import Counts, ModuleChange
from exir_viz.snapshot.columns import NONE
from tests.snapshot.sample import chain, taken

X = torch.randn(2, 4)


class Net(nn.Module):
    """Two modules that a backend may accept, and between them a call outside any module."""

    def __init__(self, bias: bool = True) -> None:
        super().__init__()
        self.first = nn.Linear(4, 4, bias=bias)
        self.second = nn.Sequential(nn.Linear(4, 4))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.second(self.first(x).sinh())


class Spare(Net):
    """Has an unused weight."""

    def __init__(self) -> None:
        super().__init__()
        self.first.register_buffer("spare", torch.zeros(2))


def captured(module: nn.Module) -> exir_viz.types.Snapshot:
    return exir_viz.load(torch.export.export(module, (X,)))


def by_path(diff: Diff) -> dict[str, ModuleChange]:
    return {one.path: one for one in diff.modules}


def total(counts: Counts) -> tuple[int, ...]:
    return counts.added, counts.removed, counts.changed, counts.moved, counts.rewritten, counts.same


@pytest.fixture(scope="module")
def lowered() -> Diff:
    pytest.importorskip("executorch.backends.xnnpack")
    edge = exir_viz.Session(Net(), X).root.edge()
    return exir_viz.diff(edge, edge.backend("xnnpack"))


def test_state_counts_where_it_is_read() -> None:
    found = by_path(exir_viz.diff(captured(Net()), captured(Net(bias=False))))
    assert found["first"].own.removed == 1
    assert found["second.0"].counts.removed == 0
    assert found[""].own.removed == 0
    assert found[""].counts.removed == 1


def test_state_without_a_reader_counts_where_its_name_says() -> None:
    found = by_path(exir_viz.diff(captured(Net()), captured(Spare())))
    assert (found["first"].own.added, found[""].own.added, found[""].counts.added) == (1, 0, 1)


def test_state_of_a_module_that_holds_no_node_counts_in_what_is_around_it() -> None:
    before = captured(Net())
    columns = before.method.graph.columns
    inner = {at for at, scope in enumerate(before.scopes) if scope.path == "first"}
    outside = tuple(NONE if at in inner else at for at in columns.scopes)
    graphs = (replace(columns, scopes=outside), *before.skeleton.graphs[1:])
    after = exir_viz.types.Snapshot(replace(before.skeleton, graphs=graphs), before.detail)
    assert "first" not in by_path(exir_viz.diff(after, after))
    assert (
        by_path(exir_viz.diff(after, after))[""].own.same
        > by_path(exir_viz.diff(before, before))[""].own.same
    )


def test_what_runs_a_delegate_counts_in_what_is_around_all_that_it_took(lowered: Diff) -> None:
    found = by_path(lowered)
    assert {op.op: op.after - op.before for op in lowered.ops}["executorch_call_delegate"] == 2
    assert (found["first"].before, found["first"].after) == (2, 2)  # two ops, then the call and its item
    assert found["first"].own.added > 0


def test_all_that_changed_is_in_the_whole_model(lowered: Diff) -> None:
    whole = by_path(lowered)[""]
    assert total(whole.counts) == total(lowered.counts)
    assert whole.after - whole.before == sum(one.after - one.before for one in lowered.ops)


def traced(*modules: nn.Module) -> exir_viz.types.Snapshot:
    """Its module calls are outermost ones: the whole model is no call."""
    return exir_viz.load(torch.fx.symbolic_trace(nn.Sequential(*modules)))


@pytest.mark.parametrize("a", [captured(Net()), traced(nn.Tanh())])
@pytest.mark.parametrize("b", [captured(Net(bias=False)), traced(nn.Sigmoid(), nn.Tanh())])
def test_a_side_without_a_whole_model_counts_in_one(
    a: exir_viz.types.Snapshot, b: exir_viz.types.Snapshot
) -> None:
    for diff in (exir_viz.diff(a, b), exir_viz.diff(b, a)):
        (whole,) = (one for one in diff.modules if not one.path)
        assert total(whole.counts) == total(diff.counts)


def test_the_frame_tells_the_module_that_the_counts_tell(lowered: Diff) -> None:
    frame = lowered.frame
    changed = frame[frame.kind != "same"]
    for path in ("first", "second.0"):
        known = by_path(lowered)[path].own
        assert sum(changed.module == path) == sum(total(known)[:5])


def test_a_scope_is_named_for_every_node(lowered: Diff) -> None:
    for snapshot in (lowered.a, lowered.b):
        owners = ModuleAttribution(snapshot)
        assert all(owners.of(node) for graph in snapshot.graphs for node in graph)


def test_the_module_of_a_delegate_is_not_asked_of_all_that_its_call_reads(call_count) -> None:
    def work(snapshot: exir_viz.types.Snapshot) -> None:
        owners = ModuleAttribution(snapshot)
        (layer,) = (at for at, scope in enumerate(snapshot.scopes) if scope.path == "layer")
        found = {owners.of(node) for graph in snapshot.graphs for node in graph if node.op == "placeholder"}
        assert found == {(layer,)}

    few, many = (call_count(lambda size=size: work(taken(size))) for size in (40, 400))
    assert many < 11 * few


def test_where_there_is_no_module_call_none_is_looked_for(monkeypatch) -> None:
    monkeypatch.setattr(ModuleAttribution, "of", None)
    a, b = chain(10, scoped=False), chain(12, scoped=False)
    assert exir_viz.diff(a, b).modules == ()


class Clipped(Net):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return super().forward(x).clamp(max=1.0)


def test_a_module_of_another_class_names_both() -> None:
    assert "the whole model (Net → Clipped)" in str(exir_viz.diff(captured(Net()), captured(Clipped())))
