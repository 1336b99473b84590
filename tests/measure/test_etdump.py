"""An ETDump that a user brings, of programs that ExecuTorch lowered, with its own ETRecord of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

import exir_viz
from exir_viz.errors import FileError, MeasureError, TruncatedFile, WrongArgument
from exir_viz.measure.profile import Profile
from exir_viz.measure.runtime.etdump import from_etdump
from exir_viz.measure.trace import trace
from exir_viz.stages.session import Session
from tests.remedies.suggestions import suggests

from .etdumps import OVERHEAD, RUNS, etdump, instructions, took

pytest.importorskip("executorch")


class Net(torch.nn.Module):
    """Two layers that XNNPACK takes, a sum that it does not, and two ops that come of one line."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Linear(8, 8)
        self.second = torch.nn.Linear(8, 8)

    def forward(self, x):
        return torch.relu(self.second(torch.cumsum(self.first(x), 1)))


class Convolved(torch.nn.Module):
    """What the demonstration backend fuses and splits, between two sums that it leaves."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = torch.nn.Conv2d(3, 4, 3)

    def forward(self, x):
        return torch.cumsum(torch.tan(torch.relu(self.conv(torch.cumsum(x, 1)))), 1)


@dataclass
class Lowered:
    """A session to its last stage, and the ETRecord of it."""

    session: Session
    record: Path

    def stage(self, name: str) -> Any:
        return self.session[name]

    @property
    def last(self) -> Any:
        return self.session.stages[-1]

    def called(self) -> list[tuple[int, str]]:
        return instructions(self.last.pte)


def _lowered(model: torch.nn.Module, inputs: tuple[Any, ...], partitioner: Any, folder: Path) -> Lowered:
    import copy

    from executorch.devtools import generate_etrecord

    session = Session(torch.export.export(model.eval(), inputs), name="aten")
    edge = session.root.decompose().edge()
    stage = edge if partitioner is None else edge.backend(partitioner)
    last = stage.executorch()
    record = folder / "model.etrecord"
    before = copy.deepcopy(edge.live.manager)
    generate_etrecord(str(record), before, last.live.manager)
    return Lowered(session, record)


@pytest.fixture(scope="module")
def portable(tmp_path_factory: pytest.TempPathFactory) -> Lowered:
    torch.manual_seed(0)
    return _lowered(Net(), (torch.randn(4, 8),), None, tmp_path_factory.mktemp("portable"))


@pytest.fixture(scope="module")
def xnnpack(tmp_path_factory: pytest.TempPathFactory) -> Lowered:
    torch.manual_seed(0)
    return _lowered(Net(), (torch.randn(4, 8),), "xnnpack", tmp_path_factory.mktemp("xnnpack"))


@pytest.fixture(scope="module")
def mapped(tmp_path_factory: pytest.TempPathFactory) -> Lowered:
    """Lowered to a backend that tells which of its parts came of which nodes."""
    folder = tmp_path_factory.mktemp("mapped")
    return _lowered(Convolved(), (torch.randn(1, 3, 8, 8),), _demonstration(), folder)


def _demonstration() -> Any:
    from executorch.exir.backend.canonical_partitioners.pattern_op_partitioner import (
        generate_pattern_op_partitions,
    )
    from executorch.exir.backend.partitioner import DelegationSpec, Partitioner, PartitionResult
    from executorch.exir.backend.test.backend_with_delegate_mapping_demo import (
        BackendWithDelegateMappingDemo,
    )
    from torch.fx.passes.operator_support import OperatorSupportBase

    class Taken(OperatorSupportBase):
        def is_node_supported(self, submodules: Any, node: torch.fx.Node) -> bool:
            names = ("convolution", "relu", "tan")
            return node.op == "call_function" and any(f"aten.{name}." in str(node.target) for name in names)

    class Demonstration(Partitioner):
        def partition(self, exported_program: Any) -> Any:
            spec = DelegationSpec(BackendWithDelegateMappingDemo.__name__, [])
            tags = {}
            graph = exported_program.graph_module
            for part in generate_pattern_op_partitions(graph, op_support=Taken()):
                tag = f"tag{part.id}"
                tags[tag] = spec
                for node in part.nodes:
                    node.meta["delegation_tag"] = tag
            return PartitionResult(exported_program, tags)

    return Demonstration()


def test_what_an_etdump_does_not_tell_is_not_known(portable: Lowered) -> None:
    """No thread count, no inputs, no versions: nowhere 0, none or a difference."""
    profile = from_etdump(etdump(portable.called()), portable.last.snapshot)
    assert profile.ran == f"etdump, {RUNS} runs"
    head = str(profile).splitlines()[1:3]
    assert head == [f"etdump, {RUNS} runs", "inputs: unknown"]
    assert {"threads", "cpu", "torch", "warmup"}.isdisjoint(trace(profile)["otherData"])
    here = exir_viz.profile(portable.session.root, repeats=1)
    said = [text for text in here.differences(profile) if "busy" not in text]
    unknown = "the number of threads, the inputs, torch, ExecuTorch, the CPU"
    assert said == [
        "the executor differs: cpu vs. etdump, so there is no ratio",
        f"it is unknown whether these are the same: {unknown}",
    ]
    assert "threads" in trace(here)["otherData"]


def _ns(profile: Profile) -> dict[str, int]:
    """Nanoseconds by node, less what runs add."""
    return {cost.node.name: round(cost.min * 1e9) for cost in profile}


def _adds_up(profile: Profile) -> None:
    parts = sum(cost.time for cost in profile) + profile.overhead.time / 1e9
    assert parts == pytest.approx(profile.whole.time / 1e9, abs=len(profile) * 1e-9)


def test_each_instruction_is_a_node_of_the_last_stage(portable: Lowered, tmp_path: Path) -> None:
    called = portable.called()
    file = tmp_path / "run.etdp"
    file.write_bytes(etdump(called))
    profile = from_etdump(file, portable.last.snapshot)
    assert [(cost.node.debug_handle, cost.node.target.name) for cost in profile] == [
        (number, op.partition(".")[0]) for number, op in called
    ]
    assert [round(cost.min * 1e9) for cost in profile] == [took(number) for number, _ in called]
    assert {cost.basis for cost in profile} == {"measured"}
    assert profile.conditions.executor == "etdump"
    assert profile.conditions.repeats == profile.whole.n == RUNS
    assert profile.whole.min == sum(took(number) for number, _ in called) + OVERHEAD
    _adds_up(profile)


def test_by_lineage_to_every_earlier_stage_and_line(portable: Lowered) -> None:
    """No guess on the way: each op of the last stage leads to one node, and that to its line."""
    profile = from_etdump(etdump(portable.called()), portable.last.snapshot)
    for name in ("edge", "core", "aten"):
        carried = profile.at(portable.stage(name))
        assert carried.time == pytest.approx(profile.whole.time / 1e9, abs=1e-8)
        assert not carried.orphans
        assert all(part.exact for one in carried for part in one.parts)
    ops = {cost.node.name: cost.time for cost in profile}
    first, second = (
        sum(ops[name] for name in (f"aten_permute_copy_default{end}", f"aten_addmm_default{end}"))
        for end in ("", "_1")
    )
    root = portable.session.root
    carried = profile.at(root)
    assert {one.node.name: one.time for one in carried} == {
        "linear": pytest.approx(first),
        "cumsum": pytest.approx(ops["aten_cumsum_default"]),
        "linear_1": pytest.approx(second),
        "relu": pytest.approx(ops["aten_relu_default"]),
    }
    line = "return torch.relu(self.second(torch.cumsum(self.first(x), 1)))"
    assert all(line in {frame.code for frame in one.node.frames} for one in carried)


def test_handles_lead_to_edge_nodes_and_kernels_tell_them_apart(portable: Lowered) -> None:
    """A layer's permute and product share a debug handle: its kernels are told apart by their ops."""
    edge = portable.stage("edge")
    twins = [edge.node(name) for name in ("aten_permute_copy_default", "aten_addmm_default")]
    assert len({node.debug_handle for node in twins}) == 1
    profile = from_etdump(etdump(portable.called()), edge.snapshot, etrecord=portable.record)
    last = from_etdump(etdump(portable.called()), portable.last.snapshot)
    assert _ns(profile) == _ns(last)
    assert {cost.basis for cost in profile} == {"measured"}
    assert {one.node.name for one in profile.at(portable.session.root)} == {
        "linear", "cumsum", "linear_1", "relu",
    }  # fmt: skip


def test_a_delegate_that_tells_nothing(xnnpack: Lowered) -> None:
    """XNNPACK names its parts by its own words: their time stays with the delegate, and this is said."""
    called = xnnpack.called()
    assert [op for _, op in called] == ["", "cumsum.out", ""]
    dump = etdump(called, {0: {"Fully Connected (NC, F32) GEMM #1": 700}})
    last = from_etdump(dump, xnnpack.last.snapshot, etrecord=xnnpack.record)
    assert list(_ns(last).values()) == [took(number) for number, _ in called]
    assert "Times inside delegates that match no known node: 1." in str(last)
    edge = from_etdump(dump, xnnpack.stage("edge").snapshot, etrecord=xnnpack.record)
    assert _ns(edge) == {
        "aten_permute_copy_default": took(0) // 2,
        "aten_addmm_default": took(0) // 2,
        "aten_cumsum_default": took(1),
        "aten_permute_copy_default_1": took(2) // 3,
        "aten_addmm_default_1": took(2) // 3,
        "aten_relu_default": took(2) // 3,
    }
    assert {cost.node.name: cost.basis for cost in edge}["aten_cumsum_default"] == "measured"
    assert [cost.basis for cost in edge].count("estimated") == 5
    assert "5 nodes share measured times" in str(edge)
    _adds_up(edge)
    assert last.at(xnnpack.session.root).time == pytest.approx(last.whole.time / 1e9, abs=1e-8)


def test_a_delegate_that_tells_its_parts(mapped: Lowered) -> None:
    """The delegate map leads from a part to the nodes it came of: one of two, three of one."""
    from exir_viz.readers.etrecord import read_maps

    called = mapped.called()
    number = next(number for number, op in called if not op)
    parts = read_maps(mapped.record)[1]["forward"][number].delegate_map
    assert sorted(map(len, parts.values())) == [1, 1, 1, 2]
    dump = etdump(called, {number: {int(part): 100 * (at + 1) for at, part in enumerate(parts)}})
    spent = dict.fromkeys(("aten_convolution_default", "aten_relu_default", "aten_tan_default"), 0.0)
    names = {mapped.stage("edge").node(name).debug_handle: name for name in spent}
    for at, handles in enumerate(parts.values()):
        for handle in handles:
            spent[names[handle]] += 100 * (at + 1) / len(handles)
    edge = from_etdump(dump, mapped.stage("edge").snapshot, etrecord=mapped.record)
    assert {name: ns for name, ns in _ns(edge).items() if name in spent} == spent
    basis = {cost.node.name: cost.basis for cost in edge}
    assert basis["aten_tan_default"] == "measured"
    assert basis["aten_convolution_default"] == "estimated"
    assert edge.overhead.min == OVERHEAD + took(number) - sum(spent.values())
    last = from_etdump(dump, mapped.last.snapshot, etrecord=mapped.record)
    assert {name: ns for name, ns in _ns(last).items() if name in spent} == spent
    assert _ns(last)["executorch_call_delegate"] == took(number) - sum(spent.values())
    _adds_up(last)
    slower = from_etdump(
        etdump(called, {number: dict.fromkeys(map(int, parts), 10_000_000)}),
        mapped.last.snapshot,
        etrecord=mapped.record,
    )
    assert _ns(slower)["executorch_call_delegate"] == took(number)
    assert "took longer than the delegate" in str(slower)


def test_a_result_of_a_delegate_is_no_instruction(xnnpack: Lowered, monkeypatch: pytest.MonkeyPatch) -> None:
    """ExecuTorch 1.5 leaves it the debug handle of its edge node, which is some instruction's number too."""
    dump = etdump(xnnpack.called())
    manager = xnnpack.last.live.manager
    result = next(node for node in manager.exported_program().graph.nodes if node.name == "getitem")
    monkeypatch.setitem(result.meta, "debug_handle", 1)
    snapshot = exir_viz.load(manager)
    assert {node.debug_handle for node in snapshot.method.graph if node.name == "getitem"} == {1}
    assert _ns(from_etdump(dump, snapshot)) == _ns(from_etdump(dump, xnnpack.last.snapshot))


def test_numbers_within_a_delegate_are_no_instructions(xnnpack: Lowered) -> None:
    """What a backend took keeps its debug handles, which are numbers too."""
    within = [node for graph in xnnpack.last.snapshot.graphs for node in graph if graph.delegate is not None]
    unused = {node.debug_handle for node in within if node.op == "call_function"} - {0, 1, 2}
    assert unused
    dump = etdump([*xnnpack.called(), *((number, "mul.out") for number in unused)])
    profile = from_etdump(dump, xnnpack.last.snapshot)
    assert len(profile) == 3
    assert f"match no node of this Snapshot: {len(unused)} (number 3" in str(profile)


def test_what_runs_again_in_a_run_adds_up(portable: Lowered) -> None:
    called = portable.called()
    again = called[0]
    profile = from_etdump(etdump([*called, again, again]), portable.last.snapshot)
    cost = next(cost for cost in profile if cost.node.debug_handle == again[0])
    assert (cost.calls, round(cost.min * 1e9)) == (3, 3 * took(again[0]))
    assert {cost.calls for cost in profile} == {1, 3}


def test_runs_that_went_another_way_are_reported(portable: Lowered) -> None:
    called = portable.called()
    profile = from_etdump(etdump(called, runs=[called[:2]]), portable.last.snapshot)
    assert profile.conditions.repeats == RUNS
    assert "Runs that were left out, because they took another path through the program: 1." in str(profile)


def _others(portable: Lowered) -> Iterator[tuple[list[tuple[int, str]], dict[str, Any], str]]:
    last, edge = portable.last.snapshot, portable.stage("edge").snapshot
    yield [(0, "mul.out")], {"snapshot": last}, r"Instruction 0 .* ran mul.*'aten_permute_copy_default'"
    yield [(0, "")], {"snapshot": last}, "ran a delegate.*another program"
    yield [(10_000, "mul.out")], {"snapshot": last}, "The ETDump has 1 instruction, none of a node"
    recorded = {"snapshot": edge, "etrecord": portable.record}
    yield (
        [(0, "mul.out"), (1, "sub.out")],
        recorded,
        "of 2 instructions, and only 0 of them fit.*Pass the executorch-stage",
    )


def test_an_etdump_goes_with_what_ran(portable: Lowered, tmp_path: Path) -> None:
    edge, last = portable.stage("edge").snapshot, portable.last.snapshot
    dump = etdump(portable.called())
    suggests("pass a Snapshot of the executorch-stage program, or the ETRecord", from_etdump, dump, edge)
    other = etdump([(10_000, "mul.out")])
    suggests("Pass the executorch-stage program that wrote the .pte that was run.", from_etdump, other, last)
    wrong = etdump([(0, "mul.out")])
    suggests("Pass the executorch-stage program or the ETRecord of the lowering", from_etdump, wrong, last)
    suggests("Run the program once with the tracer on.", from_etdump, etdump([]), last)
    suggests("Write the bytes that the runtime's ETDumpGen returned", from_etdump, dump[:-1], last)
    assert from_etdump(dump, last).complete
    assert from_etdump(dump, edge, etrecord=portable.record).complete


def test_an_etdump_of_another_program(portable: Lowered) -> None:
    for called, given, words in _others(portable):
        with pytest.raises(MeasureError, match=words):
            from_etdump(etdump(called), **given)
    with pytest.raises(WrongArgument, match="names instructions: pass a Snapshot"):
        from_etdump(etdump([(0, "mul.out")]), portable.stage("edge").snapshot)


def test_an_etdump_that_is_none_or_cut_short(portable: Lowered, tmp_path: Path) -> None:
    whole = etdump(portable.called())
    file = tmp_path / "run.etdp"
    for length in (len(whole) // 3, len(whole) // 2, len(whole) - 1):
        file.write_bytes(whole[:length])
        with pytest.raises(TruncatedFile, match=rf"'run\.etdp'.*{len(whole):,} bytes.*binary mode"):
            from_etdump(file, portable.last.snapshot)
    for data in (b"", b"no such thing", bytes(500), portable.record.read_bytes(), whole[4:]):
        with pytest.raises(FileError, match=r"it is not an ETDump.*get_etdump_data"):
            from_etdump(data, portable.last.snapshot)
    torn = whole[:40] + b"\xff" * (len(whole) - 40)
    with pytest.raises(FileError, match=r"cannot read this|has no timed"):
        from_etdump(torn, portable.last.snapshot)
    with pytest.raises(FileError, match=r"it has no timed instruction.*tracer on"):
        from_etdump(etdump([]), portable.last.snapshot)
    with pytest.raises(FileNotFoundError):
        from_etdump(tmp_path / "none.etdp", portable.last.snapshot)
    with pytest.raises(FileError, match="it is not an ETDump"):  # whatever the Snapshot is of
        from_etdump(b"no such thing", portable.session.root.snapshot)


def test_it_is_shown_and_kept_like_any_other(portable: Lowered, tmp_path: Path) -> None:
    profile = from_etdump(etdump(portable.called()), portable.last.snapshot)
    assert exir_viz.load(profile.save(tmp_path / "run.exirprofile", absolute_paths=True)) == profile
    carried = profile.at(portable.session.root)
    assert carried.frame["time_us"].sum() == pytest.approx(profile.whole.time / 1e3, abs=0.01)
