"""The real runtime: a whole `.pte`, its delegates, its ops one by one; and an ETDump that a user brings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

import exir_viz
from exir_viz.errors import FileError, MeasureError, NotAllowed
from exir_viz.measure.cpu.measuring import Options
from exir_viz.measure.progress import Progress
from exir_viz.measure.runtime.cut import cut
from exir_viz.measure.runtime.etdump import from_etdump
from exir_viz.measure.runtime.file import profile_file
from exir_viz.measure.runtime.pte import Loaded
from tests.corpus.concepts import CONCEPTS, Fn
from tests.corpus.programs import exported
from tests.measure.programs import delegated

pytest.importorskip("executorch")


class Mixed(torch.nn.Module):
    """Two layers that a backend takes, and a running sum that it does not."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Linear(128, 128)
        self.second = torch.nn.Linear(128, 128)

    def forward(self, x):
        return self.second(torch.cumsum(self.first(x), 1))


@pytest.fixture(scope="module")
def managers() -> dict[str, Any]:
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge, to_edge_transform_and_lower

    torch.manual_seed(0)
    program = torch.export.export(Mixed(), (torch.randn(32, 128),))
    return {
        "edge": to_edge(program),
        "backend": to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()]),
    }


def test_the_whole_and_its_delegates(managers) -> None:
    profile = exir_viz.profile(managers["backend"], torch.randn(32, 128), executor="executorch", repeats=10)
    assert profile.whole.min > 0
    assert [cost.node.target.name for cost in profile] == ["executorch_call_delegate"] * 2
    assert {cost.basis for cost in profile} == {"estimated"}
    assert [remark.code for remark in profile.remarks] == ["estimated"]
    parts = sum(cost.time for cost in profile) + profile.overhead.time / 1e9
    assert parts == pytest.approx(profile.whole.time / 1e9, rel=0.001)
    modules = {share.key for share in profile.hottest(9, by="module")}
    assert {"first", "second"} <= modules


def test_op_by_op(managers) -> None:
    profile = exir_viz.profile(managers["edge"], torch.randn(32, 128), executor="executorch.ops", repeats=10)
    ops = {cost.node.target.name: cost for cost in profile}
    assert {"addmm", "cumsum", "permute_copy"} <= set(ops)
    assert all(cost.time is not None for cost in profile)
    # two equal layers are one program
    first, second = (cost for cost in profile if cost.node.target.name == "addmm")
    assert first.time == second.time
    # portable kernels multiply slowly: the layers are the larger part
    assert profile.hottest(1, by="op")[0].key == "aten.addmm.default"
    known = sum(cost.time for cost in profile) / (profile.whole.time / 1e9)
    assert 0.5 < known < 2


def test_the_manager_is_as_before(managers) -> None:
    before = exir_viz.capture(managers["backend"])
    exir_viz.profile(managers["backend"], executor="executorch", repeats=2)
    assert exir_viz.capture(managers["backend"]) == before


def test_the_same_delegates_in_the_last_stage(managers) -> None:
    import copy

    last = copy.deepcopy(managers["backend"]).to_executorch()
    profile = exir_viz.profile(last, executor="executorch", repeats=3)
    assert len(profile) == 2
    assert profile.record.dialect == "executorch"
    arenas = profile.arenas
    assert len(arenas) > 0
    assert (arenas["first"] <= arenas["last"]).all()
    with pytest.raises(MeasureError, match="before to_executorch"):
        exir_viz.profile(last, executor="executorch.ops")


def test_what_cannot_run_there() -> None:
    from executorch.exir import to_edge

    program = torch.export.export(Fn(lambda x: torch.sort(x)[0]), (torch.randn(4),))
    with pytest.raises(MeasureError, match=r"no kernel for aten::sort\.values"):
        exir_viz.profile(to_edge(program), torch.randn(4), executor="executorch")
    with pytest.raises(MeasureError, match="runs lowered programs"):
        exir_viz.profile(exported("related_dims"), executor="executorch")


def test_a_node_that_cannot_run_alone_is_told() -> None:
    from executorch.exir import to_edge

    # its indices are 0 when it runs alone, and the whole has what the user gives
    # A program with unbacked symbols lowers once only: the corpus's own is for others.
    manager = to_edge(CONCEPTS["data_dependent_shape"]())
    profile = exir_viz.profile(manager, executor="executorch.ops", repeats=2)
    lost = [cost.node.id for cost in profile if cost.time is None]
    assert lost
    assert all(profile[name].calls == 0 for name in lost)
    assert "unknown" in [remark.code for remark in profile.remarks]


@pytest.fixture(scope="module")
def lowered(managers, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Both programs as `.pte` files."""
    import copy

    folder, files = tmp_path_factory.mktemp("lowered"), {}
    for name, manager in managers.items():
        files[name] = folder / f"{name}.pte"
        files[name].write_bytes(copy.deepcopy(manager).to_executorch().buffer)
    return files


def test_a_file_is_cut_into_its_ops(lowered) -> None:
    profile = profile_file(lowered["edge"], trust=True, options=Options(repeats=10))
    assert profile.snapshot == exir_viz.load(lowered["edge"])
    calls = [node.id for node in profile.snapshot.method.graph if node.op == "call_function"]
    assert {cost.node.id for cost in profile} <= set(calls)
    assert {cost.node.target.name for cost in profile} == {"permute_copy", "addmm", "cumsum"}
    assert all(cost.time is not None and cost.basis == "estimated" for cost in profile)
    # two equal layers are one kind
    first, second = (cost for cost in profile if cost.node.target.name == "addmm")
    assert first.time == second.time
    parts = sum(cost.time for cost in profile) + profile.overhead.time / 1e9
    assert parts == pytest.approx(profile.whole.time / 1e9, rel=0.001)
    assert profile.hottest(1, by="op")[0].key == "aten.addmm.out"


def test_a_file_by_its_delegates(lowered) -> None:
    profile = profile_file(lowered["backend"], trust=True, by_op=False, options=Options(repeats=3))
    assert [cost.node.target.name for cost in profile] == ["executorch_call_delegate"] * 2
    assert profile.conditions.executor == "executorch"
    assert [(one.path, one.value) for one in profile.conditions.inputs] == [("input 0", "f32[32, 128]")]


def test_a_cut_op_computes_what_it_computes_in_the_whole(lowered) -> None:
    """The instruction that is timed is the program's own, and its counterpart does nothing."""
    pieces = cut(lowered["edge"].read_bytes(), "forward", delegates_only=False)
    kind = next(kind for kind in pieces.kinds if kind.op == "aten::cumsum.out")
    x, out = torch.randn(32, 128), torch.zeros(32, 128)
    (found,) = Loaded(pieces.data, kind.alone).run([x, out])
    torch.testing.assert_close(found, torch.cumsum(x, 1))
    (nothing,) = Loaded(pieces.data, kind.empty).run([x, out])
    assert not nothing.any()


def test_a_file_needs_trust_and_inputs_that_fit(lowered) -> None:
    with pytest.raises(NotAllowed, match="native code"):
        profile_file(lowered["edge"])
    with pytest.raises(MeasureError, match=r"could not run 'forward'.*f32\[3\]"):
        profile_file(lowered["edge"], (torch.randn(3),), trust=True)
    with pytest.raises(MeasureError, match="no method 'other'"):
        profile_file(lowered["edge"], trust=True, method="other")


def test_an_interrupt_keeps_the_rounds_that_are_whole(lowered) -> None:
    def stop(progress: Progress) -> None:
        if progress.what == "Measuring" and progress.done == 2:
            raise KeyboardInterrupt

    profile = profile_file(lowered["edge"], trust=True, options=Options(repeats=99), progress=stop)
    assert not profile.complete
    assert profile.conditions.repeats == 2
    assert profile.whole.n == 2
    assert "interrupted" in [remark.code for remark in profile.remarks]


def _etdump(instructions: list[int], runs: int = 4) -> bytes:
    """An ETDump as ExecuTorch serialises it: instruction i takes 1,000 · (i + 1) ns in each run."""
    from executorch.devtools.etdump import schema_flatcc as schema
    from executorch.devtools.etdump.serialize import serialize_to_etdump_flatcc

    def event(name: str, instruction: int, start: int, end: int) -> schema.Event:
        timed = schema.ProfileEvent(name, 0, instruction, -1, "", b"", start, end)
        return schema.Event(timed, None, None)

    data = []
    for _ in range(runs):
        now, events = 0, []
        for instruction in instructions:
            took = 1000 * (instruction + 1)
            events.append(event("native_call", instruction, now, now + took // 2))
            events.append(event("OPERATOR_CALL", instruction, now, now + took))
            now += took
        events.append(event("Method::execute", -1, 0, now + 500))
        data.append(schema.RunData("forward", -1, [], events))
    dump = serialize_to_etdump_flatcc(schema.ETDumpFlatCC(0, data))
    return len(dump).to_bytes(4, "little") + dump  # the runtime writes its size first


def test_an_etdump_is_put_on_the_nodes_of_its_instructions(managers, tmp_path: Path) -> None:
    import copy

    snapshot = exir_viz.capture(copy.deepcopy(managers["edge"]).to_executorch())
    nodes: dict[int, Any] = {}
    for node in snapshot.method.graph:
        if node.op == "call_function" and node.debug_handle is not None:
            nodes.setdefault(node.debug_handle, node)
    assert len(nodes) >= 3
    file = tmp_path / "run.etdp"
    file.write_bytes(_etdump([*nodes, 10_000]))
    profile = from_etdump(file, snapshot)
    assert {cost.node.id: round(cost.time * 1e9) for cost in profile} == {
        node.id: 1000 * (handle + 1) for handle, node in nodes.items()
    }
    assert profile.conditions.executor == "etdump"
    assert profile.conditions.repeats == 4
    assert "1 instructions of the ETDump are of no node" in str(profile)
    assert profile.whole.time == sum(1000 * (handle + 1) for handle in (*nodes, 10_000)) + 500


def test_an_etdump_of_something_else(managers, tmp_path: Path) -> None:
    edge = exir_viz.capture(managers["edge"])
    with pytest.raises(MeasureError, match="names instructions"):
        from_etdump(_etdump([1]), edge)
    last = exir_viz.capture(delegated("dynamic_batch").to_executorch())
    with pytest.raises(MeasureError, match="another program"):
        from_etdump(_etdump([10_000]), last)
    with pytest.raises(FileError, match="cannot read it"):
        from_etdump(b"no such thing", last)
