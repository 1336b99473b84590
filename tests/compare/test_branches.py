"""Branches and loops match by their position at the calls that contain them, whatever their names."""

from __future__ import annotations

import copy

import pytest
import torch
from torch._higher_order_ops import while_loop
from torch.export import ExportedProgram, export

import exir_viz
from exir_viz.compare.diff import Diff
from tests.corpus import programs
from tests.corpus.concepts import Fn

from .test_diff import mirrored

X = torch.randn(2, 4)


def loop_in_cond() -> ExportedProgram:
    """A loop in one branch of a branch, and another call with branches after it."""

    def double(x):
        return while_loop(lambda n, x: n < 3, lambda n, x: (n + 1, x * 2), (torch.zeros(()), x))[1]

    def fn(x):
        y = torch.cond(
            x.sum() > 0,
            lambda x: torch.cond(x.max() > 1, double, lambda x: x - 1, (x,)),
            lambda x: x.cos(),
            (x,),
        )
        return torch.cond(y.sum() > 0, lambda y: y.sin(), lambda y: y.cos(), (y,))

    return export(Fn(fn), (X,))


def renamed(program: ExportedProgram, by_name: dict[str, str] | None = None) -> ExportedProgram:
    """A copy with other graph names: by a table, or all of them new."""
    found = copy.deepcopy(program)
    modules = [one for one in found.graph_module.modules() if isinstance(one, torch.fx.GraphModule)]
    for module in modules:
        held = {name: one for name, one in module.named_children() if isinstance(one, torch.fx.GraphModule)}
        names = {name: (by_name or {}).get(name, f"anew_{name[::-1]}") for name in held}
        for name in held:
            delattr(module, name)
        for name, one in held.items():
            setattr(module, names[name], one)
        for node in module.graph.nodes:
            if node.op == "get_attr" and node.target in names:
                node.target = names[node.target]
    return found


@pytest.fixture(scope="module")
def loop() -> ExportedProgram:
    return loop_in_cond()


def graphs(diff: Diff, kind: str = "same") -> set[tuple[str, str]]:
    """Which graphs contain matched nodes."""
    return {(one.a[0].graph.path, one.b[0].graph.path) for one in diff if one.kind == kind}


@pytest.mark.parametrize("name", ["nested_cond", "loop", "control_flow", "while_loop"])
def test_names_of_graphs_are_no_difference(name: str, loop: ExportedProgram) -> None:
    program = loop if name == "loop" else programs.exported(name)
    a, b = exir_viz.load(program), exir_viz.load(renamed(program))
    assert {graph.name for graph in a.graphs[1:]}.isdisjoint(graph.name for graph in b.graphs[1:])
    diff = exir_viz.diff(a, b)
    assert diff.is_empty, diff
    assert len(graphs(diff)) == len(a.graphs)


def test_exchanged_names_do_not_exchange_branches(loop: ExportedProgram) -> None:
    names = [
        name for name, one in loop.graph_module.named_children() if isinstance(one, torch.fx.GraphModule)
    ]
    table = dict(zip(names, reversed(names), strict=True))
    diff = exir_viz.diff(exir_viz.load(loop), exir_viz.load(renamed(loop, table)))
    assert diff.is_empty, diff
    assert (f"forward/{names[0]}", f"forward/{table[names[0]]}") in graphs(diff)


def test_a_call_put_in_before_shifts_no_branch() -> None:
    def later(x):
        return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.sin() + 1, (x,))

    def also(x):
        return later(torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.sin() * 2, (x,)))

    a, b = (exir_viz.load(export(Fn(fn), (X,))) for fn in (later, also))
    diff = exir_viz.diff(a, b)
    assert {(one.kind.value, one.fields) for one in diff.changes} == {("added", ()), ("changed", ("inputs",))}
    assert ("forward/false_graph_0", "forward/false_graph_1") in graphs(diff)
    assert graphs(exir_viz.diff(b, a)) == {(two, one) for one, two in graphs(diff)}


def test_what_changed_in_a_branch_is_reported_in_it(loop: ExportedProgram) -> None:
    program = renamed(loop)
    inner = next(
        node
        for module in program.graph_module.modules()
        if isinstance(module, torch.fx.GraphModule)
        for node in module.graph.nodes
        if node.target is torch.ops.aten.mul.Tensor
    )
    inner.target = torch.ops.aten.div.Tensor
    diff = exir_viz.diff(exir_viz.load(loop), exir_viz.load(program))
    assert [(one.kind.value, one.fields) for one in diff.changes] == [("changed", ("op",))]


def test_what_changed_in_a_branch_counts_in_the_module_that_runs_it() -> None:
    class Inner(torch.nn.Module):
        def __init__(self, by: float) -> None:
            super().__init__()
            self.by = by

        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda x: x * self.by, lambda x: x.cos(), (x,))

    class Outer(torch.nn.Module):
        def __init__(self, by: float) -> None:
            super().__init__()
            self.first, self.second = Inner(2.0), Inner(by)

        def forward(self, x):
            return self.second(self.first(x))

    diff = exir_viz.diff(*(exir_viz.load(export(Outer(by), (X,))) for by in (2.0, 3.0)))
    (change,) = diff.changes
    assert change.b[0].graph.parent is not None
    told = {one.path.removeprefix("L['self']").removeprefix("."): one.counts.changed for one in diff.modules}
    assert told == {"": 1, "first": 0, "second": 1}
    assert diff.frame.query("kind == 'changed'")["module"].item().endswith("second")
    assert "second" in diff.to_markdown()


def test_a_method_that_one_side_has_alone_hides_no_other() -> None:
    one, other = (programs.exported(name) for name in ("nested_cond", "control_flow"))
    a = exir_viz.Session({"forward": one}).root.snapshot
    b = exir_viz.Session({"forward": one, "other": other}).root.snapshot
    changes = exir_viz.diff(a, b).changes
    assert {one.kind.value for one in changes} == {"added"}
    assert {one.b[0].graph.path.partition("/")[0] for one in changes} == {"other"}


def test_what_only_went_into_a_region_without_gradients_moved_there() -> None:
    def fn(x):
        return (x.sin() + 1).relu()

    def without(x):
        with torch.no_grad():
            y = x.sin() + 1
        return y.relu()

    a, b = (exir_viz.load(export(Fn(one), (X.clone().requires_grad_(),))) for one in (fn, without))
    assert any("set_grad_enabled" in one.target.name for one in b.method.graph)
    for before, after, kind in ((a, b, "added"), (b, a, "removed")):
        diff = exir_viz.diff(before, after)
        kinds = {one.a[0].target.name: one.kind.value for one in diff if one.a and one.b}
        assert (kinds["sin"], kinds["add"], kinds["relu"]) == ("moved", "moved", "same")
        assert {one.kind.value for one in diff.changes} == {"moved", kind}
    (inner,) = (graph.name for graph in b.graphs if graph.parent is not None)
    assert f"`aten.sin`: moved into `{inner}`" in {one.reason for one in exir_viz.diff(a, b).changes}


def test_one_more_cond_before_another_is_the_new_one() -> None:
    """Though the branches of the old one changed too: they have the most ops in common."""

    class One(torch.nn.Module):
        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda x: x.sin() * 2, lambda x: x.cos() + 1, (x,))

    class Two(torch.nn.Module):
        def forward(self, x):
            x = torch.cond(x.sum() > 1, lambda x: x.neg(), lambda x: x.abs(), (x,))
            return torch.cond(x.sum() > 0, lambda x: x.sin() * 3, lambda x: x.cos().exp() + 1, (x,))

    a, b = (exir_viz.load(export(one(), (torch.randn(3),))) for one in (One, Two))
    diff = exir_viz.diff(a, b)
    assert mirrored(a, b)
    reasons = {one.reason for one in diff.changes}
    assert "`aten.mul.Tensor`: other 2 → 3" in reasons
    assert not [text for text in reasons if "became" in text]
    (cond,) = (node for node in a.method.graph if node.target.name == "cond")
    assert [node.name for node in diff.of(cond).b] == ["cond_1"]
