"""Record which lines of the user's files run, and from which line each was reached, while a block runs."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from exir_viz.snapshot.frames import is_users

# The line from which the first line of a call is reached, and to which its last one leads.
OUTSIDE = -1

Arcs = Counter[tuple[int, int]]


class LineWatch:
    """By file: how often each line was reached from each other line."""

    def __init__(self) -> None:
        self.arcs: dict[str, Arcs] = {}
        self._is_watched: dict[str, bool] = {}

    def call(self, frame: FrameType, _event: str, _arg: object) -> Callable[..., Any] | None:
        """What `sys.settrace` takes: it watches the calls of functions in the user's files."""
        file = frame.f_code.co_filename
        watched = self._is_watched.get(file)
        if watched is None:
            watched = self._is_watched[file] = file.endswith(".py") and is_users(file)
        if not watched:
            return None
        arcs = self.arcs.setdefault(file, Counter())
        before = OUTSIDE

        def line(frame: FrameType, event: str, _arg: object) -> Callable[..., Any]:
            nonlocal before
            if event == "line":
                arcs[before, frame.f_lineno] += 1
                before = frame.f_lineno
            elif event == "return":
                arcs[before, OUTSIDE] += 1
            return line

        return line


@contextmanager
def watched_lines() -> Iterator[LineWatch]:
    """Watch the lines that this thread runs. A debugger's own tracing pauses meanwhile."""
    watch, before = LineWatch(), sys.gettrace()
    sys.settrace(watch.call)
    try:
        yield watch
    finally:
        sys.settrace(before)
