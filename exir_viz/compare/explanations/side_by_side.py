"""Two programs as text, side by side: the rows that every view shows, with the words that differ.

Enters: a Diff. Leaves: TextRows. Lines are aligned by the matches of their nodes, so that a line meets its
counterpart whatever the names; a node's name is the same word as its match's name. Unchanged rows are folded
except for `context` rows.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from exir_viz.compare.align.sequence import align
from exir_viz.compare.normalize.methods import in_the_same_words
from exir_viz.compare.normalize.side import bases
from exir_viz.compare.records import KINDS, MatchKind, TextCell, TextRow
from exir_viz.errors import ExirVizError
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.build import Interner
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.text import LineKind, TextLine, lines

if TYPE_CHECKING:
    from exir_viz.compare.diff import Diff


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


NOTE, FOLD = "note", "fold"
_OF_NODES = frozenset({LineKind.CODE, LineKind.INPUT})


class _Line(NamedTuple):
    """A line of one side; `match` is that of its node."""

    cell: TextCell
    match: int
    token: int
    kind: LineKind


def text_rows(diff: Diff, method: str | None = None, context: int = 3) -> tuple[TextRow, ...]:
    """The text of one method of either side, or of all; `context` rows are kept around each change."""
    pairs = [(one.a, one.b) for one in diff.comparison.methods if method in (None, one.a, one.b)]
    if not pairs:
        names = sorted({name for one in diff.comparison.methods for name in (one.a, one.b) if name})
        raise ExirVizError(f"Unknown method {method!r}. Methods: {', '.join(names)}.")
    return tuple(row for a, b in pairs for row in _fold(list(_rows(diff, a, b)), context))


def _rows(diff: Diff, a: str, b: str) -> Iterator[TextRow]:
    tokens: Interner[tuple[object, ...]] = Interner()
    shown = in_the_same_words(diff.a, diff.b)
    texts = _text(shown[0], a), _text(shown[1], b)
    sources = set.intersection(
        *({each.text for each in text if each.kind is LineKind.SOURCE} for text in texts)
    )
    ours = _lines(diff.a, texts[0], diff.match_of_a, tokens, sources)
    theirs = _lines(diff.b, texts[1], diff.match_of_b, tokens, sources)
    words = Words(diff.a, diff.match_of_a), Words(diff.b, diff.match_of_b)
    i = j = 0
    pairs = sorted(align([line.token for line in ours], [line.token for line in theirs]))
    for x, y in (*pairs, (len(ours), len(theirs))):
        yield from (_alone(diff, line, 0) for line in ours[i:x])
        yield from (_alone(diff, line, 1) for line in theirs[j:y])
        if x < len(ours):
            yield _both(diff, ours[x], theirs[y], words)
        i, j = x + 1, y + 1


def _text(snapshot: Snapshot, method: str) -> list[TextLine]:
    found = snapshot.methods.get(method)
    return [] if found is None else list(lines(found, expanded=True))


def _lines(
    snapshot: Snapshot,
    text: Sequence[TextLine],
    match_of: Mapping[int, int],
    tokens: Interner[tuple[object, ...]],
    sources: Collection[str],
) -> list[_Line]:
    starts, found = bases(snapshot), []
    seen: dict[tuple[object, ...], int] = {}
    for number, line in enumerate(text, 1):
        node = NONE if line.node is None or line.graph is None else starts[line.graph] + line.node
        match = match_of.get(node, NONE)
        key = _key(line, match, sources)
        seen[key] = seen.get(key, 0) + 1
        shown = match if line.kind in _OF_NODES else NONE
        found.append(_Line(TextCell(number, line.text, node), shown, tokens[*key, seen[key]], line.kind))
    return found


def _key(line: TextLine, match: int, sources: Collection[str]) -> tuple[object, ...]:
    """What a line must share with its counterpart: the match of its node, or else its words.

    For a source line these are its words if both sides have them: file and line number may differ.
    """
    by_match = (*_OF_NODES, LineKind.SIGNATURE, *([] if line.text in sources else [LineKind.SOURCE]))
    if match != NONE and line.kind in by_match:
        return (line.kind, match)
    return (line.kind, line.text.strip())


def _alone(diff: Diff, line: _Line, side: int) -> TextRow:
    kind = KINDS[diff.comparison.matches.kinds[line.match]] if line.match != NONE else NOTE
    if kind == MatchKind.SAME:  # an unused item; or its counterpart is elsewhere in the text
        ours, theirs = diff.numbers(line.match)
        kind = MatchKind.MOVED.value if len(ours) == len(theirs) else NOTE
    return TextRow(kind, None if side else line.cell, line.cell if side else None, line.match)


def _both(diff: Diff, a: _Line, b: _Line, words: tuple[Words, Words]) -> TextRow:
    kind = KINDS[diff.comparison.matches.kinds[a.match]] if a.match != NONE else NOTE
    if kind == MatchKind.SAME or a.kind is LineKind.SOURCE or a.cell.text == b.cell.text:
        return TextRow(kind, a.cell, b.cell, a.match)
    left, right = marks(words[0](a.cell), words[1](b.cell))
    return TextRow(kind, _marked(a.cell, left), _marked(b.cell, right), a.match)


def _marked(cell: TextCell, spans: tuple[tuple[int, int], ...]) -> TextCell:
    return TextCell(cell.line, cell.text, cell.node, spans)


def _fold(rows: Sequence[TextRow], context: int) -> Iterator[TextRow]:
    """The rows, with each run of unchanged ones far from any change as one."""
    quiet = (MatchKind.SAME.value, NOTE)
    near, last = [False] * len(rows), -context - 1
    for at, row in enumerate(rows):
        last = at if row.kind not in quiet else last
        near[at] = at - last <= context
    last = len(rows) + context
    for at in range(len(rows) - 1, -1, -1):
        last = at if rows[at].kind not in quiet else last
        near[at] = near[at] or last - at <= context
    hidden = 0
    for row, shown in zip(rows, near, strict=True):
        if shown and hidden:
            yield TextRow(FOLD, hidden=hidden)
        hidden = 0 if shown else hidden + 1
        if shown:
            yield row
    if hidden:
        yield TextRow(FOLD, hidden=hidden)
