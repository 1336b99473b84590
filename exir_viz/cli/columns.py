"""Two texts side by side in a terminal, with the sign of each change between the columns and its marks below.

Enters: the rows of a diff's text. Leaves: lines. Unchanged lines are cut if they are too long. Changed lines
are wrapped, so that all of them is visible; changes are colored, or marked with "^" below if there is no
color.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from exir_viz.compare.records import KINDS, SIGNS, MatchKind, TextCell, TextRow
from exir_viz.snapshot.printable import printable

_SIGNS = dict(zip(KINDS, SIGNS, strict=True)) | {MatchKind.SAME.value: " ", "note": " "}
COLOURS = {"+": "32", "−": "31", "~": "33", "⇄": "36", "↷": "35"}
_RUNS = re.compile(r"\^+")


class _Line(NamedTuple):
    """A line of one column, and under each of its characters "^" where that is marked."""

    text: str = ""
    marks: str = ""


def side_by_side(rows: Sequence[TextRow], width: int, *, colored: bool) -> Iterator[str]:
    """All rows, in columns of `width` characters."""
    for row in rows:
        if row.hidden:
            yield f"· {row.hidden:,} unchanged ·".center(2 * width + 3).rstrip()
        else:
            yield from _row(row, width, colored)


def _row(row: TextRow, width: int, colored: bool) -> Iterator[str]:
    sign = _SIGNS[row.kind]
    lines = _broken if sign.strip() else _cut
    for at, (a, b) in enumerate(zip_longest(lines(row.a, width), lines(row.b, width), fillvalue=_Line())):
        between = " " if at else sign
        if colored:
            gap = " " * (width - len(a.text))
            yield f"{_colored(a, sign)}{gap} {_paint(between, sign)} {_colored(b, sign)}".rstrip()
        else:
            yield f"{a.text.ljust(width)} {between} {b.text}".rstrip()
            if under := f"{a.marks.ljust(width)}   {b.marks}".rstrip():
                yield under


def _cut(cell: TextCell | None, width: int) -> list[_Line]:
    text = "" if cell is None else _shown(cell.text)
    return [_Line(text if len(text) <= width else f"{text[: width - 1]}…")]


def _broken(cell: TextCell | None, width: int) -> list[_Line]:
    """A line wrapped at a blank, if there is one in the second half."""
    if cell is None:
        return [_Line()]
    text, marks = _marked(cell)
    found: list[_Line] = []
    indent = " " * min(len(text) - len(text.lstrip()) + 4, width // 3)
    while len(text) > width:
        at = text.rfind(" ", width // 2, width + 1) + 1 or width
        found.append(_Line(text[:at].rstrip(), marks[:at].rstrip()))
        text, marks = indent + text[at:], indent + marks[at:]
    return [*found, _Line(text, marks.rstrip())]


def _marked(cell: TextCell) -> tuple[str, str]:
    """A visible line, and its marks, of the same length."""
    text, marks, at = "", "", 0
    for start, stop in (*cell.marks, (len(cell.text), len(cell.text))):
        plain, changed = _shown(cell.text[at:start]), _shown(cell.text[start:stop])
        text, marks, at = text + plain + changed, marks + " " * len(plain) + "^" * len(changed), stop
    return text, marks


def _shown(text: str) -> str:
    return printable(text).replace("\n", " ")


def _colored(line: _Line, sign: str) -> str:
    found, at = [], 0
    for run in _RUNS.finditer(line.marks):
        found += [line.text[at : run.start()], _paint(line.text[run.start() : run.end()], sign, "7;")]
        at = run.end()
    return "".join([*found, line.text[at:]])


def _paint(text: str, sign: str, more: str = "") -> str:
    return f"\x1b[{more}{COLOURS[sign]}m{text}\x1b[0m" if sign in COLOURS and text else text
