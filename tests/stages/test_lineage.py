"""Lineage of real programs: every computing node has its ancestors, exactly, or says why it has none."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest
import torch
from torch import fx
from torch.export import export
from torch.fx.passes.infra.pass_base import PassResult

import exir_viz
from exir_viz import Session, reports
from exir_viz.snapshot import Node
from exir_viz.snapshot.lineage import EXACT, Evidence, Lineage, compose, links_of, problems
from exir_viz.stages.lineage import link
from exir_viz.stages.lineage.live_graphs import LiveGraphs
from exir_viz.stages.stage import Stage
from tests.corpus.concepts import Fn
from tests.corpus.programs import exported
from tests.nightly import nightly

from .lineage_table import MEMORY, calls, row, stages
from .modules import small, without_gelu

PROGRAMS = ("nested_cond", "training_mode", "module_called_twice", "resnet11")


@pytest.fixture(scope="module", params=[PROGRAMS[0], *nightly(PROGRAMS[1:])])
def lowered(request: pytest.FixtureRequest) -> dict[str, Stage]:
    found = {stage.name: stage for stage in stages(Session(exported(request.param)))}
    return {name: stage for name, stage in found.items() if not stage.failed}


def names(stage: Stage, node: str) -> list[str]:
    return [one.node.name for one in stage.ancestors(node)]


class Frozen(torch.nn.Module):
    """Two bodies without gradients, with the same operators, and one within autocast."""

    def forward(self, x):
        with torch.no_grad():
            y = x.cos() * 2
            z = torch.nn.functional.gelu(y)
        with torch.no_grad():
            w = (z + x).cos() * 2
        with torch.autocast("cpu", enabled=False):
            v = torch.sin(w)
        return x + v


# Each of its operators, and the line of `forward` that it is on.
FROZEN = {"cos": 2, "mul": 2, "gelu": 3, "add": 5, "cos_1": 5, "mul_1": 5, "sin": 7, "add_1": 8}


# -- all stages of real programs --------------------------------------------------------------------------


def test_every_call_is_linked_exactly(lowered: dict[str, Stage]) -> None:
    assert {"functional", "core", "edge", "backend from edge", "backend from aten"} <= lowered.keys()
    for name, stage in lowered.items():
        found = row(stage)
        assert (found.exact, found.inferred) == (found.calls - found.memory, 0), name
        assert bool(found.memory) <= name.startswith("executorch"), name


@pytest.mark.parametrize("step", ["decompose", "edge", "backend"])
def test_what_was_in_an_inlined_body_comes_from_its_nodes_and_keeps_its_line(step: str) -> None:
    first = Frozen.forward.__code__.co_firstlineno
    with torch.enable_grad():
        root = Session(Frozen(), torch.randn(3, 4)).root
    assert len(root.snapshot.graphs) == 4
    stage = getattr(root, step)()
    nodes = [node for graph in stage.snapshot.graphs for node in graph if node.frames]
    assert all(frame.file == __file__ for node in nodes for frame in node.frames)
    links = {(link, node.frames[-1].line - first) for node in nodes for link in stage.ancestors(node)}
    assert {(link.node.name, line) for link, line in links} == set(FROZEN.items())
    of_bodies = {link.evidence for link, _ in links if link.node.graph.path != "forward"}
    others = {link.evidence for link, _ in links if link.node.graph.path == "forward"}
    # a delegate's call is linked by what was delegated, the ops in it by torch's generated code
    assert Evidence.GENERATED_CODE in of_bodies
    assert of_bodies <= {Evidence.GENERATED_CODE, Evidence.DELEGATE_MAP}
    assert others <= {Evidence.FROM_NODE, Evidence.DELEGATE_MAP}


def test_bodies_of_several_methods_are_not_confused() -> None:
    with torch.enable_grad():
        program = torch.export.export(Frozen(), (torch.randn(3, 4),))
        root = Session({"forward": program, "again": copy.deepcopy(program)}).root
    edge = root.edge()
    for name, method in edge.snapshot.methods.items():
        found = [link.node for node in method.graph if node.frames for link in edge.ancestors(node)]
        assert {one.name for one in found} == FROZEN.keys()
        assert all(one.id.startswith(f"{name}/") for one in found)
    xnnpack = reports.run("delegation", root, backends=["xnnpack"])
    assert "not known" not in xnnpack.headline


def test_what_a_backend_decides_of_an_inlined_body_is_said_of_its_nodes() -> None:
    with torch.enable_grad():
        found = reports.run("delegation", Session(Frozen(), torch.randn(3, 4)).root, backends=["xnnpack"])
    delegated = found.frame.set_index("title")["XNNPACK"]
    assert (delegated["aten.cos.default"], delegated["aten.sin.default"]) == (2, 1)


def test_the_numbers_are_those_of_the_snapshot(lowered: dict[str, Stage]) -> None:
    for stage in lowered.values():
        nodes = LiveGraphs.of(stage.programs).nodes
        assert [stage.numbering.node(number).name for number in range(len(nodes))] == [
            one.name for one in nodes
        ]
        assert not list(problems(stage.lineage, len(stage.numbering), len(stage.parent.numbering)))


def test_links_of_links_are_links(lowered: dict[str, Stage]) -> None:
    """from_node of an edge node leads through all stages: each way round gives the same ancestors."""
    functional, core, edge = (lowered[name] for name in ("functional", "core", "edge"))
    root = functional.parent
    composed = compose(edge.lineage, compose(core.lineage, functional.lineage))
    direct = link(root.programs, edge.programs)
    assert set(links_of(composed)) == set(links_of(direct))


def test_a_delegate_is_its_members(lowered: dict[str, Stage]) -> None:
    for name in ("backend from edge", "backend from aten"):
        stage = lowered[name]
        for graph in stage.snapshot.graphs:
            if graph.delegate is None:
                continue
            members = [node for node in graph if node.op == "call_function"]
            taken = {one.node.id for node in members for one in stage.ancestors(node)}
            holder = next(node for node in graph.parent if graph in node.subgraphs)
            for call in holder.users:
                found = stage.ancestors(call)
                assert {one.node.id for one in found} == taken
                assert {one.evidence for one in found} == {Evidence.DELEGATE_MAP}


def test_a_stage_and_its_diff_count_calls_alike(lowered: dict[str, Stage]) -> None:
    for stage in lowered.values():
        assert stage.change == exir_viz.diff(stage.parent, stage).calls, stage.name


def test_assertions_that_torch_makes_anew_are_kept() -> None:
    """They have no lineage; a diff finds them by what they are."""
    session = Session(exported("unbacked_item"))
    stage = session.root.edge()
    assert stage.change.kept
    assert stage.change == exir_viz.diff(session.root, stage).calls


def test_items_that_a_backend_takes_are_kept() -> None:
    """As GPT-NeoX splits queries, keys and values: torch links a delegate's input to the split, too."""
    session = Session(Fn(lambda x: torch.cat([one.relu() for one in x.chunk(3, -1)[:2]])), torch.ones(4, 6))
    stage = session.root.backend("xnnpack")
    assert stage.change == exir_viz.diff(session.root, stage).calls


@pytest.mark.parametrize("is_read", [True, False])
def test_items_of_a_tuple_are_kept_with_it(is_read: bool) -> None:
    """Items are linked to the op that yields the tuple; one that nobody reads may go."""
    session = Session(Fn(lambda x: torch.topk(x, 2) if is_read else torch.topk(x, 2)[1]), torch.ones(3, 4))
    for stage in (session.root.decompose("functional"), session.root.edge()):
        assert (stage.change.text, exir_viz.diff(session.root, stage).calls.text) == ("+0 −0", "+0 −0")


def test_a_member_of_a_delegate_is_the_edge_node_it_was(lowered: dict[str, Stage]) -> None:
    stage = lowered["backend from edge"]
    for graph in stage.snapshot.graphs:
        for node in graph if graph.delegate else ():
            if node.op == "call_function":
                (before,) = stage.ancestors(node)
                assert (before.node.target, before.node.value) == (node.target, node.value)


def test_what_runs_is_what_was_lowered(lowered: dict[str, Stage]) -> None:
    """Without delegates, names survive to_executorch: a second witness of what metadata says."""
    stage = lowered.get("executorch from edge")
    for node in calls(stage) if stage else ():
        if node.target.name not in MEMORY:
            assert names(stage, node.id) == [node.name]


def test_memory_says_whom_it_serves(lowered: dict[str, Stage]) -> None:
    found = [(stage, node) for stage in lowered.values() for node in calls(stage)]
    for stage, node in found:
        reason = stage.lineage_index.reason(stage.numbering.number(node))
        assert bool(reason) == (node.target.name in MEMORY)
        if reason:
            assert any(one.name in reason for one in (*node.users, *node.inputs)), reason


def test_parameters_are_linked_by_what_they_hold(lowered: dict[str, Stage]) -> None:
    stage = lowered["edge"]
    specs = {one.arg.name: one.target for one in stage.snapshot.method.signature.inputs if one.target}
    before = {one.arg.name: one.target for one in stage.parent.snapshot.method.signature.inputs}
    held = [name for name in specs if not name.startswith("_lifted")]
    for name in held:
        (ancestor,) = names(stage, name)
        assert before[ancestor] == specs[name]


# -- passes: what is exact, what is inferred, what is neither ---------------------------------------------


def test_a_pass_that_edits_in_place_keeps_its_nodes() -> None:
    module, x = small()
    stage = Session(module, x).transform(without_gelu)
    assert all(one.evidence is Evidence.IDENTITY for node in calls(stage) for one in stage.ancestors(node))
    assert all(stage.ancestors(node) for node in calls(stage))
    gone = next(node for node in calls(stage.parent) if "gelu" in node.name)
    assert stage.parent.descendants(gone) == ()


def replaced(change: Callable[[fx.Node, fx.Node], None]) -> Stage:
    """A stage in which a new node does what `relu` did; `change` is given both."""

    def swap(module: fx.GraphModule) -> PassResult:
        for node in list(module.graph.nodes):
            if node.name == "relu":
                with module.graph.inserting_after(node):
                    new = module.graph.call_function(torch.ops.aten.relu.default, node.args)
                new.meta["val"] = node.meta["val"].clone()
                node.replace_all_uses_with(new)
                module.graph.erase_node(node)
                change(new, node)
        module.recompile()
        return PassResult(module, True)

    return Session(Fn(lambda x: torch.relu(x + 1) * 2), torch.randn(3)).transform(swap)


def relu(stage: Stage) -> Node:
    return next(node for node in calls(stage) if node.target.name == "relu")


def test_metadata_handed_on_is_a_claim_to_be_the_same() -> None:
    stage = replaced(lambda new, node: new.meta.update(node.meta))
    (found,) = stage.ancestors(relu(stage))
    assert (found.node.name, found.evidence) == ("relu", Evidence.IDENTITY)


def test_a_name_alone_is_inferred() -> None:
    stage = replaced(lambda new, node: setattr(new, "name", node.name))
    (found,) = stage.ancestors(relu(stage))
    assert (found.node.name, found.evidence) == ("relu", Evidence.NAME)
    assert found.evidence not in EXACT


def test_a_node_of_nowhere_has_a_reason_and_no_link() -> None:
    stage = replaced(lambda new, node: None)
    assert stage.ancestors(relu(stage)) == ()
    assert "does not record" in stage.lineage_index.reason(stage.numbering.number(relu(stage)))


# -- where nothing exact is left --------------------------------------------------------------------------


def test_after_saving_only_names_are_left(tmp_path) -> None:
    program = exported("module_called_twice")
    torch.export.save(program, tmp_path / "p.pt2")
    again = torch.export.load(tmp_path / "p.pt2")
    found = _calls_by_evidence(link({"forward": again}, {"forward": program.run_decompositions()}), again)
    assert found == {Evidence.NAME}


def test_exporting_again_is_aligned_by_structure() -> None:
    module, x = small()
    first, second = export(module, (x,)), export(module, (torch.randn(5, 8),))
    lineage = link({"forward": first}, {"forward": second})
    assert _calls_by_evidence(lineage, first) == {Evidence.STRUCTURE}
    nodes, before = LiveGraphs.of({"forward": second}).nodes, LiveGraphs.of({"forward": first}).nodes
    assert all(nodes[node].target == before[of].target for node, of, _ in links_of(lineage))
    assert len({node for node, _, _ in links_of(lineage)}) == len(nodes)


def test_another_program_is_not_exactly_anything() -> None:
    first, second = exported("several_outputs"), exported("module_called_twice")
    found = _calls_by_evidence(link({"forward": first}, {"forward": second}), first)
    assert not found & EXACT


def _calls_by_evidence(lineage: Lineage, parent: torch.export.ExportedProgram) -> set[Evidence]:
    nodes = LiveGraphs.of({"forward": parent}).nodes
    return {kind for _, of, kind in links_of(lineage) if nodes[of].op == "call_function"}


# -- cost -------------------------------------------------------------------------------------------------


def test_linking_is_linear(call_count: Callable[[Callable[[], object]], int]) -> None:
    def work(layers: int) -> int:
        module = torch.nn.Sequential(*(torch.nn.Linear(4, 4) for _ in range(layers)))
        program = export(module, (torch.randn(2, 4),))
        parent, child = {"forward": program}, {"forward": program.run_decompositions()}
        link(parent, child)
        return call_count(lambda: link(parent, child))

    assert work(40) < 4.5 * work(10)
