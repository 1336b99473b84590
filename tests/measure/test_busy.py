"""A machine that does something else meanwhile: ranks are the program's all the same, and all adds up."""

from __future__ import annotations

import random
import re

import pytest
import torch

import exir_viz
from exir_viz.measure.cpu.samples import Samples
from exir_viz.measure.statistic import quiet_runs, settled
from tests.corpus.concepts import Fn

NODES, RUNS, SLICE = 300, 40, 4_000_000


def taken(preempted: int) -> tuple[list[int], list[list[int]], list[int]]:
    """Wholes and runs of a program, and what its nodes truly take; `preempted` slices a run go elsewhere."""
    draw = random.Random(0)
    true = [5_000 + 400 * number for number in range(NODES)]
    runs = [[round(time * draw.uniform(0.95, 1.05)) for time in true] for _ in range(RUNS)]
    rests = [200_000] * RUNS
    for run, times in enumerate(runs):
        for _ in range(preempted):
            at = draw.randrange(NODES + 1)
            if at < NODES:
                times[at] += SLICE
            else:
                rests[run] += SLICE
    return [sum(times) + rest for times, rest in zip(runs, rests, strict=True)], runs, true


def hottest(wholes: list[int], runs: list[list[int]]) -> list[int]:
    means = [sum(column[run] for run in quiet_runs(wholes)) for column in zip(*runs, strict=True)]
    return sorted(range(NODES), key=lambda number: -means[number])[:10]


def test_calm_samples_stay_as_they_are() -> None:
    wholes, runs, _ = taken(0)
    assert settled(wholes, runs) == (wholes, runs, None)
    assert settled([], []) == ([], [], None)


@pytest.mark.parametrize("preempted", [1, 5])
def test_the_hottest_are_those_that_take_most(preempted: int) -> None:
    wholes, runs, true = taken(preempted)
    assert min(true[number] for number in hottest(wholes, runs)) < true[NODES // 2]
    calm = settled(wholes, runs)
    assert min(true[number] for number in hottest(calm.wholes, calm.runs)) > 0.85 * true[-1]
    assert calm.disturbed.runs == RUNS
    assert calm.disturbed.mean == pytest.approx(preempted * SLICE, rel=0.05)
    rests = [whole - sum(times) for whole, times in zip(calm.wholes, calm.runs, strict=True)]
    assert rests == [200_000] * RUNS


def test_what_was_left_out_is_told_and_all_adds_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another program takes 9 s in one op of each run, of three in turn."""
    add = Samples.add
    slow = 9_000_000_000

    def disturb(samples: Samples, whole: int, times: list[int]) -> None:
        at = 1 + samples.count % 3
        add(samples, whole + slow, [time + slow * (number == at) for number, time in enumerate(times)])

    monkeypatch.setattr(Samples, "add", disturb)
    program = torch.export.export(Fn(lambda x: x.sin().cos().exp() @ x), (torch.randn(64, 64),))
    profile = exir_viz.profile(program, repeats=9)
    parts = sum(cost.time for cost in profile) + profile.overhead.time / 1e9
    assert parts == pytest.approx(profile.whole.time / 1e9, rel=0.001)
    assert profile.whole.time < slow / 9
    assert max(cost.time for cost in profile) < slow / 9e9
    (remark,) = (remark.text for remark in profile.remarks if remark.code == "busy")
    assert remark.startswith("In 9 of 9 runs the machine did something else")
    left_out = float(re.search(r"That is ([\d,.]+) µs", remark)[1].replace(",", ""))
    assert left_out == pytest.approx(slow / 1e3, rel=0.01)
