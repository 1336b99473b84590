"""Progress for who runs a step from Python: one line that draws over itself, and goes when the step is done.

A step that is done within a second shows nothing. Where stderr is a file, nothing is written either.
"""

from __future__ import annotations

import sys
from typing import Final, TextIO

from exir_viz.snapshot.printable import one_line
from exir_viz.stages.run import Report

_PATIENCE: Final = 1.0
_WIDTH: Final = 78


class ProgressLine:
    """A listener for `Runner.perform`. It writes to the stderr of the moment in which it was made."""

    def __init__(self, title: str, stream: TextIO | None = None) -> None:
        self._title = title
        self._stream = sys.stderr if stream is None else stream
        self._shown = False

    @classmethod
    def where_seen(cls, title: str) -> ProgressLine | None:
        """A line where someone sees it: in a terminal or a notebook."""
        seen = sys.stderr is not None and (sys.stderr.isatty() or type(sys.stderr).__name__ == "OutStream")
        return cls(title) if seen else None

    def __call__(self, report: Report) -> None:
        if report.seconds < _PATIENCE:
            return
        share = "" if report.fraction is None else f" {report.fraction:.0%}"
        text = one_line(f"{self._title}: {report.text}{share}, {report.seconds:.0f} s", _WIDTH)
        self._stream.write(f"\r{text:{_WIDTH}}")
        self._stream.flush()
        self._shown = True

    def close(self) -> None:
        """Wipe the line."""
        if self._shown:
            self._stream.write(f"\r{'':{_WIDTH}}\r")
            self._stream.flush()
