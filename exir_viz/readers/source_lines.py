"""Which source text belongs to which frame: the user's file, read with care.

A live program was made by code that runs here, so the files that its traces name are read. A program file may
name any file of this machine, and could pull it into a page that is shared: for it, no source file is read.

A file is read only if it is an ordinary `.py` file of reasonable size, and its lines are kept only if the
named line still has the text that the trace quotes. So a Snapshot never shows a file that changed since. A
cell of a notebook is no file: Python keeps its text.
"""

from __future__ import annotations

import linecache
import os
import stat
from collections.abc import Iterable, Mapping

from exir_viz.snapshot.records import Frame, SourceText

CONTEXT_LINES = 4
MAX_FILE_BYTES = 4 << 20


def read_sources(frames: Iterable[Frame]) -> list[SourceText]:
    """The lines around every frame's line, file by file, in the order the files are first named."""
    wanted: dict[str, dict[int, str]] = {}
    for frame in frames:
        if frame.file.endswith(".py") and frame.code:
            wanted.setdefault(frame.file, {})[frame.line] = frame.code
    found = ((file, _lines_around(file, lines)) for file, lines in wanted.items())
    return [SourceText(file, tuple(kept), tuple(kept.values())) for file, kept in found if kept]


def matching_text(file: str, lines: Mapping[int, str]) -> str | None:
    """The whole text of a file if all named lines are as in the trace, else None."""
    text = _text(file)
    if all(_is_quoted(text, line, code) for line, code in lines.items()):
        return "\n".join(text)
    return None


def _is_quoted(text: list[str], line: int, code: str) -> bool:
    """Whether a line of a file has the text that a trace quotes, which is not blank."""
    quoted = code.split("\n", 1)[0].strip()
    return bool(quoted) and 1 <= line <= len(text) and text[line - 1].strip() == quoted


def _lines_around(file: str, lines: dict[int, str]) -> dict[int, str]:
    text = _text(file)
    kept: set[int] = set()
    for line, code in lines.items():
        if _is_quoted(text, line, code):
            kept.update(range(max(1, line - CONTEXT_LINES), min(len(text), line + CONTEXT_LINES) + 1))
    return {line: text[line - 1] for line in sorted(kept)}


def _text(file: str) -> list[str]:
    """The lines of a file or of a notebook's cell."""
    kept = linecache.cache.get(file)
    text = _read(file)
    if not text and kept is not None and len(kept) == 4:
        return [line.rstrip("\n") for line in kept[2]]
    return text


def _read(file: str) -> list[str]:
    try:
        # A path out of a file may name a pipe: without O_NONBLOCK, opening it would wait for ever.
        with os.fdopen(os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as handle:
            status = os.fstat(handle.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_FILE_BYTES:
                return []
            return handle.read(MAX_FILE_BYTES).decode("utf-8").split("\n")
    except (OSError, ValueError):  # absent, unreadable or not text: the trace's own line must do
        return []
