"""Bisecting a delegate that diverges: the smallest region, its lines, and a reproducer."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

import exir_viz
from exir_viz.compare.values import precision
from exir_viz.compare.values.records import Outcome, Ran
from exir_viz.errors import MeasureError, WrongArgument
from exir_viz.measure.bisect.reproducer import _numbers_like
from exir_viz.measure.delegate_parts.parts import DelegateParts
from exir_viz.measure.delegate_parts.regions import part, quantizes, units, whole
from exir_viz.measure.runtime.process import NotRun
from exir_viz.stages.session import Session
from tests.measure.faults import Fault, Net, changed_weight, fault, faulty_payload
from tests.remedies.suggestions import suggests

pytest.importorskip("executorch")

X = torch.linspace(-1, 1, 192).reshape(1, 3, 8, 8)


def session(*, quantized: bool = False) -> Session:
    torch.manual_seed(0)
    found = Session(Net().eval(), X)
    start = found.root.quantize() if quantized else found.root
    start.edge().backend("xnnpack")
    return found


def compared(found: Session) -> Any:
    before = found["quantized"] if "quantized" in {one.name for one in found.stages} else found.root
    return exir_viz.diff(before, found["xnnpack"]).values(executor="executorch")


@pytest.fixture(scope="module")
def values() -> Any:
    """Of a net whose third convolution XNNPACK is given another weight for."""
    with fault(changed_weight(out=16)):
        return compared(session())


@pytest.fixture
def wrong(values: Any) -> Iterator[Any]:
    """The values, while the fault lasts."""
    with fault(changed_weight(out=16)):
        yield values


def test_the_region_is_the_op_whose_weight_is_wrong(wrong: Any) -> None:
    told: list[Any] = []
    found = wrong.bisect(progress=told.append)
    assert (found.outcome, found.complete) == (Outcome.REGION, True)
    assert [node.target.name for node in found.nodes] == ["convolution"]
    assert "self.third" in "".join(found.lines)
    assert found.numbers.diverged
    assert found.explore().selection == [node.id for node in found.nodes]
    assert len(found.log) == len(told) < 12
    assert told[0].left is None
    assert all(progress.left > 0 for progress in told[1:])
    assert found.log[0].numbers.diverged
    assert "1 op in forward/executorch_call_delegate diverges alone" in str(found)


def test_it_stops_and_keeps_the_smallest_so_far(wrong: Any) -> None:
    def stop(progress: Any) -> None:
        if progress.done == 3:
            raise KeyboardInterrupt

    found = wrong.bisect("executorch_call_delegate", progress=stop)
    assert not found.complete
    assert len(found.log) == 3
    assert 1 < len(found.nodes) < 7
    assert "Stopped" in str(found)


def test_a_reproducer_shows_it_alone(wrong: Any, tmp_path: Path) -> None:
    found = wrong.bisect().reproducer(tmp_path / "alone")
    assert found.shows
    text = found.script.read_text()
    assert not any(word in text for word in ("third", "Net", __file__))
    assert b"third" not in found.program.read_bytes()
    run = f"with fault(changed_weight(out=16)): runpy.run_path({str(found.script)!r})"
    command = [sys.executable, "-c", f"import runpy; from tests.measure.faults import *\n{run}"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 1, done.stderr
    assert "output 0: differs by" in done.stdout
    real = wrong.bisect().reproducer(tmp_path / "real", weights="real", names=True)
    assert real.shows
    assert "self.third" in real.script.read_text()


@pytest.mark.nightly
def test_a_quantized_op_is_one_unit() -> None:
    with fault(changed_weight(out=16)):
        found = compared(session(quantized=True)).bisect()
    assert found.outcome is Outcome.REGION
    names = [node.target.name for node in found.nodes]
    assert [name for name in names if "quantize" not in name] == ["convolution", "relu"]


def nudged(program: Any) -> None:
    """One integer of each output channel of a weight is one more: results differ by a step."""
    for name, weight in program.state_dict.items():
        if weight.dtype is torch.int8 and weight.dim() > 1 and weight.shape[0] == 16:
            nudge = torch.zeros_like(weight)
            nudge.flatten(1)[:, 5] = 1
            program.state_dict[name] = weight.clamp(max=126) + nudge


@pytest.mark.nightly
@pytest.mark.parametrize(("change", "is_right"), [(nudged, True), (changed_weight(out=16), False)])
def test_roundings_that_add_up_are_no_divergence(
    monkeypatch: pytest.MonkeyPatch, change: Fault, is_right: bool
) -> None:
    monkeypatch.setitem(precision.EPSILON, precision.QUANTIZED, 1e-3)  # as if many ops had added to it
    with fault(change):
        values = compared(session(quantized=True))
        (row,) = values.devices
        assert row.isolated.relative > 2e-3
        assert (row.diverged, values.agree) == (not is_right, is_right)
        assert any("Roundings to eight bits add up" in note for note in values.record.notes) == is_right
        found = values.bisect(row.node)
    assert found.outcome is (Outcome.ROUNDING if is_right else Outcome.REGION)
    assert bool(found.nodes) == (not is_right)
    assert ("each op is right" in str(found)) == is_right


def test_an_input_with_the_name_of_a_quantized_op_is_no_op() -> None:
    graph = torch.fx.Graph()
    x = graph.placeholder("quantized_decomposed_dequantize_per_tensor_default")
    relu = graph.call_function(torch.ops.aten.relu.default, (x,))
    graph.output((relu,))
    assert units(graph) == [(relu,)]


@pytest.mark.nightly
def test_a_payload_that_the_backend_would_not_make_is_told_from_its_error() -> None:
    net = session()
    faulty_payload(net["xnnpack"].live.manager)
    found = compared(net).bisect()
    assert found.outcome is Outcome.PAYLOAD
    assert "lowered again it agrees" in str(found)


@pytest.mark.nightly
def test_a_wrong_payload_is_reproduced_with_its_real_weights(tmp_path: Path) -> None:
    net = session()
    faulty_payload(net["xnnpack"].live.manager)
    found = compared(net).bisect()
    suggests("Pass weights='real'.", found.reproducer, tmp_path)
    made = found.reproducer(tmp_path, weights="real")
    assert made.shows
    assert made.payload == tmp_path / "region.pte"
    done = subprocess.run([sys.executable, made.script], capture_output=True, check=False, timeout=300)
    assert done.returncode == 1


class Viewed(torch.nn.Module):
    """Two layers with a change of shape between them, which keeps the scale."""

    def __init__(self) -> None:
        super().__init__()
        self.up = torch.nn.Linear(16, 24)
        self.down = torch.nn.Linear(12, 4)

    def forward(self, x):
        return self.down(self.up(x).reshape(-1, 12))


def shifted(program: Any) -> None:
    """The zero point before the change of shape is another one than after it: the runtime refuses that."""
    for node in quantizing(program):
        if node.meta["val"].shape == (2, 24):
            node.args = (*node.args[:2], node.args[2] + 9, *node.args[3:])


def quantizing(program: Any) -> Iterator[torch.fx.Node]:
    """The ops that quantize."""
    return (node for node in program.graph.nodes if node.op == "call_function" and quantizes(node))


def quantized(module: torch.nn.Module, x: torch.Tensor) -> Any:
    """The compared values of a quantized module and what XNNPACK makes of it."""
    before = Session(module.eval(), x).root.quantize()
    return exir_viz.diff(before, before.backend("xnnpack")).values(executor="executorch")


@pytest.mark.nightly
def test_a_delegate_that_fails_is_bisected_to_what_fails(tmp_path: Path) -> None:
    torch.manual_seed(0)
    with fault(shifted):
        values = quantized(Viewed(), torch.randn(2, 16))
        assert [one.ran for one in values.devices] == [Ran.NOT_RUN]
        found = values.bisect()
        assert (found.outcome, found.complete, found.numbers) == (Outcome.FAILS, True, None)
        assert [node.target.name for node in found.nodes if "quantize" not in node.name] == ["view_copy"]
        assert "could not run" in str(found)
        made = found.reproducer(tmp_path)
    assert (made.shows, made.numbers) == (True, None)
    assert "cannot run" in made.script.read_text()
    assert found.record.summary.startswith("3 ops in forward/executorch_call_delegate alone make")


@pytest.mark.nightly
def test_a_delegate_that_diverged_and_crashes_by_chance_is_bisected_by_its_difference(
    wrong: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = DelegateParts.distance
    tried: list[Any] = []

    def crash_first(self: DelegateParts, lowered: Any, cut: Any) -> Any:
        tried.append(cut)
        if len(tried) == 1:
            raise NotRun("the process that ran it died by signal SIGABRT", crashed=True)
        return attempt(self, lowered, cut)

    monkeypatch.setattr(DelegateParts, "distance", crash_first)
    found = wrong.bisect()
    assert found.outcome is Outcome.REGION
    assert [node.target.name for node in found.nodes] == ["convolution"]


@pytest.mark.nightly
def test_ops_that_a_region_only_needs_to_run_are_not_in_it(wrong: Any, tmp_path: Path) -> None:
    """The backend does not lower the third convolution without the second."""
    with lowers_only(lambda ops: ops.count("convolution") > 1 or "third" not in ops):
        found = wrong.bisect()
        assert (found.outcome, found.complete) == (Outcome.REGION, True)
        assert [node.target.name for node in found.nodes] == ["convolution"]
        assert found.lines[0].endswith("self.third(x).relu()")
        assert [node.target.name for node in found.neighbors] == ["convolution"]
        assert "diverges and runs only with 1 more" in found.summary
        assert "runs only with aten_convolution_default_1  aten.convolution.default" in str(found)
        assert len(found.record.around) == 1
        assert found.reproducer(tmp_path).shows


def test_every_smaller_part_is_tried_where_some_cannot_run(wrong: Any) -> None:
    """The backend lowers no part of two ops, so that no op can be left out of three."""
    with lowers_only(lambda ops: len(ops) != 2 + ops.count("third")):
        found = wrong.bisect()
    assert [node.target.name for node in found.nodes] == ["convolution"]
    assert found.neighbors == ()


def test_a_part_that_crashes_is_wrong_too(wrong: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    attempt = DelegateParts.distance

    def crash_alone(self: DelegateParts, lowered: Any, cut: Any) -> Any:
        if len([node for node in cut.program.graph.nodes if node.op == "call_function"]) == 1:
            raise NotRun("the process that ran it died by signal SIGSEGV", crashed=True)
        return attempt(self, lowered, cut)

    monkeypatch.setattr(DelegateParts, "distance", crash_alone)
    found = wrong.bisect()
    assert (found.outcome, found.numbers, len(found.nodes)) == (Outcome.FAILS, None, 1)
    assert "SIGSEGV" in str(found)


@contextlib.contextmanager
def lowers_only(can: Callable[[list[str]], bool]) -> Iterator[None]:
    """XNNPACK lowers a program only if its ops satisfy this; "third" is one if the third convolution is."""
    from executorch.backends.xnnpack.xnnpack_preprocess import XnnpackBackend

    preprocess = XnnpackBackend.preprocess

    def checked(program: Any, specs: Any) -> Any:
        nodes = [node for node in program.graph.nodes if node.op == "call_function"]
        ops = [str(node.target).split(".")[-2] for node in nodes]
        is_third = any(
            op == "convolution" and node.meta["val"].shape[1] == 16
            for op, node in zip(ops, nodes, strict=True)
        )
        if not can([*ops, *["third"] * is_third]):
            raise RuntimeError("not without its neighbor")
        return preprocess(program, specs)

    XnnpackBackend.preprocess = staticmethod(checked)
    try:
        yield
    finally:
        XnnpackBackend.preprocess = staticmethod(preprocess)


class Residual(torch.nn.Module):
    """Another delegate reads the integers of the first one, and an op outside its numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Linear(16, 16)
        self.norm = torch.nn.LayerNorm(16)
        self.second = torch.nn.Linear(16, 16)

    def forward(self, x):
        x = self.first(x) + x
        return self.second(self.norm(x)) + x


def other_scale_of_sums(program: Any) -> None:
    """Sums are quantized with another scale than the one that dequantizes them."""
    for node in quantizing(program):
        if "add" in node.args[0].name:
            node.args = (node.args[0], node.args[1] * 1.5, *node.args[2:])


@pytest.mark.nightly
def test_integers_that_a_delegate_returns_are_compared() -> None:
    torch.manual_seed(0)
    with fault(other_scale_of_sums):
        found = quantized(Residual(), torch.randn(2, 4, 16)).bisect()
    assert found.outcome is Outcome.REGION
    assert [node.target.name for node in found.nodes if "quantize" not in node.name] == ["add"]


@pytest.mark.nightly
def test_every_op_of_an_untouched_delegate_runs_alone_and_agrees() -> None:
    torch.manual_seed(0)
    values = quantized(Residual(), torch.randn(2, 4, 16))
    assert not values.diverged
    for node in values.diff.b.method.graph:
        if node.target.name == "executorch_call_delegate":
            parts = _parts(values, node)
            for unit in units(parts.program.graph):
                cut = part(parts.program, unit)
                assert not parts.distance(parts.lower(cut), cut).diverged, unit


def _parts(values: Any, node: Any) -> DelegateParts:
    run = values._run
    call = next(one for one in run.program.graph.nodes if one.name == node.name)
    return DelegateParts(run, call)


def test_a_whole_delegate_keeps_the_order_of_its_inputs_and_outputs() -> None:
    class Crossed(torch.nn.Module):
        def forward(self, x, y):
            late = y.relu()
            early = x.sigmoid()
            return early, late

    program = torch.export.export(Crossed(), (torch.zeros(2), torch.zeros(3)))
    found = whole(program)
    assert [node.name for node in found.inputs] == ["x", "y"]
    assert [node.name for node in found.outputs] == ["sigmoid", "relu"]


def test_nothing_to_bisect_is_refused(
    values: Any, recwarn: pytest.WarningsRecorder, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(WrongArgument, match="is no delegate of b"):
        values.bisect("getitem")
    right = compared(session())
    with pytest.raises(MeasureError, match="nothing to bisect"):
        right.bisect()
    found = right.bisect("executorch_call_delegate")
    assert found.outcome is Outcome.AGREES
    assert "agrees with eager torch" in str(found)
    # what torch and ExecuTorch say while parts are built is of no use here
    assert ([str(one.message) for one in recwarn], capfd.readouterr()) == ([], ("", ""))
    relu = torch.export.export(torch.nn.ReLU(), (X,))
    with pytest.raises(MeasureError, match="Nothing ran in ExecuTorch's runtime"):
        exir_viz.diff(relu, relu).values(X).bisect()


def test_random_numbers_for_a_reproducer_are_in_the_range_of_the_real_ones() -> None:
    random = torch.Generator().manual_seed(0)
    integers = _numbers_like(torch.tensor([3, 3, 5, 4] * 25), random)
    assert set(integers.tolist()) == {3, 4, 5}
    reals = _numbers_like(torch.linspace(-1, 2, 100), random)
    assert -1 <= float(reals.min()) < -0.5 < 1.5 < float(reals.max()) <= 2
    flags = torch.tensor([True, False])
    assert _numbers_like(flags, random).equal(flags)
