"""Time a whole program and its parts in turn, so that disturbances affect all of them alike.

A part is a program of one delegate; a round runs the whole, then each part and its empty counterpart. The
difference of the two is the estimate of the delegate's time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from exir_viz.measure.cpu.describe import first_line
from exir_viz.measure.processor_time import ProcessorTime, ProcessorTimer
from exir_viz.measure.records import Times
from exir_viz.measure.statistic import Disturbed, MeanRuns, mean_runs, times_of, without_away

from .pte import Loaded


class Alone(NamedTuple):
    """A program in the runtime, with its inputs."""

    loaded: Loaded
    inputs: Sequence[Any]

    def time(self) -> int:
        """Nanoseconds of one run."""
        return self.loaded.time(self.inputs)


class Sample(NamedTuple):
    """One run: nanoseconds, and its processor time."""

    time: int
    processor_time: ProcessorTime | None


class DelegatePrograms(NamedTuple):
    """A program of one delegate, and its empty counterpart."""

    alone: Alone
    empty: Alone


@dataclass
class RoundResults:
    """The results of rounds: statistics of the whole and of each part by name, and why some could not run.

    `faint` are the parts that took no longer than their counterparts. `disturbed` and `mean_runs` are of the
    whole: what was subtracted from it, and over which of its runs `time` is the mean.
    """

    whole: Times | None = None
    disturbed: Disturbed | None = None
    mean_runs: MeanRuns | None = None
    parts: dict[str, Times] = field(default_factory=dict)
    faint: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)
    rounds: int = 0
    is_interrupted: bool = False


class Rounds:
    """Runs rounds; an interrupt ends them and keeps complete ones."""

    def __init__(
        self,
        whole: Alone,
        warmup: int,
        repeats: int,
        report: Callable[[str, int, int], None],
        *,
        threads: int = 1,
    ) -> None:
        self._whole = whole
        self._timer = ProcessorTimer(threads)
        self._warmup = warmup
        self._repeats = repeats
        self._report = report
        self._wholes: list[Sample] = []
        self._samples: dict[str, list[tuple[Sample, Sample]]] = {}

    def take(self, parts: Mapping[str, DelegatePrograms]) -> RoundResults:
        """Run all in turn; raises MeasureError if the whole program cannot run."""
        results = RoundResults()
        self._whole.loaded.run(self._whole.inputs)  # the first run raises an error, if there is one
        try:
            runnable = self._warm_up(parts, results)
            self._samples = {name: [] for name in runnable}
            for at in range(self._repeats):
                self._report("Measuring", at, self._repeats)
                self._round(runnable)
        except KeyboardInterrupt:
            results.is_interrupted = True
        self._sum_up(results)
        return results

    def _warm_up(
        self, parts: Mapping[str, DelegatePrograms], results: RoundResults
    ) -> dict[str, DelegatePrograms]:
        runnable = {}
        for at, (name, part) in enumerate(parts.items()):
            self._report("Warming up", at, len(parts))
            try:
                for one in (part.alone, part.empty):
                    one.loaded.run(one.inputs)
            except Exception as error:  # noqa: BLE001  the runtime raises a dozen classes here
                results.failed[name] = first_line(error)
            else:
                runnable[name] = part
        for _ in range(self._warmup - 1):
            self._whole.time()
            for part in runnable.values():
                part.alone.time()
        return runnable

    def _round(self, parts: Mapping[str, DelegatePrograms]) -> None:
        whole = self._timed(self._whole)
        found = {name: (self._timed(part.alone), self._timed(part.empty)) for name, part in parts.items()}
        self._wholes.append(whole)
        for name, pair in found.items():
            self._samples[name].append(pair)

    def _timed(self, alone: Alone) -> Sample:
        self._timer.start()
        time = alone.time()
        return Sample(time, self._timer.stop())

    def _sum_up(self, results: RoundResults) -> None:
        results.rounds = len(self._wholes)
        if not self._wholes:
            return
        wholes, processor_times = zip(*self._wholes, strict=True)
        calm, results.disturbed = without_away(wholes, processor_times)
        results.mean_runs = mean_runs(wholes, calm, processor_times)
        results.whole = times_of(wholes, results.mean_runs.runs, calm)
        for name, pairs in self._samples.items():
            alone, empty = zip(*pairs, strict=True)
            nothing = _times(empty).time
            times = _times(alone, less=nothing)
            if times.time:
                results.parts[name] = times
            else:
                results.faint.add(name)


def _times(samples: Sequence[Sample], less: int = 0) -> Times:
    """Each part has its own fastest half: a run of the whole says nothing about the part that follows."""
    raw, processor_times = zip(*samples, strict=True)
    calm, _ = without_away(raw, processor_times)
    runs = mean_runs(raw, calm, processor_times).runs
    return times_of([max(one - less, 0) for one in raw], runs, [max(one - less, 0) for one in calm])
