"""A machine that does something else meanwhile, programs that take longer now and then: who took the time?

What the system says of a run decides, and the same samples come out otherwise where it says otherwise.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections.abc import Iterator

import pytest
import torch

import exir_viz
from exir_viz.measure.cpu.program import CpuProgram
from exir_viz.measure.cpu.samples import Samples
from exir_viz.measure.cpu.survey import Survey
from exir_viz.measure.cpu.timing import Timer
from exir_viz.measure.processor_time import ProcessorTime, ProcessorTimer
from exir_viz.measure.profile import Profile
from exir_viz.measure.progress import Reporter
from exir_viz.measure.runtime.rounds import Alone, RoundResults, Rounds
from exir_viz.measure.statistic import fastest_half, mean_runs, settled, without_away
from tests.corpus.concepts import Fn

NODES, RUNS, SLICE = 300, 40, 4_000_000

Runs = tuple[list[int], list[list[int]], list[ProcessorTime | None]]


def taken(preempted: int, slice_: int = SLICE) -> tuple[Runs, list[int]]:
    """Wholes, runs, processor times, and what nodes take; `preempted` slices a run go to another program."""
    draw = random.Random(0)
    true = [5_000 + 400 * number for number in range(NODES)]
    runs = [[round(time * draw.uniform(0.95, 1.05)) for time in true] for _ in range(RUNS)]
    rests = [200_000] * RUNS
    processor_times: list[ProcessorTime | None] = [
        ProcessorTime(sum(times) + rest, preempted, 0) for times, rest in zip(runs, rests, strict=True)
    ]
    for run, times in enumerate(runs):
        for _ in range(preempted):
            at = draw.randrange(NODES + 1)
            if at < NODES:
                times[at] += slice_
            else:
                rests[run] += slice_
    wholes = [sum(times) + rest for times, rest in zip(runs, rests, strict=True)]
    return (wholes, runs, processor_times), true


def hottest(wholes: list[int], runs: list[list[int]]) -> list[int]:
    means = [sum(column[run] for run in fastest_half(wholes)) for column in zip(*runs, strict=True)]
    return sorted(range(NODES), key=lambda number: -means[number])[:10]


def test_calm_samples_stay_as_they_are() -> None:
    (wholes, runs, processor_times), _ = taken(0)
    assert settled(wholes, runs, processor_times) == (wholes, runs, None)
    assert settled([], [], []) == ([], [], None)


@pytest.mark.parametrize("preempted", [1, 5])
def test_the_hottest_are_those_that_take_most(preempted: int) -> None:
    (wholes, runs, processor_times), true = taken(preempted)
    assert min(true[number] for number in hottest(wholes, runs)) < true[NODES // 2]
    calm = settled(wholes, runs, processor_times)
    assert min(true[number] for number in hottest(calm.wholes, calm.runs)) > 0.85 * true[-1]
    assert calm.disturbed.runs == RUNS
    assert calm.disturbed.away == preempted * SLICE
    assert calm.disturbed.out == pytest.approx(preempted * SLICE, rel=0.05)
    rests = [whole - sum(times) for whole, times in zip(calm.wholes, calm.runs, strict=True)]
    assert rests == pytest.approx([200_000] * RUNS, rel=0.1)


@pytest.mark.parametrize(
    "processor_time",
    [
        None,  # not known
        lambda whole: ProcessorTime(whole, 0, 0),  # it computed
        lambda whole: ProcessorTime(whole, 3, 0),  # it computed, and lost the processor for next to nothing
        lambda whole: ProcessorTime(whole - SLICE, 0, 1),  # it slept
        lambda whole: ProcessorTime(whole - SLICE, 3, 1),  # it slept, and lost the processor meanwhile
    ],
)
def test_without_evidence_nothing_is_taken_out(processor_time) -> None:
    (wholes, runs, _), _ = taken(1)
    processor_times = [processor_time and processor_time(whole) for whole in wholes]
    found = settled(wholes, runs, processor_times)
    assert (found.wholes, found.runs) == (wholes, runs)
    assert without_away(wholes, processor_times)[0] == wholes


def test_no_more_is_taken_out_than_the_processor_was_away() -> None:
    """An op that computes 20 ms in every third run, in which another program has the processor for 4 ms."""
    runs = [[20_000_000 + SLICE if run % 3 == 0 else 10_000, 3_000] for run in range(30)]
    wholes = [sum(times) + 1_000 for times in runs]
    processor_times = [
        ProcessorTime(whole - SLICE, 1, 0) if run % 3 == 0 else ProcessorTime(whole, 0, 0)
        for run, whole in enumerate(wholes)
    ]
    found = settled(wholes, runs, processor_times)
    assert [times[0] for times in found.runs] == [20_000_000 if run % 3 == 0 else 10_000 for run in range(30)]
    assert [whole - sum(times) for whole, times in zip(found.wholes, found.runs, strict=True)] == [1_000] * 30
    assert (found.disturbed.runs, found.disturbed.number) == (10, 0)
    assert found.disturbed.away == found.disturbed.out == SLICE / 3
    assert mean_runs(wholes, found.wholes, processor_times) == (list(range(30)), 10, True)


def test_long_runs_are_left_out_where_it_is_not_known_whose_they_were() -> None:
    wholes = [24_000_000 if run % 3 == 0 else 14_000 for run in range(30)]
    for processor_time in (None, ProcessorTime(14_000, 2, 1)):
        found = mean_runs(wholes, wholes, [processor_time] * 30)
        assert (found.runs, found.long, found.is_own) == (fastest_half(wholes), 10, False)
    once = [24_000_000 if run == 3 else 14_000 for run in range(30)]
    assert mean_runs(once, once, [ProcessorTime(whole, 0, 0) for whole in once]).long == 0


LOST = (4_430_000, ProcessorTime(438_000, 1, 0))  # as such a run was, of a program that takes 66 µs


@pytest.mark.parametrize("begin", [[], [LOST]])
def test_what_caches_take_that_are_not_warm_is_not_the_programs(begin) -> None:
    """The first runs, and those after the processor was lost, use it for longer; the program is the same."""
    cold = [158_000, 163_000, 141_000]
    times = [*cold, *[66_000] * 17]
    processor_times = [ProcessorTime(whole, 0, 0) for whole in times]
    wholes = [*(one[0] for one in begin), *times]
    processor_times = [*(one[1] for one in begin), *processor_times]
    calm, _ = without_away(wholes, processor_times)
    found = mean_runs(wholes, calm, processor_times)
    assert (found.runs, found.is_own) == (fastest_half(calm), False)
    assert found.long == len(cold) + len(begin)
    # the same without a cause that the machine could have is the program's
    assert mean_runs(wholes[::-1], calm[::-1], processor_times[::-1]).is_own


@pytest.mark.parametrize(("slow", "is_own"), [((100_000, 0, 0), True), ((34_000, 33_000, 33_000), False)])
def test_a_slow_op_is_one_op(slow: tuple[int, ...], is_own: bool) -> None:
    """What makes all ops take longer is not what one op does now and then."""
    usual = (20_000, 20_000, 20_000)
    runs = [
        [time + more * (run % 3 == 2) for time, more in zip(usual, slow, strict=True)] for run in range(12)
    ]
    wholes = [sum(times) + 5_000 for times in runs]
    found = mean_runs(wholes, wholes, [ProcessorTime(whole, 0, 0) for whole in wholes], runs)
    assert (found.long, found.is_own) == (4, is_own)
    assert len(found.runs) == (12 if is_own else 6)


def test_a_long_op_counts_though_the_processor_was_lost_in_it() -> None:
    """20 ms are more than caches can make of 14 µs."""
    wholes = [24_000_000 if run % 3 == 0 else 14_000 for run in range(12)]
    processor_times = [ProcessorTime(20_000_000 if run % 3 == 0 else 14_000, 4, 0) for run in range(12)]
    calm, _ = without_away(wholes, processor_times)
    runs = [[whole - 4_000, 2_000] for whole in calm]
    assert mean_runs(wholes, calm, processor_times, runs) == (list(range(12)), 4, True)


def test_the_last_run_before_the_first_that_counts_is_a_common_one(monkeypatch) -> None:
    ran = []
    once = CpuProgram.once
    monkeypatch.setattr(
        CpuProgram, "once", lambda one, runner, *rest: ran.append(type(runner)) or once(one, runner, *rest)
    )
    program = torch.export.export(Fn(lambda x: x.sin()), (torch.ones(4),))
    exir_viz.profile(program, repeats=1)
    assert ran == [Timer, Survey, Timer, Timer]


def sleeps(_x) -> None:
    time.sleep(0.02)


def computes(_x) -> None:
    until = time.thread_time() + 0.02
    while time.thread_time() < until:
        pass


@pytest.fixture(scope="module")
def now_and_then() -> Iterator[dict]:
    """Programs with an op that takes 20 ms of every third call: it sleeps, or computes."""
    calls = [0]
    library = torch.library.Library("exirviz_busy", "DEF")
    for work in (sleeps, computes):

        def kernel(x, work=work):
            calls[0] += 1
            if calls[0] % 3 == 0:
                work(x)
            return x + 1

        library.define(f"{work.__name__}(Tensor x) -> Tensor")
        torch.library.impl(library, work.__name__, "CPU")(kernel)
        torch.library.register_fake(f"exirviz_busy::{work.__name__}", torch.empty_like, lib=library)
    ops = torch.ops.exirviz_busy
    yield {
        work.__name__: torch.export.export(Fn(lambda x, op=op: op(x).relu()), (torch.ones(8),))
        for work, op in ((sleeps, ops.sleeps), (computes, ops.computes))
    }
    library._destroy()


def share_of(profile: Profile, name: str) -> float:
    parts = sum(cost.time for cost in profile) + profile.overhead.time / 1e9
    assert parts == pytest.approx(profile.whole.time / 1e9, rel=0.001)
    return profile[name].time / (profile.whole.time / 1e9)


@pytest.mark.parametrize("name", ["sleeps", "computes"])
def test_what_an_op_takes_now_and_then_it_keeps(now_and_then, name: str, monkeypatch) -> None:
    """On a machine that is calm by its processor time, whatever this one does."""
    stop = ProcessorTimer.stop
    monkeypatch.setattr(ProcessorTimer, "stop", lambda timer: stop(timer)._replace(lost=0))
    profile = exir_viz.profile(now_and_then[name], repeats=12)
    assert share_of(profile, name) > 0.9
    assert profile.whole.p75 >= profile[name].p75 * 1e9
    (remark,) = (remark.text for remark in profile.remarks if remark.code == "varied")
    assert "times are the mean of all runs" in remark


def test_an_op_that_computes_keeps_its_cost_beside_busy_programs(now_and_then) -> None:
    spin = [sys.executable, "-c", "while True: pass"]
    others = [subprocess.Popen(spin) for _ in range(3)]
    try:
        profile = exir_viz.profile(now_and_then["computes"], repeats=12)
    finally:
        for one in others:
            one.kill()
            one.wait()
    assert share_of(profile, "computes") > 0.9


def test_several_threads_have_no_processor_time() -> None:
    timer = ProcessorTimer(2)
    timer.start()
    assert timer.stop() is None
    timer = ProcessorTimer(1)
    timer.start()
    time.sleep(0.001)
    assert timer.stop().left > 0


def remarks(profile: Profile) -> list[str]:
    return [remark.text for remark in profile.remarks if remark.code == "busy"]


def test_what_was_left_out_is_reported_and_all_adds_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program takes 9 s in one op of each run, of three in turn."""
    add = Samples.add
    slow = 9_000_000_000

    def disturb(samples: Samples, whole, times, entered, processor_time) -> None:
        at = 1 + samples.count % 3
        times = [time + slow * (number == at) for number, time in enumerate(times)]
        add(samples, whole + slow, times, entered, ProcessorTime(whole, 1, 0))

    monkeypatch.setattr(Samples, "add", disturb)
    program = torch.export.export(Fn(lambda x: x.sin().cos().exp() @ x), (torch.randn(64, 64),))
    profile = exir_viz.profile(program, repeats=9)
    parts = sum(cost.time for cost in profile) + profile.overhead.time / 1e9
    assert parts == pytest.approx(profile.whole.time / 1e9, rel=0.001)
    assert profile.whole.time < slow / 9
    assert max(cost.time for cost in profile) < slow / 9e9
    # the quartiles are of what the clock said, of nodes as of the whole
    assert profile.whole.min > slow
    told = remarks(profile)[0]
    assert told.startswith("Busy machine: other programs interrupted 9 of 9 runs, for 9 s per run")
    assert (
        "per run is excluded from ops that took more than three times their median, mostly of forward/"
        in told
    )
    (named,) = (remark.node for remark in profile.remarks if remark.text == told)
    assert f"mostly of {named}," in told


class Clocked(Alone):
    """A program whose runs take what a list says."""

    def time(self) -> int:
        return self.inputs.pop(0)


def rounds(
    monkeypatch: pytest.MonkeyPatch, wholes: list[int], processor_times: list[ProcessorTime | None]
) -> RoundResults:
    left = processor_times.copy()
    monkeypatch.setattr(ProcessorTimer, "stop", lambda _: left.pop(0))

    class Ready:
        def run(self, inputs) -> None: ...

    return Rounds(Clocked(Ready(), wholes.copy()), 1, len(wholes), Reporter(None)).take({})


def test_the_runtime_goes_by_the_same_processor_time(monkeypatch: pytest.MonkeyPatch) -> None:
    wholes = [15_000_000, 14_000_000, 50_000, 16_000_000, 15_000_000]
    away = rounds(monkeypatch, wholes, [ProcessorTime(52_000, 1, 0)] * 5)
    assert away.whole.time < 53_000
    assert (away.whole.min, away.whole.median) == (50_000, 15_000_000)
    assert (away.disturbed.runs, away.mean_runs.long) == (4, 0)
    own = rounds(
        monkeypatch,
        [50_000, 9_000_000] * 5,
        [ProcessorTime(50_000, 0, 0), ProcessorTime(9_000_000, 0, 0)] * 5,
    )
    assert (own.whole.time, own.disturbed) == (4_525_000, None)
    assert (own.mean_runs.long, own.mean_runs.is_own) == (5, True)
    unknown = rounds(monkeypatch, [50_000, 60_000, 9_000_000] * 3, [None] * 9)
    assert unknown.whole.time == 54_000
    assert (unknown.mean_runs.long, unknown.mean_runs.is_own) == (3, False)
