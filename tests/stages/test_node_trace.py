"""Tracing a node: the source line, every stage from the root on, the delegate, the instruction."""

from __future__ import annotations

import pytest
import torch

from exir_viz import Session
from exir_viz.snapshot.lineage import Evidence
from exir_viz.stages.node_trace import MAX_NODES, TraceEntry
from tests.corpus.concepts import Fn


class Net(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 3)

    def forward(self, x):
        return torch.cumsum(self.linear(x), 0)


@pytest.fixture(scope="module")
def session() -> Session:
    session = Session(Net().eval(), torch.randn(2, 4))
    edge = session.root.decompose("functional").edge()
    edge.backend().executorch()
    edge.executorch()
    return session


def entry(session: Session, stage: str, node: str, of: str) -> TraceEntry:
    return next(one for one in session[stage].trace(node).entries if one.stage == session[of].id)


def test_it_begins_at_the_line_and_goes_through_every_stage(session: Session) -> None:
    entries = session.root.trace("linear").entries
    assert entries[0].frame.file == __file__
    assert "self.linear(x)" in entries[0].frame.code
    assert [one.stage for one in entries[1:]] == [stage.id for stage in session]
    assert entries[1].nodes == ("forward/linear",)
    assert entries[1].evidence == ()
    assert all(Evidence.FROM_NODE in one.evidence or Evidence.IDENTITY in one.evidence for one in entries[3:])


def test_it_is_the_same_story_from_each_of_its_nodes(session: Session) -> None:
    edge = entry(session, "export", "linear", "edge")
    assert edge.ops == ("aten.permute_copy.default", "aten.addmm.default")
    for node in edge.nodes:
        story = session["edge"].trace(node).entries
        assert story[0].frame == session.root.trace("linear").entries[0].frame
        assert story[1].nodes == ("forward/linear",)


def test_it_names_the_delegate_and_the_instruction(session: Session) -> None:
    from executorch.exir._serialize._program import deserialize_pte_binary

    assert entry(session, "export", "linear", "xnnpack").delegates == (
        "XnnpackBackend: forward/lowered_module_0",
    )
    for name in ("executorch", "executorch 2"):
        plan = deserialize_pte_binary(session[name].pte).program.execution_plan[0]
        for node in ("linear", "cumsum"):
            one = entry(session, "export", node, name)
            calls = [plan.chains[0].instructions[at].instr_args for at in one.instructions]
            made = {plan.operators[call.op_index].name if hasattr(call, "op_index") else "" for call in calls}
            asked = {"aten::" + op.split(".")[1] if "." in op else "" for op in one.ops if op != "getitem"}
            assert made
            assert made <= asked


def test_memory_says_why_it_is_empty_and_what_is_removed(session: Session) -> None:
    alone = session["executorch 2"].trace("alloc").entries
    assert [one.stage for one in alone] == [session["executorch 2"].id]
    assert "writes its output to" in alone[0].reason
    split = Session(torch.export.export(Fn(lambda x: x.split(2)[0].sin()), (torch.ones(4, 2),)))
    (memory,) = split.root.edge().executorch().trace("alloc").entries
    assert memory.reason.startswith("The memory that aten_split_with_sizes_copy_default writes its output to")

    def nothing(module: torch.fx.GraphModule) -> None:
        output = module.graph.output_node()
        output.args = (tuple(node for node in module.graph.nodes if node.name == "linear"),)
        module.graph.eliminate_dead_code()

    program = Session(Net().eval(), torch.randn(2, 4))
    program.transform(nothing)
    trace = program.root.trace("cumsum")
    assert trace.entries[-1].nodes == ()
    assert str(trace).endswith("no counterpart here")


def test_a_delegate_of_many_names_some_and_counts_all() -> None:
    module = torch.nn.Sequential(*(torch.nn.ReLU() for _ in range(MAX_NODES + 5)))
    stage = Session(module, torch.randn(3)).backend()
    root = stage.trace("executorch_call_delegate").entries[1]
    assert (len(root.nodes), root.count) == (MAX_NODES, MAX_NODES + 5)
    assert f"and {MAX_NODES + 2} more" in str(stage.trace("executorch_call_delegate"))


def test_within_a_branch_it_begins_at_the_users_line() -> None:
    class Branches(torch.nn.Module):
        def forward(self, x):
            return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))

    stage = Session(torch.export.export(Branches(), (torch.ones(3),))).root
    node = next(graph["sin"] for graph in stage.snapshot.graphs if graph.path == "forward/true_graph_0")
    assert node.frames[-1].file.startswith("<eval_with_key>")
    assert stage.trace(node.id).entries[0].frame.file == __file__
