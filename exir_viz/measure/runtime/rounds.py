"""A whole program and its parts, timed in turn, so that what else the machine does meets all of them alike.

A part is a program of one instruction; a round runs the whole, then each part and its counterpart that has
nothing to do. What a part takes more than its counterpart is the estimate of what it takes in the whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from exir_viz.measure.progress import Reporter
from exir_viz.measure.records import Times
from exir_viz.measure.statistic import quiet_runs, times_of

from .pte import Loaded


class Alone(NamedTuple):
    """A program in the runtime, and inputs for it."""

    loaded: Loaded
    inputs: Sequence[Any]

    def time(self) -> int:
        """Nanoseconds of one run."""
        return self.loaded.time(self.inputs)


class Part(NamedTuple):
    """A program of one instruction, and the same with nothing to do."""

    alone: Alone
    empty: Alone


@dataclass
class Taken:
    """What rounds found: statistics of the whole and of each part by name, and why some could not run.

    `faint` are the parts that took no longer than their counterparts.
    """

    whole: Times | None = None
    parts: dict[str, Times] = field(default_factory=dict)
    faint: set[str] = field(default_factory=set)
    failed: dict[str, Exception] = field(default_factory=dict)
    rounds: int = 0
    is_interrupted: bool = False


class Rounds:
    """Takes rounds; an interrupt ends them and keeps those that are whole."""

    def __init__(self, whole: Alone, warmup: int, repeats: int, report: Reporter) -> None:
        self._whole = whole
        self._warmup = warmup
        self._repeats = repeats
        self._report = report
        self._wholes: list[int] = []
        self._samples: dict[str, list[tuple[int, int]]] = {}

    def take(self, parts: Mapping[str, Part]) -> Taken:
        """Run all in turn; raises MeasureError where the whole cannot run."""
        taken = Taken()
        self._whole.loaded.run(self._whole.inputs)  # the first run says what is wrong, where something is
        try:
            runnable = self._warm_up(parts, taken)
            self._samples = {name: [] for name in runnable}
            for at in range(self._repeats):
                self._report("Measuring", at, self._repeats)
                self._round(runnable)
        except KeyboardInterrupt:
            taken.is_interrupted = True
        self._sum_up(taken)
        return taken

    def _warm_up(self, parts: Mapping[str, Part], taken: Taken) -> dict[str, Part]:
        runnable = {}
        for at, (name, part) in enumerate(parts.items()):
            self._report("Warming up", at, len(parts))
            try:
                for one in (part.alone, part.empty):
                    one.loaded.run(one.inputs)
            except Exception as error:  # noqa: BLE001  the runtime raises a dozen classes here
                taken.failed[name] = error
            else:
                runnable[name] = part
        for _ in range(self._warmup - 1):
            self._whole.time()
            for part in runnable.values():
                part.alone.time()
        return runnable

    def _round(self, parts: Mapping[str, Part]) -> None:
        whole = self._whole.time()
        found = {name: (part.alone.time(), part.empty.time()) for name, part in parts.items()}
        self._wholes.append(whole)
        for name, pair in found.items():
            self._samples[name].append(pair)

    def _sum_up(self, taken: Taken) -> None:
        taken.rounds = len(self._wholes)
        if not self._wholes:
            return
        taken.whole = _times(self._wholes)
        for name, pairs in self._samples.items():
            empty = _times([nothing for _, nothing in pairs]).time
            times = _times([max(alone - empty, 0) for alone, _ in pairs])
            if times.time:
                taken.parts[name] = times
            else:
                taken.faint.add(name)


def _times(samples: Sequence[int]) -> Times:
    """Each has quiet runs of its own: a run of the whole tells nothing of the one of a part that follows."""
    return times_of(samples, quiet_runs(samples))
