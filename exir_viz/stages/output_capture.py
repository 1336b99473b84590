"""Capture what torch and ExecuTorch print while a step runs, as notices.

Warnings, log records, and text written to stdout and stderr, by Python or by child processes, are captured
for the step's own thread; output of other threads goes where it always went. Python has one of each of these
hooks per process, so one step runs at a time (see `step_runner`).
"""

from __future__ import annotations

import io
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any, TextIO

from exir_viz.stages.notices import NoticeLog
from exir_viz.torch_internals.logs import captured_logs, captured_programs
from exir_viz.torch_internals.replacing import replaced


@contextmanager
def captured_output(notices: NoticeLog, *, streams: bool) -> Iterator[None]:
    """Capture the warnings and logs of this thread, and with `streams` its stdout and stderr."""
    thread = threading.get_ident()
    with _warnings(notices), captured_logs(notices.note):
        if not streams:
            yield
            return
        out = _Stream(notices, "stdout", thread, sys.stdout)
        err = _Stream(notices, "stderr", thread, sys.stderr)
        try:
            with redirect_stdout(out), redirect_stderr(err), captured_programs(notices.note):
                yield
        finally:
            out.flush_rest()
            err.flush_rest()


@contextmanager
def _warnings(notices: NoticeLog) -> Iterator[None]:
    def noting(_show: Callable[..., Any]) -> Callable[..., Any]:
        def note(message: Warning | str, category: type[Warning], *_place: Any) -> None:
            notices.note(category.__name__, str(message))

        return note

    # The user's filters stay. Resetting the registries shows warnings again that an earlier step already
    # caused.
    with warnings.catch_warnings(), replaced("warnings.showwarning", noting):
        yield


@contextmanager
def discarded_output() -> Iterator[None]:
    """Discard the output of this thread, such as messages of packages at their first import."""
    with captured_output(NoticeLog(), streams=True):
        yield


class _Stream(io.TextIOBase):
    """A stream that keeps the lines of one thread and passes on those of all others."""

    def __init__(self, notices: NoticeLog, code: str, thread: int, onward: TextIO) -> None:
        self._notices = notices
        self._code = code
        self._thread = thread
        self._onward = onward
        self._rest = ""

    def writable(self) -> bool:
        return True

    def isatty(self) -> bool:
        return False

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return "utf-8"

    def fileno(self) -> int:
        return self._onward.fileno()

    def write(self, text: str) -> int:
        if threading.get_ident() != self._thread:
            return self._onward.write(text)
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            self._notices.note(self._code, _last_drawn(line))
        return len(text)

    def flush(self) -> None:
        if threading.get_ident() != self._thread:
            self._onward.flush()

    def __getattr__(self, name: str) -> Any:
        """Other attributes of a notebook's stream: the kernel sets which cell is running."""
        return getattr(self._onward, name)

    def flush_rest(self) -> None:
        """Keep a last line that has no line end."""
        self._notices.note(self._code, _last_drawn(self._rest))
        self._rest = ""


def _last_drawn(line: str) -> str:
    """The final text of a line: progress bars overwrite themselves."""
    return line.rstrip("\r").rpartition("\r")[2]
