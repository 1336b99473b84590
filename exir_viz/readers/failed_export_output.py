"""Keeps torch from printing the graph of a failed export to stderr: the error names the line that failed."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from typing import Any, TextIO


@contextmanager
def no_partial_graphs() -> Iterator[None]:
    """Drop the `partial_fx_graph` that torch prints when an export fails; let all else through at once."""
    with redirect_stderr(_WithoutGraphs(sys.stderr)):
        yield


class _WithoutGraphs(io.TextIOBase):
    """A stream that leaves out one text: the graph of the error that is being handled in this thread."""

    def __init__(self, onward: TextIO) -> None:
        self._onward = onward

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        graph = getattr(sys.exc_info()[1], "partial_fx_graph", None)
        if graph is None or text.rstrip("\n") not in (str(graph).rstrip("\n"), ""):
            self._onward.write(text)
        return len(text)

    def flush(self) -> None:
        self._onward.flush()

    def fileno(self) -> int:
        return self._onward.fileno()

    def isatty(self) -> bool:
        return self._onward.isatty()

    def __getattr__(self, name: str) -> Any:
        """Other attributes of a notebook's stream."""
        return getattr(self._onward, name)
