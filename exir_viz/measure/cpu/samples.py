"""Compute the columns of a Profile, the total time and the overhead from the samples of runs and the
survey.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from exir_viz.measure.columns import NO_TIMES, columns
from exir_viz.measure.processor_time import ProcessorTime
from exir_viz.measure.records import Basis, Columns, Times
from exir_viz.measure.statistic import Disturbed, MeanRuns, mean_runs, settled, spread, times_of

from .plan import Plan, PlannedNode
from .survey import Survey


class Samples:
    """The nanoseconds of each run, total and by node number, with the thread's processor time and path."""

    def __init__(self, nodes: int, plans: Sequence[Plan]) -> None:
        self._plans = plans
        self._nodes = nodes
        self.wholes: list[int] = []
        self.runs: list[list[int]] = []
        self.processor_times: list[ProcessorTime | None] = []
        self._paths: list[dict[int, int]] = []

    @property
    def count(self) -> int:
        """How many runs are complete."""
        return len(self.wholes)

    def add(
        self, whole: int, times: list[int], entered: dict[int, int], processor_time: ProcessorTime | None
    ) -> None:
        """Add a complete run; `entered` is how often each plan ran."""
        self.wholes.append(whole)
        self.runs.append(times)
        self.processor_times.append(processor_time)
        self._paths.append(entered)

    def partial(self, times: list[int]) -> None:
        """The nodes that ran in an incomplete run, if no run is complete."""
        self.runs.append(times or [0] * self._nodes)

    def calls(self) -> list[list[int]]:
        """How often each node ran, by run and number."""
        if not self.count:
            return [[int(time > 0) for time in times] for times in self.runs]
        plan_of = {step.number: plan.number for plan in self._plans for step in plan.steps}
        plans = [plan_of[number] for number in range(self._nodes)]
        return [[path.get(plan, 0) for plan in plans] for path in self._paths]


class Summed(NamedTuple):
    """The results of samples.

    `whole`, `overhead` and `mean_runs` are None if no run is complete. `uneven` counts the nodes that did not
    run equally often in all runs: then times are means over all runs.
    """

    columns: Columns
    whole: Times | None
    overhead: Times | None
    mean_runs: MeanRuns | None
    disturbed: Disturbed | None
    uneven: int


def summed(nodes: Sequence[PlannedNode], samples: Samples, survey: Survey | None) -> Summed:
    """The columns of a Profile, its total and its overhead, and the remarks for the reader."""
    calls = samples.calls()
    by_node = list(zip(*calls, strict=True))
    uneven = _uneven(by_node, survey.calls if survey and samples.count else calls[0])
    found = settled(samples.wholes, samples.runs[: samples.count], samples.processor_times)
    whole = overhead = which = None
    runs = list(range(len(samples.runs)))
    if samples.count:
        which = mean_runs(samples.wholes, found.wholes, samples.processor_times, found.runs)
        runs = runs if uneven else which.runs
        whole = times_of(samples.wholes, runs, found.wholes)
        overhead = times_of(_rests(samples.wholes, samples.runs), runs, _rests(found.wholes, found.runs))
    raw, calm = (zip(*times, strict=True) for times in (samples.runs, found.runs or samples.runs))
    made = columns(
        [planned.id for planned in nodes],
        [Basis.EMULATED if planned.backend else Basis.MEASURED for planned in nodes],
        [_times(*one, runs) for one in zip(raw, calm, by_node, strict=True)],
        calls=[_often(often) for often in by_node],
        counts=survey.counts if survey else None,
    )
    return Summed(made, whole, overhead, which, found.disturbed, uneven)


def _uneven(by_node: Sequence[Sequence[int]], surveyed: Sequence[int]) -> int:
    return sum(len({*often, seen}) > 1 for often, seen in zip(by_node, surveyed, strict=True))


def _times(raw: Sequence[int], calm: Sequence[int], calls: Sequence[int], runs: Sequence[int]) -> Times:
    """The mean over the chosen runs, and the spread over the runs in which the node ran."""
    ran = [time for time, often in zip(raw, calls, strict=True) if often]
    return spread(ran, sum(calm[run] for run in runs) / len(runs)) if ran else NO_TIMES


def _often(calls: Sequence[int]) -> int:
    """The mean number of calls; never rounded to 0 for a node that ran."""
    return max(round(sum(calls) / len(calls)), int(any(calls)))


def _rests(wholes: Sequence[int], runs: Sequence[Sequence[int]]) -> list[int]:
    return [whole - sum(times) for whole, times in zip(wholes, runs, strict=True)]
