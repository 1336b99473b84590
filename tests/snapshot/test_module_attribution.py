"""Every node belongs to a module: by what the program says, else by what it holds, reads and feeds."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import nn

import exir_viz
from exir_viz import Session, reports
from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.delegate_links import delegate_links
from exir_viz.snapshot.delegation import delegation_of, ops_on_cpu, share_of
from exir_viz.snapshot.format import percent
from exir_viz.snapshot.graph import Graph
from exir_viz.snapshot.index import COMPUTES, index_of
from exir_viz.snapshot.module_attribution import owner_of, owners_of
from exir_viz.snapshot.opkind import does_work
from exir_viz.snapshot.placement import placements_of, working
from exir_viz.snapshot.records import TensorValue
from exir_viz.snapshot.redaction import redacted
from exir_viz.snapshot.rollup import scope_tree
from exir_viz.snapshot.wire import decode, page_data
from exir_viz.stages.stage import Stage
from exir_viz.tables.stages import stage_table
from tests.corpus.eight_layers import saved
from tests.corpus.programs import archive
from tests.corpus.staged import staged


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.before = nn.Linear(8, 8)
        self.fc = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = self.before(x)
        with torch.no_grad():
            scale = torch.cumsum(x, 1).abs()
        return self.fc(x * scale).relu()


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])
        self.register_buffer("cache", torch.zeros(2, 8))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        for block in self.blocks:
            x = block(x)
        self.cache.copy_(x.detach())
        return x + 1, torch.topk(x, 2)[0]


@pytest.fixture(scope="module")
def stages() -> dict[str, Stage]:
    edge = Session(torch.export.export(Net().eval(), (torch.randn(2, 8),))).root.edge()
    backend = edge.backend("xnnpack")
    return {"edge": edge, "backend": backend, "executorch": backend.executorch()}


def computing(snapshot: Snapshot) -> list[Node]:
    return [
        node for graph in snapshot.graphs for node in graph if graph.columns.ops[node.position] in COMPUTES
    ]


def path_of(node: Node) -> str:
    owner = owner_of(node)
    return "nowhere" if owner == NONE else node.graph.snapshot.scopes[owner].path


@pytest.mark.parametrize("name", ["edge", "backend", "executorch"])
def test_every_op_belongs_to_a_module_call(stages: dict[str, Stage], name: str) -> None:
    snapshot = stages[name].snapshot
    assert [node.id for node in computing(snapshot) if owner_of(node) == NONE] == []


@pytest.mark.parametrize("name", ["edge", "backend", "executorch"])
def test_what_a_node_says_itself_is_kept_or_made_more_precise(stages: dict[str, Stage], name: str) -> None:
    snapshot = stages[name].snapshot
    for node in computing(snapshot):
        own = node.graph.columns.scopes[node.position]
        assert own == NONE or own in snapshot.scope_numbers(owner_of(node))


@pytest.mark.parametrize("name", ["backend", "executorch"])
def test_a_delegate_belongs_to_the_innermost_module_around_its_ops(
    stages: dict[str, Stage], name: str
) -> None:
    snapshot = stages[name].snapshot
    for call, link in delegate_links(snapshot.method.graph).items():
        owners = owners_of(link.inner)
        inside = [owners[at] for at, op in enumerate(link.inner.columns.ops) if op in COMPUTES]
        chains = [snapshot.scope_numbers(owner) for owner in inside]
        owner = owners_of(snapshot.method.graph)[call]
        assert all(owner in chain for chain in chains)
        deeper = {chain[chain.index(owner) + 1] if owner != chain[-1] else owner for chain in chains}
        assert owner in deeper or len(deeper) > 1
        for item in link.outputs:
            assert owners_of(snapshot.method.graph)[item] == owner


def test_memory_and_write_backs_belong_to_the_op_they_are_part_of(stages: dict[str, Stage]) -> None:
    snapshot = stages["executorch"].snapshot
    graph = snapshot.method.graph
    placement = placements_of(snapshot)[graph.number]
    folded = dict(zip(placement.folded, placement.into, strict=True))
    allocations = [node.position for node in graph if node.target.name == "alloc"]
    assert allocations
    assert set(allocations) <= set(folded)
    for at in allocations:
        assert graph.user_positions(at) == [folded[at]]
        assert owner_of(graph[at]) == owner_of(graph[folded[at]])
    written = [node for node in graph if node.target.name == "copy_"]
    assert len(written) == 1
    assert owner_of(written[0]) == owner_of(written[0].inputs[1])


def test_ops_under_no_grad_belong_to_the_module_that_ran_them(stages: dict[str, Stage]) -> None:
    """Strict export gives them the stack of the whole model."""
    program = torch.export.export(Net().eval(), (torch.randn(2, 8),), strict=True)
    for snapshot in (exir_viz.load(program), Session(program).root.edge().snapshot):
        named = [node for node in computing(snapshot) if "cumsum" in node.name]
        assert sorted({path_of(node) for node in named}) == ["blocks.0", "blocks.1"]


def test_lowering_leaves_every_op_in_its_module(stages: dict[str, Stage]) -> None:
    """With delegates' ops in place of the calls, the modules hold what they held at edge."""
    before = {node.name: path_of(node) for node in computing(stages["edge"].snapshot)}
    after = {node.name: path_of(node) for node in computing(stages["backend"].snapshot)}
    kept = before.keys() & after.keys()
    assert len(kept) > 10
    assert {name: after[name] for name in kept} == {name: before[name] for name in kept}


def test_delegates_are_linked_to_what_they_read_and_make(stages: dict[str, Stage]) -> None:
    """A link leads to a tensor of the same dtype and shape, or it would lead to another one."""

    def tensor(node: Node) -> tuple[str, object]:
        assert isinstance(node.value, TensorValue)
        return node.value.dtype, node.value.shape

    for name in ("backend", "executorch"):
        graph = stages[name].snapshot.method.graph
        links = delegate_links(graph)
        assert len(links) == len(index_of(graph).delegated) > 0
        for link in links.values():
            for inside, outside in link.inputs.items():
                assert tensor(link.inner[inside]) == tensor(graph[outside])
            for outside, inside in link.outputs.items():
                assert tensor(link.inner[inside]) == tensor(graph[outside])


def test_what_runs_where_counts_every_op_once(stages: dict[str, Stage]) -> None:
    stage = stages["backend"]
    found = delegation_of(stage.snapshot)
    assert found is not None
    assert found.delegated == sum(row.ops for row in found.delegates)
    assert found.ops == found.delegated + sum(len(row.nodes) for row in found.cpu)
    nodes = [node for row in found.cpu for node in row.nodes]
    assert len(nodes) == len(set(nodes))
    reasons = {row.op: row.reason for row in found.cpu}
    assert reasons["aten.cumsum.default"] == "XNNPACK has no config for aten.cumsum.default."


def test_what_writes_state_back_is_no_op_to_fix(stages: dict[str, Stage]) -> None:
    found = delegation_of(stages["executorch"].snapshot)
    assert found is not None
    assert found.ops == found.delegated + sum(len(row.nodes) for row in found.cpu)
    assert [row.op for row in found.cpu if row.is_write_back] == ["aten.copy_.default"]
    assert found.cpu[-1].is_write_back
    assert found.cpu[-1].reason == "to_executorch adds it to write a result to state or to an input"


def test_a_later_stage_knows_why_an_op_was_left(stages: dict[str, Stage]) -> None:
    stage = stages["executorch"]
    found = delegation_of(stage.snapshot)
    assert found is not None
    reasons = {row.op: row.reason for row in found.cpu}
    assert reasons["aten.cumsum.out"] == "XNNPACK has no config for aten.cumsum.default."


@pytest.mark.parametrize("name", ["backend", "executorch"])
def test_a_file_keeps_why_an_op_was_left(stages: dict[str, Stage], name: str, tmp_path: Path) -> None:
    snapshot = stages[name].snapshot
    again = exir_viz.load(snapshot.save(tmp_path / "stage.exirviz"))
    assert snapshot.delegation_reasons
    assert again.delegation_reasons == snapshot.delegation_reasons
    assert delegation_of(again) == delegation_of(snapshot)


def test_reasons_have_the_names_of_users() -> None:
    snapshot = exir_viz.load(saved("llama8dynamic", "xnnpack"))
    assert any("s70" in text for text in snapshot.delegation_reasons.values())
    found = delegation_of(snapshot)
    assert found is not None
    assert not any("s70" in row.reason for row in found.cpu)
    assert any("seq" in row.reason for row in found.cpu)


def test_the_bytes_of_a_delegate_include_its_weights() -> None:
    snapshot = exir_viz.load(saved("llama8", "xnnpack"))
    found = delegation_of(snapshot)
    assert found is not None
    head = next(row for row in found.delegates if row.module == "lm_head")
    weight = 4 * 200 * 64
    payload = snapshot.graphs[head.graph].delegate
    assert payload is not None
    assert payload.bytes is not None
    assert head.bytes is not None
    assert payload.bytes < weight <= head.bytes


def test_nothing_is_delegated_before_the_backend(stages: dict[str, Stage]) -> None:
    assert delegation_of(stages["edge"].snapshot) is None
    assert share_of(stages["edge"].snapshot).text == ""


def _said(stage: Stage) -> set[tuple[int, int]]:
    """How many ops run on the CPU and on a backend, by every view that says so."""
    record = stage.session.stage_record(stage)
    row = next(row for row in stage_table(stage.session).rows if row[0] == stage.id)
    table = dict(zip(stage_table(stage.session).columns, row, strict=True))
    page = page_data(stage.snapshot).delegation
    assert page is not None
    text = f"{page.percent}% on XNNPACK"
    assert record.share == table["share"] == page.share == text
    assert text in str(stage.session)
    assert f"({page.percent}%)" in reports.run("delegation", stage.snapshot).headline
    assert not any("%" in one.text for one in stage.findings)
    return {
        (record.on_cpu, record.delegated),
        (table["on_cpu"], table["delegated"]),
        (page.ops - page.delegated, page.delegated),
        (sum(len(row.nodes) for row in page.cpu), sum(row.ops for row in page.delegates)),
    }


@pytest.mark.parametrize("name", ["backend", "executorch"])
def test_every_view_counts_the_same_share(stages: dict[str, Stage], name: str) -> None:
    stage = stages[name]
    (counts,) = _said(stage)
    working = [node for node in computing(stage.snapshot) if does_work(node.target)]
    delegates = [graph for graph in stage.snapshot.graphs if graph.delegate is not None]
    assert sum(counts) == len(working) - len(delegates), "a delegate's ops count, and its call does not"


def test_a_file_does_not_say_what_its_delegates_hold(stages: dict[str, Stage], tmp_path: Path) -> None:
    snapshot = exir_viz.load(stages["executorch"].save_pte(tmp_path / "model.pte"))
    found = delegation_of(snapshot)
    assert found is not None
    assert found.percent is None
    assert share_of(snapshot).text == "partly on XNNPACK"
    ops = {row.op for row in found.cpu}
    assert "aten.cumsum.out" in ops
    assert not {op for op in ops if "delegate" in op}


def test_the_share_of_a_large_program_is_that_of_its_page() -> None:
    files = json.loads(staged("llama2").read_text())["files"]
    shares = []
    for file in files.values():
        snapshot = decode(base64.b64decode(file))
        share, page = share_of(snapshot), delegation_of(snapshot)
        shares.append(share.text)
        delegates = () if page is None else page.delegates
        working = [node for node in computing(snapshot) if does_work(node.target)]
        assert share.ops == len(working) - len(delegates), "a delegate's ops count, and its call does not"
        if page is not None:
            assert (page.ops, page.delegated) == (share.ops, share.delegated)
            runs = f"XNNPACK runs {share.delegated:,} of {share.ops:,} ops ({page.percent}%)."
            assert runs in reports.run("delegation", snapshot).headline
    assert shares[:2] == ["", ""]
    assert len(shares) > 2
    assert all(text.endswith("% on XNNPACK") for text in shares[2:])


def test_a_share_is_none_or_all_only_where_it_is() -> None:
    assert [percent(*pair) for pair in ((0, 300), (1, 300), (299, 300), (300, 300), (0, 0))] == [
        0,
        1,
        99,
        100,
        0,
    ]


def test_what_pages_need_is_derived_once_for_a_snapshot_and_its_copy(
    stages: dict[str, Stage],
) -> None:
    snapshot = stages["backend"].snapshot
    copy = redacted(snapshot)
    assert copy is not snapshot
    assert placements_of(copy) is placements_of(snapshot)
    assert all(
        owners_of(one) is owners_of(two) for one, two in zip(copy.graphs, snapshot.graphs, strict=True)
    )


def test_nodes_that_name_a_module_cost_nothing(call_count: Callable[[Callable[[], object]], int]) -> None:
    """Where all do, and no call of a module is interrupted, owners are what they name."""
    snapshot = exir_viz.load(archive("llama32", "core"))
    graph = snapshot.method.graph
    few = call_count(lambda: owners_of(graph)) / len(graph)
    assert list(owners_of(graph)) == list(graph.columns.scopes)
    assert few < 1, "calls of Python for each node"


def test_a_module_in_a_delegate_counts_what_the_delegate_reads(stages: dict[str, Stage]) -> None:
    snapshot = stages["backend"].snapshot
    state = snapshot.method.state
    for graph in snapshot.graphs:
        if graph.delegate is None:
            continue
        read = set(index_of(graph).states.values())
        counts = {one.scope.path: one.total.parameters for one in scope_tree(graph, state).values()}
        sizes = {"weight": 64, "bias": 8}
        assert counts[""] == sum(sizes[name.rpartition(".")[2]] for name in read if name != "cache")


@pytest.mark.parametrize("name", ["xnnpack", "executorch"])
def test_a_delegate_has_a_part_in_each_module_that_it_leaves_ops_of(name: str) -> None:
    """Each op is in one part, within the part's module, and no part's module is run as a whole."""
    written = json.loads(staged("llama2").read_text())
    number = next(one["id"] for one in written["tree"]["stages"] if one["name"] == name)
    snapshot = decode(base64.b64decode(written["files"][number]))
    graph = snapshot.method.graph
    links = delegate_links(graph).values()

    def ops(*graphs: Graph) -> set[Node]:
        return {one[at] for one in graphs for at in working(one)}

    everything = ops(graph, *(link.inner for link in links))
    calls = placements_of(snapshot)[graph.number].delegates
    split = [call for call in calls if call.parts]
    assert 0 < len(split) < len(calls)
    for call in calls:
        inner = snapshot.graphs[call.graph]
        own = ops(inner)
        positions = [at for part in call.parts for at in part.nodes]
        assert len(positions) == len(set(positions))
        assert not call.parts or {node.position for node in own} <= set(positions)
        for part in call.parts:
            held = {node for node in everything if part.owner in snapshot.scope_numbers(owner_of(node))}
            assert held - own, "the delegate leaves ops of the module"
            assert all(part.owner in snapshot.scope_numbers(owner_of(inner[at])) for at in part.nodes)


def test_ops_that_only_compute_sizes_are_not_to_be_fixed_first() -> None:
    snapshot = exir_viz.load(saved("llama8dynamic", "xnnpack"))
    found = delegation_of(snapshot)
    assert found is not None
    assert {row.op for row in found.cpu[-2:]} == {"aten.sym_size.int", "add"}
    touched = [len(row.calls) for row in ops_on_cpu(snapshot, [])]
    assert touched[-2:] > touched[-4:-2]
