"""The comment above a node: the user's line that made it, as torch words it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from exir_viz.snapshot.frames import users_frame
from exir_viz.snapshot.records import Extra, Frame

# torch cuts a user's annotation after so many characters.
_ANNOTATION_CHARS = 40


def summary(frames: Sequence[Frame], extras: Iterable[Extra], *, has_code: bool = True) -> str:
    """`# File: model.py:12 in forward, code: x = self.linear(x)`, with the user's annotations before it.

    has_code: whether the Snapshot has any code; if not, only file and line are written.
    """
    return f"#{_annotations(extras)} {_line(frames) if has_code else _place(frames)}"


def _place(frames: Sequence[Frame]) -> str:
    frame = users_frame(frames)
    if frame is None or not frame.file:
        return "No stacktrace found for following nodes"
    return f"File: {frame.file}:{frame.line} in {frame.function}"


def _line(frames: Sequence[Frame]) -> str:
    for frame in reversed(frames):
        code = frame.code.split("\n", 1)[0]
        if frame.file and code:
            return _worded(frame.file, str(frame.line), frame.function, code)
    return "No stacktrace found for following nodes"


def _worded(file: str, line: str, function: str, code: str) -> str:
    return f"File: {file}:{line} in {function}, code: {code.strip()}"


def _annotations(extras: Iterable[Extra]) -> str:
    text = next((extra.text for extra in extras if extra.name == "custom"), None)
    try:
        custom = json.loads(text) if text else None
        if not isinstance(custom, dict) or not custom:
            return ""
        return f" Annotation: { {key: _cut(value) for key, value in custom.items()} }"
    except (ValueError, RecursionError):  # not the JSON of a dict: nothing that torch would print
        return ""


def _cut(value: object) -> object:
    text = str(value)
    return value if len(text) <= _ANNOTATION_CHARS else text[:_ANNOTATION_CHARS] + "..."
