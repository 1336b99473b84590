"""The real runtime: a whole `.pte`, and its delegates."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any, Self

import pandas as pd
import pytest
import torch

import exir_viz
from exir_viz import figures
from exir_viz.errors import MeasureError, NotAllowed, WrongArgument
from exir_viz.measure.frames import compare_frame
from exir_viz.measure.profile import Profile
from exir_viz.measure.progress import Progress, Reporter
from exir_viz.measure.records import NOT_MEASURABLE, UNKNOWN, Times
from exir_viz.measure.rollup import rollup
from exir_viz.measure.runtime.file import profile_file
from exir_viz.measure.runtime.process import RuntimeProcess
from exir_viz.measure.runtime.pte import Loaded
from exir_viz.measure.runtime.rounds import Alone, DelegatePrograms, Rounds
from exir_viz.measure.runtime.single_delegates import split
from tests.corpus.concepts import Fn
from tests.corpus.programs import exported
from tests.measure.programs import codes

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


@pytest.fixture(scope="module")
def picks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file whose first input may have up to 8 rows, and whose second chooses two of them."""
    from executorch.exir import to_edge

    rows = torch.export.Dim("rows", min=2, max=8)
    program = torch.export.export(
        Fn(lambda x, at: x[at]),
        (torch.ones(4, 3), torch.tensor([0, 1])),
        dynamic_shapes=(({0: rows}, None),),
    )
    file = tmp_path_factory.mktemp("picks") / "picks.pte"
    file.write_bytes(to_edge(program).to_executorch().buffer)
    return file


def test_the_whole_and_its_delegates(managers) -> None:
    profile = exir_viz.profile(managers["backend"], torch.randn(32, 128), executor="executorch", repeats=10)
    assert profile.whole.min > 0
    assert [cost.node.target.name for cost in profile] == ["executorch_call_delegate"] * 2
    assert {cost.basis for cost in profile} == {"estimated"}
    assert codes(profile) == ["estimated"]
    # a difference of measurements: no run has it
    assert profile.overhead == Times(0, profile.overhead.time, *[UNKNOWN] * 4)
    assert next(share for share in rollup(profile, "op") if share.key == "(rest)").span.high == float("inf")
    parts = sum(cost.time for cost in profile) + profile.overhead.time / 1e9
    assert parts == pytest.approx(profile.whole.time / 1e9, rel=0.001)
    modules = {share.key for share in profile.hottest(9, by="module")}
    assert {"first", "second"} <= modules


class Uneven(torch.nn.Module):
    """Two delegates that look alike from outside: one layer, long enough to be timed anywhere, and twenty."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Linear(512, 512)
        self.second = torch.nn.Sequential(*[torch.nn.Linear(512, 512) for _ in range(20)])

    def forward(self, x):
        return self.second(torch.cumsum(self.first(x), 1))


def test_delegates_of_equal_shapes_have_a_time_each(uneven) -> None:
    profile = exir_viz.profile(uneven, torch.randn(64, 512), executor="executorch", repeats=10)
    small, large = (cost.min for cost in profile if cost.node.target.name == "executorch_call_delegate")
    assert large > 4 * small


@pytest.fixture(scope="module")
def uneven() -> Any:
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    program = torch.export.export(Uneven(), (torch.randn(64, 512),))
    return to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])


class Summed(torch.nn.Module):
    """A layer, and a running sum that no backend takes."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Linear(64, 64)

    def forward(self, x):
        return torch.cumsum(self.first(x), 1)


class Spanned(torch.nn.Module):
    """Two modules that one delegate takes, but for an op of the second."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU())
        self.second = Summed()

    def forward(self, x):
        return self.second(self.first(x))


@pytest.fixture(scope="module")
def spanned() -> dict[str, Profile]:
    """A program whose delegate spans modules: its profiles by eager torch and by the runtime."""
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    torch.manual_seed(0)
    program = torch.export.export(Spanned(), (torch.randn(16, 64),))
    manager = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()])
    return {
        "export": exir_viz.profile(program, repeats=9),
        "emulated": exir_viz.profile(manager.exported_program(), torch.randn(16, 64), repeats=9),
        "run": exir_viz.profile(manager, torch.randn(16, 64), executor="executorch", repeats=9),
    }


def test_what_a_delegate_spans_is_compared_with_nothing(spanned) -> None:
    frame = compare_frame([spanned["export"], spanned["run"]], ["export", "run"])
    at = {(row.module, row.stage): row for row in frame.itertuples()}
    for name in ("first", "first.0", "second.first"):
        assert at[name, "run"].mixed == "in XNNPACK 1, which spans more"
        assert pd.isna(at[name, "run"].ratio)
        assert at[name, "export"].mixed == ""
    # cumsum is in no delegate, and its time is in no node: no module around it is told, either
    assert at["second", "run"].mixed == "in XNNPACK 1, which spans more; 1 op not timed separately"
    assert at["(root)", "run"].mixed == "1 op not timed separately"
    assert at["(root)", "run"].time_us > 0
    assert frame.loc[frame["mixed"] != "", "ratio"].isna().all()
    assert "(rest)" in set(frame["module"])
    assert [node.name for node in spanned["run"].untimed_ops] == ["aten_cumsum_default"]
    # eager torch runs what is in the delegate: each module has its time, and it says what it is
    frame = compare_frame([spanned["export"], spanned["emulated"]], ["export", "emulated"])
    assert (frame["mixed"] == "").all()
    first = frame[(frame["module"] == "first") & (frame["stage"] == "emulated")].iloc[0]
    assert first["ratio"] > 0
    assert first["basis"] == "emulated"


def test_a_delegates_own_call_is_emulated_too(spanned) -> None:
    call = spanned["emulated"]["executorch_call_delegate"]
    assert (call.basis, spanned["emulated"]["aten_cumsum_default"].basis) == ("emulated", "measured")


def test_a_delegates_weights_are_state_and_no_memory_of_the_run(spanned) -> None:
    export, emulated = spanned["export"], spanned["emulated"]
    weights = 2 * 4 * (64 * 64 + 64)
    assert export.record.state_bytes == emulated.record.state_bytes == weights
    assert emulated.peak.live_bytes <= 3 * 4 * 16 * 64 < weights


def test_bars_of_stages_say_what_they_are(spanned) -> None:
    figure = figures.stages(
        [spanned["export"], spanned["emulated"], spanned["run"]], ["export", "xnn", "run"]
    )
    export, emulated, run = figure.data
    assert [one.name for one in figure.data] == ["export", "xnn, emulated in part", "run, estimated"]
    axis = figure.layout.yaxis
    name = dict(zip(axis.tickvals, axis.ticktext, strict=True)).__getitem__
    of = dict(zip(map(name, run.y), zip(run.x, run.text, run.hovertext, strict=True), strict=True))
    assert of["first"][:2] == (0, "run: in XNNPACK 1")
    assert "in XNNPACK 1, which spans more" in of["first"][2]
    assert "×" not in of["first"][2]
    shapes = dict(zip(map(name, emulated.y), emulated.marker.pattern.shape, strict=True))
    assert (shapes["first"], shapes["(overhead)"]) == ("/", "")
    assert set(export.marker.pattern.shape) == {""}
    assert "emulated" in dict(zip(map(name, emulated.y), emulated.hovertext, strict=True))["first"]


def test_the_manager_is_as_before(managers) -> None:
    before = exir_viz.load(managers["backend"])
    exir_viz.profile(managers["backend"], executor="executorch", repeats=2)
    assert exir_viz.load(managers["backend"]) == before


def test_the_same_delegates_in_the_last_stage(managers) -> None:
    import copy

    last = copy.deepcopy(managers["backend"]).to_executorch()
    profile = exir_viz.profile(last, executor="executorch", repeats=3)
    assert len(profile) == 2
    assert profile.record.dialect == "executorch"
    arenas = profile.arenas
    assert len(arenas) > 0
    assert (arenas["first"] <= arenas["last"]).all()


class Attends(torch.nn.Module):
    """Attention over a sequence of any length: some delegates take its length as a number."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v = (torch.nn.Linear(16, 16) for _ in range(3))

    def forward(self, x):
        q, k, v = (
            layer(x).view(x.shape[0], x.shape[1], 2, 8).transpose(1, 2) for layer in (self.q, self.k, self.v)
        )
        found = torch.nn.functional.scaled_dot_product_attention(q, k, v)
        return found.transpose(1, 2).reshape(x.shape[0], x.shape[1], 16)


@pytest.fixture(scope="module")
def attends() -> Any:
    """The stage `executorch` of it, by way of XNNPACK."""
    seq = torch.export.Dim("seq", min=2, max=64)
    program = torch.export.export(Attends().eval(), (torch.randn(1, 6, 16),), dynamic_shapes=({1: seq},))
    return exir_viz.Session(program).root.edge().backend("xnnpack").executorch()


def test_delegates_of_a_dynamic_program_are_timed_at_the_shapes_of_the_run(attends) -> None:
    for length in (6, 33):
        profile = exir_viz.profile(
            attends.parent, torch.randn(1, length, 16), executor="executorch", repeats=3
        )
        assert len(profile) > 3
        assert NOT_MEASURABLE not in [
            remark.code for remark in profile.remarks if "separately" in remark.text
        ]
        (given,) = profile.conditions.inputs
        assert given.value == f"f32[1, {length}, 16]"
    calls = [node for node in attends.parent.program.graph.nodes if "call_delegate" in str(node.target)]
    sizes = [one.meta["val"] for call in calls for one in call.args[1:]]
    assert any(isinstance(size, torch.SymInt) for size in sizes), "a delegate that takes a number"


def test_why_a_part_could_not_run_is_reported_and_it_counts_as_not_measured(managers, monkeypatch) -> None:
    def refuse(*_: Any) -> Any:
        raise RuntimeError("no room for it")

    monkeypatch.setattr("exir_viz.measure.runtime.single_node.OneNode.delegate", refuse)
    profile = exir_viz.profile(managers["backend"], torch.randn(32, 128), executor="executorch", repeats=3)
    assert [cost.time for cost in profile] == [None, None]
    (remark,) = [one for one in profile.remarks if one.code == NOT_MEASURABLE]
    assert "RuntimeError: no room for it. executor='cpu' times" in remark.text
    assert "0%" not in " ".join(one.text for one in profile.remarks)
    assert "2 of 2 delegates not measurable" in str(profile)
    by_cpu = exir_viz.profile(managers["backend"], torch.randn(32, 128), repeats=2)
    assert {"linear", "addmm"} & {cost.node.target.name for cost in by_cpu}, "as the remark says"


def test_what_cannot_run_there() -> None:
    from executorch.exir import to_edge

    program = torch.export.export(Fn(lambda x: torch.sort(x)[0]), (torch.randn(4),))
    with pytest.raises(MeasureError, match=r"no kernel for aten::sort\.values"):
        exir_viz.profile(to_edge(program), torch.randn(4), executor="executorch")
    with pytest.raises(WrongArgument, match="runs lowered programs"):
        exir_viz.profile(exported("related_dims"), executor="executorch")


def test_delegates_in_branches_are_not_separated() -> None:
    """How often they run is unknown. XNNPACK takes none, so the file is of a backend that is not here."""
    from executorch.exir import to_edge
    from executorch.exir.backend.test.op_partitioner_demo import AddMulPartitionerDemo

    branches = Fn(lambda x: torch.cond(x.sum() > 0, lambda x: x + x, lambda x: x + 2, (x,)) + 1)
    manager = to_edge(torch.export.export(branches, (torch.ones(2, 2),)))
    program = manager.to_backend(AddMulPartitionerDemo()).to_executorch()
    found = split(program.buffer, "forward")
    assert list(found.jumped.values()) == ["BackendWithCompilerDemo"] * 2
    assert [kind.backend for kind in found.kinds] == ["BackendWithCompilerDemo"]


def test_what_is_too_short_to_be_told_has_no_time() -> None:
    """A part that takes no longer than its counterpart: 0 would be a fact that nobody knows."""
    alone, empty, whole = Steady(100), Steady(100), Steady(900)
    slow = DelegatePrograms(Steady(400), empty)
    taken = Rounds(whole, 1, 5, Reporter(None)).take({"short": DelegatePrograms(alone, empty), "slow": slow})
    assert taken.parts.keys() == {"slow"}
    assert taken.faint == {"short"}
    assert taken.parts["slow"].time == 300


class Steady(Alone):
    """A program that always takes as long."""

    def __new__(cls, nanoseconds: int) -> Self:
        return super().__new__(cls, _Silent(), (nanoseconds,))

    def time(self) -> int:
        return self.inputs[0]


class _Silent:
    def run(self, inputs: Any) -> None:
        pass


@pytest.fixture(scope="module")
def lowered(managers, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Both programs as `.pte` files."""
    import copy

    folder, files = tmp_path_factory.mktemp("lowered"), {}
    for name, manager in managers.items():
        files[name] = folder / f"{name}.pte"
        files[name].write_bytes(copy.deepcopy(manager).to_executorch().buffer)
    return files


def test_a_file_by_its_delegates(lowered) -> None:
    profile = profile_file(lowered["backend"], trust=True, repeats=3)
    assert [cost.node.target.name for cost in profile] == ["executorch_call_delegate"] * 2
    assert profile.conditions.executor == "executorch"
    assert [(one.path, one.value) for one in profile.conditions.inputs] == [("input 0", "f32[32, 128]")]


def test_a_separate_delegate_computes_what_it_computes_in_the_whole(tmp_path: Path) -> None:
    """The call that is timed is the program's own, and its counterpart does nothing."""
    layer, x, out = torch.nn.Linear(128, 128), torch.randn(32, 128), torch.zeros(32, 128)
    file = exir_viz.Session(layer, x).backend("xnnpack").executorch().save_pte(tmp_path / "layer.pte")
    pieces = split(file.read_bytes(), "forward")
    (kind,) = pieces.kinds
    (found,) = Loaded(pieces.data, kind.alone).run([x, out])
    torch.testing.assert_close(found, layer(x))
    (nothing,) = Loaded(pieces.data, kind.empty).run([x, out])
    assert not nothing.any()


def test_a_file_needs_trust_and_a_method_that_it_has(lowered) -> None:
    with pytest.raises(NotAllowed, match="native code"):
        profile_file(lowered["edge"])
    with pytest.raises(WrongArgument, match="no method 'other'"):
        profile_file(lowered["edge"], trust=True, method="other")


X = torch.randn(2, 3)


@pytest.mark.parametrize(
    ("inputs", "said"),
    [
        ((X,), r"'forward' takes 2 inputs \(at most f32\[8, 3\], i64\[2\]\), and 1 was given"),
        (({"x": X},), "takes them flat, in this order: the values of a list or a dict one by one"),
        (({"x": X}, torch.tensor([0, 1])), "Input 0 of 'forward' is .*. Expected: at most f32"),
        ((X, torch.tensor([0, 1, 2])), r"Input 1 of 'forward' is i64\[3\]. Expected: i64\[2\]"),
        ((X, X[0, :2]), r"is f32\[2\]. Expected: i64\[2\]"),
        ((torch.randn(9, 3), torch.tensor([0, 1])), r"is f32\[9, 3\]. Expected: at most f32\[8, 3\]"),
        ((X[0], torch.tensor([0, 1])), r"is f32\[3\]. Expected: at most f32\[8, 3\]"),
    ],
)
def test_a_file_says_what_inputs_it_takes(picks: Path, inputs, said: str) -> None:
    with pytest.raises(MeasureError, match=said):
        profile_file(picks, inputs, trust=True)


def test_inputs_given_to_a_file_are_what_it_runs_on(picks: Path) -> None:
    profile = profile_file(picks, (X, torch.tensor([0, 1])), trust=True, repeats=2)
    assert [one.value for one in profile.conditions.inputs] == ["f32[2, 3]", "i64[2]"]
    with pytest.raises(WrongArgument, match=r"inputs is 3\. Expected: a tensor or a tuple of arguments"):
        profile_file(picks, 3, trust=True)
    with pytest.raises(WrongArgument, match="repeats is 0"):
        profile_file(picks, trust=True, repeats=0)


def test_progress_names_what_programs_are_built_for(managers) -> None:
    texts: set[str] = set()
    exir_viz.profile(
        managers["backend"],
        executor="executorch",
        repeats=1,
        progress=lambda progress: texts.add(progress.what),
    )
    assert {text for text in texts if text.startswith("Building")} == {"Building a program for each delegate"}


def test_an_interrupt_keeps_the_rounds_that_are_whole(lowered) -> None:
    def stop(progress: Progress) -> None:
        if progress.what == "Measuring" and progress.done == 2:
            raise KeyboardInterrupt

    profile = profile_file(lowered["edge"], trust=True, repeats=99, progress=stop)
    assert not profile.complete
    assert profile.conditions.repeats == 2
    assert profile.whole.n == 2
    assert "interrupted" in [remark.code for remark in profile.remarks]


def test_inputs_are_made_to_the_symbols_asked_for() -> None:
    from executorch.exir import to_edge

    dim = torch.export.Dim("rows", min=2, max=8)
    program = torch.export.export(Fn(lambda x: x * 2), (torch.ones(4),), dynamic_shapes=(({0: dim},),))
    name = str(program.graph.find_nodes(op="placeholder")[0].meta["val"].shape[0])
    profile = exir_viz.profile(to_edge(program), executor="executorch", symbols={name: 6}, repeats=1)
    assert [given.value for given in profile.conditions.inputs] == ["f32[6]"]
    assert profile.conditions.symbols == {name: 6}


def test_a_manager_that_to_executorch_changed_is_reported() -> None:
    from executorch.exir import to_edge

    manager = to_edge(torch.export.export(torch.nn.Linear(4, 4), (torch.ones(2, 4),)))
    made = manager.to_executorch()
    with pytest.raises(
        MeasureError, match=r"to_executorch was called on this manager already.*what it return"
    ):
        exir_viz.profile(manager, executor="executorch")
    assert exir_viz.profile(made, executor="executorch", repeats=1).complete


def test_a_crash_costs_a_process_and_no_more(managers, monkeypatch) -> None:
    send = RuntimeProcess._send
    crashed: list[int] = []

    def crash_first(self: RuntimeProcess, worker: Any, request: Any) -> None:
        if not crashed:
            crashed.append(worker.pid)
            worker.send_signal(signal.SIGSEGV)
            worker.wait()
        send(self, worker, request)

    monkeypatch.setattr(RuntimeProcess, "_send", crash_first)
    x = torch.randn(32, 128)
    with pytest.raises(MeasureError, match=r"could not be measured: the process .* died by signal SIGSEGV"):
        exir_viz.profile(managers["backend"], x, executor="executorch", repeats=1)
    assert exir_viz.profile(managers["backend"], x, executor="executorch", repeats=1).complete
