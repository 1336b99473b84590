"""Progress for who runs a step from Python: one line that draws over itself, and goes when the step is done.

A step that is done within a second shows nothing. Where stderr is a file, nothing is written either.
"""

from __future__ import annotations

import sys
from typing import Any, Final, TextIO

from exir_viz.snapshot.format import percent
from exir_viz.snapshot.printable import one_line
from exir_viz.stages.step_runner import StepProgress

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
        if type(sys.stderr).__name__ == "OutStream":
            return NotebookLine(title)
        return cls(title) if sys.stderr is not None and sys.stderr.isatty() else None

    def __call__(self, report: StepProgress) -> None:
        if report.seconds < _PATIENCE:
            return
        share = "" if report.fraction is None else f" {percent(report.fraction, 1)}%"
        self._write(one_line(f"{self._title}: {report.text}{share}, {report.seconds:.0f} s", _WIDTH))
        self._shown = True

    def close(self) -> None:
        """Wipe the line."""
        if self._shown:
            self._write("")

    def _write(self, text: str) -> None:
        self._stream.write(f"\r{text:{_WIDTH}}" + ("" if text else "\r"))
        self._stream.flush()


class NotebookLine(ProgressLine):
    """The same as an output of the cell: stderr would leave an empty one, in red."""

    def __init__(self, title: str) -> None:
        super().__init__(title)
        self._handle: Any = None

    def _write(self, text: str) -> None:
        from IPython.display import display

        # With nothing to show, an output that takes no room.
        shown = {"text/plain": text} if text else {"text/html": "", "text/plain": ""}
        if self._handle is None:
            self._handle = display(shown, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(shown, raw=True)
