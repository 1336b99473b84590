"""No step disturbs another: what a step gives is what it gives in a fresh session, whatever was done before.

All steps are done to one stage in an order and then in the reverse of it, so that each comes before and after
each other one.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import pytest
import torch
from torch.export import Dim
from torch.fx.graph_module import _loader

import exir_viz
from exir_viz import Session
from exir_viz.stages.live import LivePrograms, NotPossible
from exir_viz.stages.program_copies import copy_programs
from exir_viz.stages.stage import Stage
from exir_viz.torch_internals.fake_values import fake_mode_of, storage_id
from tests.corpus.concepts import Fn
from tests.corpus.programs import fresh
from tests.nightly import nightly
from tests.stages.failing import outcome as stage_of

from .modules import DoubleScale
from .unchanged import unchanged

Verbs = Mapping[str, Callable[[Stage], Stage]]

ATEN: Verbs = {
    "functional": lambda stage: stage.decompose("functional"),
    "core": lambda stage: stage.decompose(),
    "transform": lambda stage: stage.transform(DoubleScale()),
    "quantize": lambda stage: stage.quantize(),
    "reexport": lambda stage: stage.reexport(),
    "edge": lambda stage: stage.edge(),
    "backend": lambda stage: stage.backend("xnnpack"),
}
EDGE: Verbs = {
    "transform": lambda stage: stage.transform(DoubleScale()),
    "backend": lambda stage: stage.backend("xnnpack"),
    "executorch": lambda stage: stage.executorch(),
}
COMPILED = 1_000_000
_ADDRESS = re.compile(r"\d{9,}")
# The body of a loop, and symbols that only a run decides.
QUICK = ("while_loop", "data_dependent_shape")
# Branches, a scan, written state, related and unbacked symbols. All programs would take an hour.
SLOW = ("scan_op", "db:cond_operands", "unbacked_item", "related_dims", "buffer_mutation")


def made(run: Callable[[Stage], Stage], before: Stage) -> Stage | str:
    """The stage that a step makes, or why the step is refused."""
    try:
        return stage_of(run, before)
    except NotPossible as refusal:
        return str(refusal)


def outcome(stage: Stage | str) -> object:
    """All that can be seen of a stage, or why it cannot be made."""
    if isinstance(stage, str):
        return stage
    if stage.failed:
        return stage.failure
    pte = stage.pte if stage.live.pte is not None else None
    return _without_numbers(stage.live.capture()), stage.lineage, stage.findings, pte


def _without_numbers(snapshot: exir_viz.types.Snapshot) -> exir_viz.types.Snapshot:
    """Without what differs in every export: autograd's `seq_nr`, and modules' addresses in strict mode."""
    replace = msgspec.structs.replace
    extras = tuple(tuple(one for one in extras if one.name != "seq_nr") for extras in snapshot.detail.extras)
    scopes = tuple(replace(one, key=_ADDRESS.sub(f"{at}", one.key)) for at, one in enumerate(snapshot.scopes))
    return exir_viz.types.Snapshot(
        replace(snapshot.skeleton, scopes=scopes), replace(snapshot.detail, extras=extras)
    )


def exported(name: str) -> torch.export.ExportedProgram:
    """A program of its own. FX counts the sources that it compiles, and stack traces have the number.

    Scales and zero points of quantization depend on the weights.
    """
    torch.manual_seed(0)
    number, _loader.next_id = _loader.next_id, COMPILED
    try:
        return fresh(name)
    finally:
        _loader.next_id = number


@functools.cache
def alone(name: str) -> dict[str, Stage | str]:
    """What each step makes, in a session of its own."""
    return {verb: made(run, Session(exported(name), name="export").root) for verb, run in ATEN.items()}


@functools.cache
def alone_from_edge(name: str) -> dict[str, Stage | str]:
    """The same for the steps from edge; empty if the program cannot be lowered to it."""
    found = {}
    for verb, run in EDGE.items():
        edge = stage_of(Session(exported(name)).root.edge)
        if edge.failed:
            return {}
        found[verb] = made(run, edge)
    return found


@pytest.mark.parametrize("name", [QUICK[-1], *nightly((QUICK[0], *SLOW))])
def test_every_step_does_what_it_does_alone(name: str) -> None:
    expected = {verb: outcome(stage) for verb, stage in alone(name).items()}
    session = Session(exported(name), name="export")
    with unchanged(session.root):
        for verb in (*ATEN, *reversed(ATEN)):
            assert outcome(made(ATEN[verb], session.root)) == expected[verb], verb


@pytest.mark.nightly
@pytest.mark.parametrize("name", [QUICK[-1], *nightly((QUICK[0], *SLOW))])
def test_so_does_every_step_from_edge(name: str) -> None:
    expected = {verb: outcome(stage) for verb, stage in alone_from_edge(name).items()}
    if not expected:
        return
    edge = Session(exported(name)).root.edge()
    with unchanged(edge):
        for verb in (*EDGE, *reversed(EDGE)):
            assert outcome(made(EDGE[verb], edge)) == expected[verb], verb


@pytest.mark.parametrize("name", ["several_outputs", *nightly((*QUICK, *SLOW))])
def test_every_stage_counts_calls_as_its_diff_does(name: str) -> None:
    """The tree of stages shows one count, the diff of a stage and its parent the other."""
    found = (*alone(name).values(), *alone_from_edge(name).values())
    stages = [stage for stage in found if isinstance(stage, Stage) and not stage.failed]
    assert stages
    for stage in stages:
        assert stage.change == exir_viz.diff(stage.parent, stage).calls, stage.name


@pytest.mark.parametrize("name", ["scan_op", *nightly(["while_loop"])])
def test_quantizing_observes_no_loop_of_the_users_program(name: str, tmp_path: Path) -> None:
    program = exported(name)
    before = exir_viz.load(program)
    stage_of(Session(program).quantize)
    assert exir_viz.load(program) == before
    torch.export.save(program, tmp_path / "p.pt2")
    assert not Session(program).decompose().failed


def test_a_copy_is_the_same_and_shares_what_is_large() -> None:
    class Module(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(4, 4)

        def forward(self, input, mask):  # FX names the copy of `input` anew
            return torch.cond(mask.any(), self.linear, torch.sin, (input[mask.nonzero()[:, 0]],))

    x = torch.randn(5, 4)
    dims = ({0: Dim("n", max=9)}, {0: Dim("n", max=9)})
    live = LivePrograms.of(Module(), (x, torch.ones(5, dtype=torch.bool)), dynamic_shapes=dims)
    copy = copy_programs(live)
    assert copy.live.capture() == live.capture()
    program, twin = live.program, copy.live.program
    assert {(one.name, one.op) for one in copy.originals} == {
        (one.name, one.op) for one in copy.originals.values()
    }
    assert all(one is not node and one.graph is not node.graph for one, node in copy.originals.items())
    assert all(twin.state_dict[name] is weight for name, weight in program.state_dict.items())
    assert twin.example_inputs[0][0] is program.example_inputs[0][0]
    modes = [fake_mode_of(node.meta.get("val") for node in one.graph.nodes) for one in (program, twin)]
    environments = [mode.shape_env for mode in modes]
    assert environments[0] is not environments[1]
    environments[0].check_equal(environments[1])
    nodes = {node.name: node.meta["val"] for node in twin.graph.nodes if "val" in node.meta}
    assert {size.node.shape_env for size in nodes["input"].shape[:1]} == {environments[1]}


def test_a_value_that_is_written_in_place_may_be_so_in_the_copy() -> None:
    """Strict export leaves buffers that are results of ops. A leaf with gradients could not be written."""
    live = LivePrograms.of(Fn(lambda x: x.sin()), (torch.randn(4),))
    node = next(iter(live.program.graph.nodes))
    with torch.enable_grad():
        leaf = node.meta["val"].detach().requires_grad_()
        node.meta["val"] = leaf * 2
    assert not node.meta["val"].is_leaf
    twin = next(iter(copy_programs(live).live.program.graph.nodes)).meta["val"]
    assert twin.requires_grad
    assert not twin.is_leaf
    twin.copy_(twin.detach())


def test_values_that_share_memory_share_it_in_the_copy() -> None:
    live = LivePrograms.of(
        Fn(lambda x: x.view(-1)[1:]), (torch.randn(4, 4),), dynamic_shapes=(({0: Dim("n")},),)
    )
    views = [
        {storage_id(node.meta["val"]) for node in one.program.graph.nodes if node.op != "output"}
        for one in (live, copy_programs(live).live)
    ]
    assert [len(one) for one in views] == [1, 1]
    assert views[0] != views[1]


def test_a_pass_may_write_to_metadata_and_leave_anything_there() -> None:
    session = Session(Fn(lambda x: torch.relu(x) + 1), torch.randn(3))
    for node in session.root.program.graph.nodes:
        node.meta["custom"] = {"mine": 1}

    def write(module: torch.fx.GraphModule) -> None:
        for node in module.graph.nodes:
            node.meta["custom"]["mine"] = 2
            node.meta["from_node"] = ["anything", None]

    stage = session.root.transform(write)
    assert not [one for one in stage.step.notices if one.code == "lineage"]
    assert all(stage.ancestors(node) for node in stage.snapshot.method.graph)
    assert {node.meta["custom"]["mine"] for node in session.root.program.graph.nodes} == {1}


def test_a_preview_leaves_the_symbols_alone() -> None:
    stage = Session(exported("data_dependent_shape")).root
    environment = fake_mode_of(node.meta.get("val") for node in stage.program.graph.nodes).shape_env
    before = dict(vars(environment))
    with unchanged(stage):
        for row in stage.ops():
            if row.decomposes:
                stage.preview(row.nodes[0])
    assert {name: value for name, value in vars(environment).items() if isinstance(value, int)} == {
        name: value for name, value in before.items() if isinstance(value, int)
    }
