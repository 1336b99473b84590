"""How far a measurement is: a small record for callbacks, and a line on standard error for people."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeAlias


class Progress(NamedTuple):
    """What is being done, how much of it is done, and seconds: since the start, and about those left."""

    what: str
    done: int
    total: int
    elapsed: float
    left: float | None

    def __str__(self) -> str:
        left = "" if self.left is None else f", about {max(self.left, 0):.0f} s left"
        return f"{self.what}: {self.done} of {self.total}, {self.elapsed:.0f} s{left}"


Callback: TypeAlias = Callable[[Progress], object]


class Reporter:
    """Tells a callback of each step; the time left follows from the steps of this phase so far."""

    def __init__(self, callback: Callback | None) -> None:
        self._callback = callback
        self._start = self._phase_start = time.monotonic()
        self._what = ""

    def __call__(self, what: str, done: int, total: int) -> None:
        if self._callback is None:
            return
        now = time.monotonic()
        if what != self._what:
            self._what, self._phase_start = what, now
        spent = now - self._phase_start
        left = spent / done * (total - done) if done else None
        self._callback(Progress(what, done, total, now - self._start, left))


class Line:
    """A callback that keeps one line of standard error up to date, from a second after the start on.

    It is for a terminal or a notebook: where standard error is neither, nothing is written.
    """

    def __init__(self, quiet: float = 1.0) -> None:
        self._quiet = quiet
        self._shown = 0
        self._last = 0.0
        self._watched = sys.stderr.isatty() or "ipykernel" in sys.modules

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        over = progress.done >= progress.total
        if not self._watched or progress.elapsed < self._quiet or (now - self._last < 0.2 and not over):
            return
        self._last = now
        text = str(progress)
        sys.stderr.write("\r" + text.ljust(self._shown))
        sys.stderr.flush()
        self._shown = len(text)

    def close(self) -> None:
        """Take the line away."""
        if self._shown:
            sys.stderr.write("\r" + " " * self._shown + "\r")
            sys.stderr.flush()
            self._shown = 0


@contextlib.contextmanager
def shown(callback: Callback | None) -> Iterator[Callback]:
    """The callback given, or a line of our own that is taken away at the end."""
    if callback is not None:
        yield callback
        return
    line = Line()
    try:
        yield line
    finally:
        line.close()
