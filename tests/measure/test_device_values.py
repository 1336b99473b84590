"""Values of a lowered program that the ExecuTorch runtime computed: whole, isolated and in sequence."""

from __future__ import annotations

import functools
import signal
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

import exir_viz
from exir_viz.cli import main
from exir_viz.compare.values.records import Ran
from exir_viz.compare.values.terminal import why_not_run
from exir_viz.errors import FileError, MeasureError, WrongArgument
from exir_viz.measure.runtime import process
from exir_viz.measure.runtime.file import profile_file
from exir_viz.measure.runtime.runtime_log import RuntimeLog
from exir_viz.measure.runtime.single_node import OneNode
from exir_viz.measure.runtime.worker_messages import Run
from exir_viz.readers.flatbuffer.bundle import without_program
from exir_viz.stages.session import Session
from tests.corpus.concepts import Fn
from tests.corpus.programs import exported
from tests.measure.faults import fault
from tests.measure.programs import delegated

pytest.importorskip("executorch")


class Net(torch.nn.Module):
    """Two convolutions and a layer that XNNPACK takes, and a running sum between them that it does not."""

    def __init__(self) -> None:
        super().__init__()
        self.first = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.second = torch.nn.Conv2d(8, 8, 3, padding=1)
        self.head = torch.nn.Linear(8, 4)

    def forward(self, x):
        x = self.first(x).relu().cumsum(2)
        return self.head(self.second(x).relu().mean((2, 3)))


@pytest.fixture(scope="module")
def session() -> Session:
    torch.manual_seed(0)
    found = Session(Net().eval(), torch.randn(1, 3, 8, 8))
    found.root.edge().backend("xnnpack")
    return found


def compared(session: Session, **options: Any) -> Any:
    return exir_viz.diff(session.root, session["xnnpack"]).values(executor="executorch", **options)


def test_every_delegate_and_op_runs_isolated_and_in_sequence(session: Session) -> None:
    values = compared(session)
    assert values.agree is True
    assert [(one.backend, one.ran) for one in values.devices] == [
        ("XnnpackBackend", Ran.RUNTIME),
        ("", Ran.RUNTIME),
        ("XnnpackBackend", Ran.RUNTIME),
        ("", Ran.RUNTIME),
        ("XnnpackBackend", Ran.RUNTIME),
    ]
    assert all(not one.isolated.diverged and not one.in_sequence.diverged for one in values.devices)
    # the first gets the same values both ways
    assert values.devices[0].isolated == values.devices[0].in_sequence
    assert {one.b.name: one.ran for one in values}["x"] is Ran.INPUT
    assert {one.ran for one in values if one.b.op == "call_function"} == {Ran.RUNTIME}
    assert [row.ran for row in values.outputs] == [Ran.RUNTIME]
    assert "What ran: runtime 5" in str(values)


def test_an_error_of_one_delegate_is_its_own_and_grows_in_sequence(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    delegate_data = OneNode.delegate_data

    def scaled(self: OneNode, lowered: Any) -> bytes:
        """The first delegate of a program with another weight."""
        data = delegate_data(self, lowered)
        name = "first.weight"
        state = lowered.original_module.state_dict
        if name not in state:
            return data
        weight = state[name].detach().numpy().tobytes()
        assert data.count(weight[:16]) <= 1
        from executorch.exir.backend.backend_api import to_backend

        with torch.no_grad():
            kept = state[name].clone()
            state[name].mul_(1.5)
            changed = to_backend("XnnpackBackend", lowered.original_module, lowered.compile_specs)
            state[name].copy_(kept)
        return delegate_data(self, changed)

    monkeypatch.setattr(OneNode, "delegate_data", scaled)
    values = compared(session)
    assert [one.diverged for one in values.devices] == [True, False, False, False, False]
    assert all(one.in_sequence.diverged for one in values.devices)
    assert values.first.b.op == "call_function"
    assert "≠ max" in str(values)


def test_an_executorch_stage_runs_as_a_whole(session: Session) -> None:
    stage = session["xnnpack"].executorch()
    values = exir_viz.diff(session.root, stage).values(executor="executorch")
    assert values.agree is True
    assert [one.ran for one in values.devices] == [Ran.RUNTIME] * 5
    # without the stage before, ops that write to planned memory are emulated, and say so
    alone = exir_viz.diff(session.root, stage.live.manager).values(executor="executorch")
    ran = [(bool(one.backend), one.ran) for one in alone.devices]
    assert ran == [(one.backend != "", Ran.RUNTIME if one.backend else Ran.EMULATED) for one in alone.devices]
    assert alone.agree is True  # the outputs are those of the whole program
    assert "not in the runtime" in str(alone)


def test_a_file_runs_as_a_whole(session: Session, tmp_path: Path) -> None:
    path = session["xnnpack"].executorch().save_pte(tmp_path / "net.pte")
    values = exir_viz.diff(session.root, path).values(executor="executorch", metric=len)
    assert values.agree is True
    assert [(row.name, row.ran) for row in values.outputs] == [("output 0", Ran.RUNTIME)]
    assert (len(values), values.devices, values.metrics) == (0, (), ((1.0, 1.0),))
    assert "What ran: runtime 1" in str(values)
    assert "a .pte runs as a whole" in str(values)
    torch.manual_seed(1)
    other = exir_viz.Session(Net().eval(), torch.randn(1, 3, 8, 8))
    assert exir_viz.diff(other.root, path).values(executor="executorch").agree is False
    with pytest.raises(MeasureError, match="is a file, which has no program to lower parts of"):
        values.bisect()
    with pytest.raises(WrongArgument, match="Only the ExecuTorch runtime can run"):
        exir_viz.diff(session.root, path).values()
    with pytest.raises(WrongArgument, match="no program whose nodes could run one by one"):
        exir_viz.profile(path)


def test_what_is_emulated_does_not_agree() -> None:
    values = exir_viz.diff(exported("dynamic_batch"), delegated("dynamic_batch")).values()
    assert not values.diverged
    assert values.agree is None
    emulated = [one for one in values if one.ran is Ran.EMULATED]
    assert emulated
    assert not any("agree" in repr(one) for one in emulated)
    assert "agree" not in str(values)
    assert "(emulated)" in str(values)


def test_a_crash_costs_a_process_and_no_more(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    send = process.RuntimeProcess._send
    crashing: list[int] = []

    def crash_first(self: process.RuntimeProcess, worker: Any, request: Any) -> None:
        if isinstance(request, Run) and request.key in (crashing or [request.key]):
            crashing.append(request.key)
            worker.send_signal(signal.SIGSEGV)
            worker.wait()
        send(self, worker, request)

    monkeypatch.setattr(process.RuntimeProcess, "_send", crash_first)
    values = compared(session)
    assert [one.ran for one in values.devices] == [Ran.NOT_RUN, *[Ran.RUNTIME] * 4]
    assert "died by signal SIGSEGV" in values.devices[0].reason
    assert values.devices[0].isolated is None
    assert not values.devices[2].isolated.diverged
    assert "not in the runtime" in str(values)


def test_a_crash_at_work_is_no_endless_wait(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """The process has the request, and is dead when its answer is read."""
    send = process.RuntimeProcess._send
    crashing: list[int] = []

    def crash_after(self: process.RuntimeProcess, worker: Any, request: Any) -> None:
        if not isinstance(request, Run) or request.key not in (crashing or [request.key]):
            send(self, worker, request)
            return
        crashing.append(request.key)
        worker.send_signal(signal.SIGSTOP)  # so that it cannot answer before it dies
        send(self, worker, request)
        worker.send_signal(signal.SIGSEGV)
        worker.send_signal(signal.SIGCONT)
        worker.wait()

    monkeypatch.setattr(process.RuntimeProcess, "_send", crash_after)
    values = compared(session)
    assert [one.ran for one in values.devices] == [Ran.NOT_RUN, *[Ran.RUNTIME] * 4]
    assert "died by signal SIGSEGV" in values.devices[0].reason


def test_a_crash_in_memory_that_another_program_damaged_is_no_fault_of_a_program(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = process.RuntimeProcess._send
    sent: dict[int, int] = {}

    def crash_once(self: process.RuntimeProcess, worker: Any, request: Any) -> None:
        sent[worker.pid] = sent.get(worker.pid, 0) + isinstance(request, Run)
        if len(sent) == 1 and sent[worker.pid] == 3:
            worker.send_signal(signal.SIGSEGV)
            worker.wait()
        send(self, worker, request)

    monkeypatch.setattr(process.RuntimeProcess, "_send", crash_once)
    values = compared(session)
    assert [one.ran for one in values.devices] == [Ran.RUNTIME] * 5
    assert len(sent) == 2


class Several(torch.nn.Module):
    """Ops that write several results: to a list, and to arguments with names of their own."""

    def forward(self, x):
        first, second = x.chunk(2, 1)
        best, at = first.topk(3)
        most = second.max(1)
        return best * 2, at, most.values, most.indices


def test_ops_of_an_executorch_stage_that_write_several_results() -> None:
    torch.manual_seed(0)
    root = Session(Several().eval(), torch.randn(2, 12)).root
    lowered = root.backend("xnnpack").executorch()
    values = exir_viz.diff(root, lowered).values(executor="executorch")
    assert {one.ran for one in values.devices} == {Ran.RUNTIME}
    assert not values.diverged
    assert values.agree is True
    assert all(one.isolated is not None and not one.isolated.diverged for one in values.devices)


def test_the_process_stays_and_frees_programs(session: Session) -> None:
    compared(session)
    before = process.runtime_process()._process
    assert before is not None
    compared(session)
    assert process.runtime_process()._process is before
    assert process.runtime_process()._sent == set()


def test_several_inputs_keep_the_worst(session: Session) -> None:
    torch.manual_seed(1)
    samples = [torch.randn(1, 3, 8, 8) * scale for scale in (1, 50)]
    values = compared(session, samples=samples, metric=lambda outputs: float(outputs[0].argmax()))
    assert values.record.samples == 2
    alone = [compared(session, inputs=one).outputs[0].numbers.max_abs for one in samples]
    assert values.outputs[0].numbers.max_abs == max(alone)
    assert len(values.metrics) == 2
    assert all(one == other for one, other in values.metrics)
    with pytest.raises(WrongArgument, match="not both"):
        compared(session, inputs=samples[0], samples=samples)


def fails_third(calls: list[Any], outputs: list[Any]) -> float:
    """A metric that fails when it is called a third time."""
    calls.append(outputs)
    if len(calls) == 3:
        raise IndexError("too many")
    return outputs[0].max()


def test_a_metric_that_fails_names_the_input_and_the_program(session: Session, tmp_path: Path) -> None:
    pair, x = (session.root, session["xnnpack"]), torch.ones(1, 3, 8, 8)
    line = fails_third.__code__.co_firstlineno + 4
    with pytest.raises(MeasureError) as caught:
        exir_viz.diff(*pair).values(samples=[x, x], metric=functools.partial(fails_third, []))
    error = caught.value
    which = "outputs of a, export (aten.training), for input 2 of 2"
    assert str(error).splitlines() == [
        f"The metric fails_third failed on the {which}: IndexError: too many",
        f'  at "{__file__}", line {line}',
        "  given: [f32[1, 4]]",
    ]
    assert (error.file, error.line, error.given) == (__file__, line, "[f32[1, 4]]")
    assert isinstance(error.__cause__, IndexError)

    path = session["xnnpack"].executorch().save_pte(tmp_path / "net.pte")
    for b in (pair[1], path):
        results = iter([1, "many"])
        with pytest.raises(MeasureError) as caught:
            exir_viz.diff(pair[0], b).values(
                x, executor="executorch", metric=lambda _outputs, results=results: next(results)
            )
        assert "returned 'many', which is no number" in str(caught.value)
        assert str(caught.value).startswith("The metric <lambda> failed on the outputs of b, ")


class Running(torch.nn.Module):
    """A sum that it keeps from run to run."""

    def __init__(self) -> None:
        super().__init__()
        self.head = torch.nn.Linear(4, 4)
        self.register_buffer("kept", torch.zeros(4))

    def forward(self, x):
        self.kept.add_(x.mean(0))
        return self.head(x) + self.kept


def test_each_of_several_inputs_begins_with_the_first_state() -> None:
    torch.manual_seed(0)
    samples = [torch.randn(3, 4) for _ in range(3)]
    root = Session(Running().eval(), samples[0]).root
    values = exir_viz.diff(root, root.backend("xnnpack")).values(executor="executorch", samples=samples)
    assert [row.ran for row in values.outputs] == [Ran.RUNTIME, Ran.RUNTIME]
    assert values.agree is True


def test_what_a_branch_computes_is_emulated() -> None:
    program = exported("db:cond_operands")
    lowered = Session(program).root.backend("xnnpack")
    values = exir_viz.diff(program, lowered).values(executor="executorch")
    inside = [one for one in values if one.b.graph.parent is not None and one.b.op == "call_function"]
    assert inside
    assert all(one.ran is Ran.EMULATED and "agree" not in repr(one) for one in inside)


def test_roundings_of_a_quantized_program_are_no_divergence() -> None:
    """XNNPACK may round eight-bit integers otherwise than eager torch does."""
    torch.manual_seed(0)
    before = Session(Net().eval(), torch.randn(1, 3, 8, 8)).root.quantize()
    with fault(nearly_the_same_scale):
        after = before.backend("xnnpack")
    values = exir_viz.diff(before, after).values(executor="executorch")
    assert any(one.numbers.max_abs for one in values)
    assert values.agree is True
    assert not values.diverged
    assert "quantized: 0.0157" in str(values)
    exact = exir_viz.diff(before, after).values(executor="executorch", rtol=0, atol=0)
    assert exact.diverged


def nearly_the_same_scale(program: Any) -> None:
    """Weights are 0.4 % larger, within a step of the integers of the result."""
    for table in (program.state_dict, program.constants):
        for name, value in table.items():
            if "scale" in name:
                table[name] = value * 1.004


def keep(seen: list[torch.Tensor], outputs: list[Any]) -> float:
    """A metric that keeps the first output."""
    seen.append(outputs[0])
    return 0.0


def test_a_bundled_program_runs_and_has_inputs(
    session: Session, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from executorch.devtools import BundledProgram
    from executorch.devtools.bundled_program.config import MethodTestCase, MethodTestSuite
    from executorch.devtools.bundled_program.serialize import (
        deserialize_from_flatbuffer_to_bundled_program,
        serialize_from_bundled_program_to_flatbuffer,
    )

    inputs = [torch.randn(1, 3, 8, 8), torch.ones(1, 3, 8, 8)]
    cases = [MethodTestCase(inputs=(one,), expected_outputs=(torch.zeros(1, 4),)) for one in inputs]
    bundle = BundledProgram(session["xnnpack"].executorch().live.manager, [MethodTestSuite("forward", cases)])
    file = tmp_path / "net.bpte"
    file.write_bytes(serialize_from_bundled_program_to_flatbuffer(bundle))
    program = session["xnnpack"].executorch().save_pte(tmp_path / "net.pte")
    assert exir_viz.load(file).detail == exir_viz.load(program).detail
    read = deserialize_from_flatbuffer_to_bundled_program(without_program(file.read_bytes()))
    assert (read.program, len(read.method_test_suites[0].test_cases)) == (b"", 2)
    for samples in (file, bundle):
        seen: list[torch.Tensor] = []
        values = compared(session, samples=samples, metric=functools.partial(keep, seen))
        assert values.record.samples == 2
        expected = session.root.programs["forward"].module()(inputs[1])
        assert torch.equal(seen[2], expected)
    torch.manual_seed(0)  # the weights of the session
    whole = exir_viz.diff(session.root, file).values(executor="executorch")
    assert (whole.agree, whole.record.samples, whole.record.inputs_from) == (True, 2, "bundled")
    assert str(whole).partition("\n")[0].endswith("0 of 1 output diverges")
    given = exir_viz.diff(session.root, file).values(inputs[0], executor="executorch")
    assert (given.record.samples, given.record.inputs_from) == (1, "given")
    empty = tmp_path / "empty.bpte"
    suites = [MethodTestSuite("forward", [])]
    manager = session["xnnpack"].executorch().live.manager
    empty.write_bytes(serialize_from_bundled_program_to_flatbuffer(BundledProgram(manager, suites)))
    without = exir_viz.diff(session.root, empty).values(executor="executorch")
    assert without.record.inputs_from == "example"
    ops = [[cost.node.id for cost in profile_file(one, trust=True, repeats=2)] for one in (file, program)]
    assert ops[0] == ops[1]
    broken = tmp_path / "broken.bpte"
    broken.write_bytes(file.read_bytes()[:40])
    with pytest.raises(FileError, match=r"broken\.bpte"):
        profile_file(broken, trust=True)
    assert main(["profile", str(file), "--trust", "--repeats", "2"]) == 0
    assert "executorch, 1 thread, 2 runs" in capsys.readouterr().out


def test_reasons_that_differ_in_numbers_are_one() -> None:
    texts = ["slice node 104 failed", "", "it draws random numbers", "slice node 12 failed"]
    rows = SimpleNamespace(devices=[SimpleNamespace(reason=text) for text in texts])
    assert why_not_run(rows) == [("slice node 104 failed", 2), ("it draws random numbers", 1)]


def test_synthesized_inputs_are_pointed_out() -> None:
    program = torch.export.export(Net().eval(), (torch.randn(1, 3, 8, 8),))
    program._example_inputs = None
    values = exir_viz.diff(program, program.run_decompositions()).values()
    assert values.record.inputs_from == "synthesized"
    assert "random numbers" in values.record.notes[0]


def test_what_the_runtime_cannot_run_is_refused() -> None:
    program = exported("dynamic_batch")
    with pytest.raises(WrongArgument, match="The ExecuTorch runtime runs lowered programs"):
        exir_viz.diff(program, program).values(executor="executorch")
    with pytest.raises(WrongArgument, match="Unknown executor 'device'"):
        exir_viz.diff(program, program).values(executor="device")


def test_an_error_of_the_runtime_says_what_it_logged() -> None:
    """ExecuTorch lowers `nonzero` column by column, as torch does, and its kernel writes row by row."""
    session = Session(exported("unbacked"))
    values = exir_viz.diff(session.root, session.root.backend("xnnpack")).values(executor="executorch")
    nonzero, product = values.devices
    assert nonzero.diverged
    assert product.ran is Ran.NOT_RUN
    assert product.reason == "a size is known only at run time: its program has 2, the run has 16"
    (note,) = values.record.notes
    assert "0x12. It was given f32[4, 4]. It logged: " in note
    assert "dim orders (tensor_util_portable.cpp:" in note
    assert [row.ran for row in values.outputs] == [Ran.EMULATED]


@pytest.mark.parametrize(
    ("change", "quantizes", "meaning"),
    [
        (lambda x: x + 1, True, "inputs in channels last, and no op that computes in it"),
        (lambda x: x[1], False, "in different orders in memory, such as channels last"),
        (lambda x: x.contiguous()[1], False, ""),
    ],
)
def test_an_error_by_channels_last_says_what_it_means(
    change: Callable[[Any], Any], quantizes: bool, meaning: str
) -> None:
    x = torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last)
    session = Session(Fn(change).eval(), x)
    before = session.root.quantize() if quantizes else session.root
    values = exir_viz.diff(before, before.backend("xnnpack")).values(executor="executorch")
    reasons = [one.reason for one in values.devices if one.reason]
    assert len(reasons) == bool(meaning)
    assert all(
        meaning in one and "Call .contiguous() on the tensor before it." in one
        for one in (*reasons, *values.record.notes)
    )
    assert (values.agree is True) == (not meaning)
    if meaning:
        assert meaning in " ".join(str(values).split())


def test_random_numbers_are_no_divergence(tmp_path: Path) -> None:
    """Dropout in training: eager torch draws it, in the same order as for the first program."""
    session = Session(exported("module_called_twice"))
    lowered = session.root.backend("xnnpack")
    for stage in (lowered, lowered.executorch()):
        values = exir_viz.diff(session.root, stage).values(executor="executorch")
        assert not any(one.diverged for one in (*values, *values.devices))
        random = [one for one in values.devices if "dropout" in one.node.target.name]
        assert [one.ran for one in random] == [Ran.EMULATED] * 2
        assert "it generates random numbers" in random[0].reason
        assert values.agree is None
        assert "it generates random numbers" in values.record.notes[0]
    path = stage.save_pte(tmp_path / "random.pte")
    values = exir_viz.diff(session.root, path).values(executor="executorch")
    assert values.record.notes == (
        "The program generates random numbers, and those of the runtime differ from those of torch.",
    )


def test_an_op_that_takes_a_number_of_the_run_is_emulated() -> None:
    session = Session(exported("unbacked_float"))
    values = exir_viz.diff(session.root, session.root.backend("xnnpack")).values(executor="executorch")
    assert not values.diverged
    reasons = [one.reason for one in values.devices]
    assert "one of its arguments is a number that is known only at run time" in reasons


def test_only_the_log_of_the_failed_program_is_shown() -> None:
    log = RuntimeLog()
    log.file.write(b"[method.cpp:128] Init failed for backend XnnpackBackend: 0x1\n")
    assert log.explained("Error 0x1.").endswith(
        "Init failed for backend XnnpackBackend: 0x1 (method.cpp:128)"
    )
    log.clear()
    log.file.write(b"W1124 torch/pytree.py] deprecated\n[cpuinfo_utils.cpp:71] Reading file /sys\n")
    assert log.explained("Error 0x1.") == "Error 0x1."


def test_the_size_of_the_thread_pool_is_no_reason() -> None:
    log = RuntimeLog()
    log.file.write(
        b"[threadpool.cpp:66] Resetting threadpool to 1 threads.\n"
        b"[kernel_ops_util.cpp:389] Check failed (in.dim() == 3): Expect input tensor to be 3-D or 4-D\n"
    )
    log.file.flush()
    assert "kernel_ops_util.cpp:389" in log.explained("It failed.")
    assert "threadpool" not in log.explained("It failed.")
    log.clear()
    log.file.write(b"[threadpool.cpp:66] Resetting threadpool to 1 threads.\n")
    log.file.flush()
    assert log.explained("It failed.") == "It failed."
