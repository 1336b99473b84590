"""The progress of a measurement: a record for callbacks, and its display."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple, TypeAlias

from exir_viz.progress_display import progress_display


class Progress(NamedTuple):
    """The activity, the finished and total number of steps, and the elapsed and remaining seconds."""

    what: str
    done: int
    total: int
    elapsed: float
    left: float | None

    @property
    def part(self) -> float:
        """The fraction that is done, from 0 to 1."""
        return min(1.0, self.done / max(self.total, 1))

    @property
    def remaining(self) -> str:
        """The remaining time as it ends a text: ", about 3 s left"; "" if unknown."""
        return "" if self.left is None else f", about {max(self.left, 0):.0f} s left"

    def __str__(self) -> str:
        return f"{self.what}: {self.done} of {self.total}, {self.elapsed:.0f} s{self.remaining}"


Callback: TypeAlias = Callable[[Progress], object]


@contextmanager
def reported(callback: Callback | None) -> Iterator[Callback]:
    """The callback; without one, a callback that shows progress in a terminal or a notebook."""
    if callback is not None:
        yield callback
        return
    with progress_display() as show:
        yield lambda progress: show and show(str(progress), progress.part, progress.elapsed)


class Reporter:
    """Calls a callback after each step; the remaining time is extrapolated from the steps of this phase."""

    def __init__(self, callback: Callback | None) -> None:
        self._callback = callback
        self._start = self._phase_start = time.monotonic()
        self._what = ""

    def __call__(self, what: str, done: int, total: int, detail: str = "") -> None:
        """`detail`: follows the activity, and changes within a phase."""
        if self._callback is None:
            return
        now = time.monotonic()
        if what != self._what:
            self._what, self._phase_start = what, now
        spent = now - self._phase_start
        left = spent / done * (total - done) if done else None
        self._callback(Progress(what + detail, done, total, now - self._start, left))
