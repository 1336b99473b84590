"""TextLine: one line of a program's text, with its node."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple


class LineKind(StrEnum):
    """What a line is. Lines of kind MODULE are ours: without them the text is torch's own."""

    PROGRAM = "program"
    CLASS = "class"
    DEF = "def"
    INPUT = "input"
    MODULE = "module"
    SOURCE = "source"
    CODE = "code"
    BLANK = "blank"
    SIGNATURE = "signature"
    RANGES = "ranges"


class TextLine(NamedTuple):
    """A line without its newline. `graph` and `node` are the numbers of the node that the line shows.

    `text` carries its indentation; `indent` says how many spaces that is.
    """

    text: str
    kind: LineKind
    graph: int | None = None
    node: int | None = None
    indent: int = 0

    def within(self, spaces: int) -> TextLine:
        """The line further to the right; a blank line stays empty."""
        if not self.text.strip():
            return self._replace(text="")
        return self._replace(text=" " * spaces + self.text, indent=self.indent + spaces)


def split(text: str, kind: LineKind, graph: int | None = None, node: int | None = None) -> list[TextLine]:
    """Split a text at its newlines, which a hostile name may contain: no TextLine has one."""
    return [TextLine(part, kind, graph, node, len(part) - len(part.lstrip(" "))) for part in text.split("\n")]


def join(lines: Iterable[TextLine]) -> str:
    return "\n".join(line.text for line in lines)
