"""Stack traces as text → frames. Knows no torch: live programs and files share it.

torch writes traces in two ways: non-strict export without, strict export with indentation of the first
frame, marks (`^^^^`) under the code and a last newline. Both are read; the marks are kept as further lines of
the code. A trace in no such form is kept whole, as one frame without a file. `text_of` gives back what was
read, but for the white space around it.
"""

from __future__ import annotations

import re

from exir_viz.snapshot.build import Interner
from exir_viz.snapshot.records import Frame

_HEAD = re.compile(r'^[ ]{0,2}File "(?P<file>[^"\n]*)", line (?P<line>\d{1,9}), in (?P<function>[^\n]*)$')


def parse(trace: str) -> tuple[Frame, ...]:
    """Split a trace into frames, outermost first."""
    trace = trace.strip()
    frames: list[Frame] = []
    head: re.Match[str] | None = None
    code: list[str] = []
    for line in trace.split("\n"):
        match = _HEAD.match(line)
        if match is None:
            code.append(line)
            continue
        if head is not None:
            frames.append(_frame(head, code))
        elif code:
            return (Frame("", 0, "", trace),)
        head, code = match, []
    if head is None:
        return (Frame("", 0, "", trace),)
    frames.append(_frame(head, code))
    return tuple(frames) if text_of(frames) == trace else (Frame("", 0, "", trace),)


def _frame(head: re.Match[str], code: list[str]) -> Frame:
    # torch indents code by four; what is not indented so is kept with a mark and restored by text_of.
    lines = [line[4:] if line.startswith("    ") else f"\x00{line}" for line in code]
    return Frame(head["file"], int(head["line"]), head["function"], "\n".join(lines))


def text_of(frames: list[Frame] | tuple[Frame, ...]) -> str:
    """The trace as torch wrote it, less the white space around it; "" of no frames."""
    if len(frames) == 1 and not frames[0].file and not frames[0].line:
        return frames[0].code
    lines: list[str] = []
    for number, frame in enumerate(frames):
        indent = "" if number == 0 else "  "
        lines.append(f'{indent}File "{frame.file}", line {frame.line}, in {frame.function}')
        if frame.code:
            lines += [
                line[1:] if line.startswith("\x00") else f"    {line}" for line in frame.code.split("\n")
            ]
    return "\n".join(lines)


class TraceReader:
    """Trace text → number of a trace; a text seen before costs one lookup."""

    def __init__(self, frames: Interner[Frame], traces: Interner[tuple[int, ...]]) -> None:
        self._frames = frames
        self._traces = traces
        self._seen: dict[str, int] = {}

    def __call__(self, trace: str) -> int:
        number = self._seen.get(trace)
        if number is None:
            frames = tuple(self._frames[frame] for frame in parse(trace))
            number = self._seen[trace] = self._traces[frames]
        return number
