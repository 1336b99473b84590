"""Live programs: what torch's and ExecuTorch's verifiers reject, the rules find too, at the same node."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass

import pytest
import torch
from torch import fx
from torch.export import ExportedProgram

import exir_viz
from exir_viz.reports import Outcome
from exir_viz.reports.rules import all_rules, report_of, run
from exir_viz.reports.rules.records import Verdict
from exir_viz.reports.rules.verifiers import disagreements, verdicts_of
from exir_viz.snapshot.program import Dialect
from tests.stages.unchanged import unchanged

from .found import checked, found
from .programs import snapshot, stage


def helper(x: torch.Tensor) -> torch.Tensor:
    return x


def edge_of(op: torch._ops.OpOverload) -> object:
    from exir_viz.torch_internals.edge import edge_operator

    return edge_operator(op)


def node(graph: fx.Graph, name: str) -> fx.Node:
    return next(one for one in graph.nodes if one.name == name)


def insert(graph: fx.Graph, after: str, name: str, target: object, *, with_value: bool = True) -> fx.Node:
    """A call of `target` with the node before it, whose value it has."""
    before = node(graph, after)
    with graph.inserting_after(before):
        made = graph.create_node("call_function", target, (before,), name=name)
    if with_value:
        made.meta["val"] = before.meta["val"]
    return made


def read_tensor(program: ExportedProgram) -> None:
    program.graph_module.register_buffer("table", torch.ones(2))
    with program.graph.inserting_after(node(program.graph, "y")):
        made = program.graph.create_node("get_attr", "table", name="read")
    made.meta["val"] = node(program.graph, "x").meta["val"]


def call_method(program: ExportedProgram) -> None:
    with program.graph.inserting_after(node(program.graph, "relu")):
        program.graph.create_node("call_method", "relu", (node(program.graph, "relu"),), name="added")


def add_placeholder(program: ExportedProgram) -> None:
    with program.graph.inserting_after(node(program.graph, "y")):
        made = program.graph.placeholder("z")
    made.meta["val"] = node(program.graph, "y").meta["val"]


def rename_input(program: ExportedProgram) -> None:
    node(program.graph, "x")._rename("renamed")


def forget_value(program: ExportedProgram) -> None:
    del node(program.graph, "relu").meta["val"]


def late_argument(program: ExportedProgram) -> None:
    node(program.graph, "linear").append(node(program.graph, "x"))


def drop_state(program: ExportedProgram) -> None:
    del program.state_dict["linear.bias"]


@dataclass(frozen=True)
class Live:
    """How a live program is broken: the rule that finds it, the node, and whether a verifier does too."""

    rule: str
    dialect: Dialect
    node: str
    edit: Callable[[ExportedProgram], object]
    is_rejected: bool = True


LIVE = (
    Live("no-mutation", Dialect.ATEN, "added",
         lambda p: insert(p.graph, "relu", "added", torch.ops.aten.relu_.default)),
    Live("aten-operators", Dialect.ATEN, "added", lambda p: insert(p.graph, "relu", "added", helper)),
    Live("node-value", Dialect.ATEN, "relu", forget_value),
    Live("node-kind", Dialect.ATEN, "added", call_method),
    Live("get-attr", Dialect.ATEN, "read", read_tensor),
    Live("signature-inputs", Dialect.ATEN, "z", add_placeholder),
    Live("signature-inputs", Dialect.ATEN, "renamed", rename_input),
    Live("signature-state", Dialect.ATEN, "p_linear_bias", drop_state),
    Live("earlier-inputs", Dialect.ATEN, "linear", late_argument),
    Live("edge-operators", Dialect.EDGE, "added",
         lambda p: insert(p.graph, "aten_sin_default", "added", torch.ops.aten.relu.default)),
    Live("core-aten", Dialect.EDGE, "added",
         lambda p: insert(p.graph, "aten_sin_default", "added", edge_of(torch.ops.aten.silu.default))),
    Live("edge-dtypes", Dialect.EDGE, "added",
         lambda p: insert(p.graph, "dim_order_ops__to_dim_order_copy_default", "added",
                          edge_of(torch.ops.aten.bitwise_not.default))),
    # The verifiers accept these, and the rules say why they do not.
    Live("no-aliasing", Dialect.EDGE, "added",
         lambda p: insert(p.graph, "aten_sin_default", "added", edge_of(torch.ops.aten.alias.default)),
         is_rejected=False),
)  # fmt: skip


def broken(one: Live) -> ExportedProgram:
    program = copy.deepcopy(stage(one.dialect).program)
    one.edit(program)
    return program


@pytest.mark.parametrize("one", LIVE, ids=lambda one: f"{one.rule}-{one.node}")
def test_the_rules_find_what_the_verifiers_reject(one: Live) -> None:
    both = checked(broken(one))
    assert f"forward/{one.node}" in [each.node for each in both.findings if each.rule == one.rule]
    (verdict,) = both.verdicts
    assert verdict.is_accepted is not one.is_rejected
    assert disagreements(both) == []
    assert "verifier" not in {each.rule for each in both.findings}


@pytest.mark.parametrize("one", [one for one in LIVE if one.is_rejected], ids=lambda one: one.rule)
def test_a_verdict_names_nodes_of_the_program(one: Live) -> None:
    program = broken(one)
    captured = exir_viz.load(program)
    (verdict,) = verdicts_of({"forward": program}, captured)
    assert verdict.message
    named = {name.rpartition("/")[2] for name in verdict.nodes}
    assert one.node in named or one.rule in UNNAMED


# Rules of which the verifiers' message names no node of the graph: a state, a count, a kind of node.
UNNAMED = {"node-kind", "signature-state"}


def test_a_rejection_without_a_rule_is_a_finding() -> None:
    said = Verdict("ATEN", "forward", False, "Something is odd at relu", ("forward/relu",))
    both = run.check_snapshot(snapshot(Dialect.ATEN), verdicts=[said])
    (one,) = both.findings
    assert (one.rule, one.node, one.message) == ("verifier", "forward/relu", said.message)
    assert report_of(both).outcome is Outcome.ERROR
    (sentence,) = disagreements(both)
    assert sentence.startswith("ATEN rejects forward, and no rule does: ")


def test_a_stricter_rule_says_why() -> None:
    said = Verdict("ATEN", "forward", True)
    both = run.check_snapshot(snapshot(Dialect.ATEN), Dialect.ATEN_CORE, all_rules.RULES, [said])
    (sentence,) = disagreements(both)
    assert sentence.startswith("core-aten is stricter than ATEN on forward: torch's verifier allows every")


def test_the_memory_plan_is_verified(monkeypatch: pytest.MonkeyPatch) -> None:
    program = stage(Dialect.EXECUTORCH).program
    spec = node(program.graph, "aten_sin_default").meta["spec"]
    other = node(program.graph, "aten_exp_default").meta["spec"]
    monkeypatch.setattr(spec, "mem_offset", other.mem_offset)
    captured = exir_viz.load(program, dialect=Dialect.EXECUTORCH)
    (verdict,) = verdicts_of({"forward": program}, captured)
    assert verdict.verifier == "memory plan"
    assert "Unexpected storage overlap" in verdict.message
    rows = found(exir_viz.check(captured), "plan-overlap")
    assert "forward/aten_sin_default" in [one.node for one in rows]


@pytest.mark.parametrize("dialect", [Dialect.ATEN, Dialect.EDGE, Dialect.EXECUTORCH])
def test_checking_changes_nothing(dialect: Dialect) -> None:
    with unchanged(stage(dialect)):
        assert exir_viz.check(stage(dialect)).outcome is Outcome.FINE
