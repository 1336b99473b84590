"""Mark the words in which two lines differ. A node's name is the same word as its match's name."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from exir_viz.compare.align.sequence import align
from exir_viz.compare.normalize.side import bases
from exir_viz.compare.records import TextCell
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.opkind import op_name

# A dotted name of a call is one word.
_WORD = re.compile(r"[\w.]+(?=\()|\w+|\s+|.")
# A longer line is marked as a whole: it is not read word by word.
_LONGEST = 4000

Span = tuple[int, int]


class Word(NamedTuple):
    """A word of a line, its position, and its key: its text, or a match's number."""

    start: int
    stop: int
    key: str | int


class Words:
    """Splits lines of one side. Node names of the line's graph get the key of their match."""

    def __init__(self, snapshot: Snapshot, match_of: Mapping[int, int]) -> None:
        self._numbering = Numbering(snapshot)
        self._match_of = match_of
        self._names = [
            {name: base + at for at, name in enumerate(graph.columns.names)}
            for graph, base in zip(snapshot.graphs, bases(snapshot), strict=True)
        ]

    def __call__(self, cell: TextCell) -> list[Word]:
        names: Mapping[str, int] = {}
        op = ""
        if cell.node != NONE:
            node = self._numbering.node(cell.node)
            names, op = self._names[node.graph.number], op_name(node.target)
        found: list[Word] = []
        for match in _WORD.finditer(cell.text):
            number = self._match_of.get(names.get(match[0], NONE))
            # one op is written in several ways in different dialects
            called = "." in op and match[0].replace(".", "_").endswith(op.replace(".", "_"))
            text = op if called else match[0]
            found.append(Word(match.start(), match.end(), text if number is None else number))
        return found


def marks(a: Sequence[Word], b: Sequence[Word]) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """The spans of each line that the other lacks, adjacent ones joined."""
    if not a or not b:
        return (), ()
    if max(a[-1].stop, b[-1].stop) > _LONGEST:
        return ((0, a[-1].stop),), ((0, b[-1].stop),)
    keys = {word.key: number for number, word in enumerate((*a, *b))}
    pairs = list(align([keys[word.key] for word in a], [keys[word.key] for word in b]))
    return _spans(a, {x for x, _ in pairs}), _spans(b, {y for _, y in pairs})


def _spans(words: Sequence[Word], common: set[int]) -> tuple[Span, ...]:
    found: list[Span] = []
    for at, word in enumerate(words):
        if at in common:
            continue
        if found and found[-1][1] == word.start:
            found[-1] = (found[-1][0], word.stop)
        else:
            found.append((word.start, word.stop))
    return tuple(found)
