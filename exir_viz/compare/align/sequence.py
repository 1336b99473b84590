"""Align two sequences of tokens: trim, split at tokens that are unique on both sides, and recurse.

`align` is near linear for similar sequences: it is patience diff, with Myers' algorithm if a stretch has no
unique token, and, if that would take long, tokens that occur equally often on both sides. Its result is in
order on both sides.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence

# Maximum edits of Myers' algorithm in a stretch without landmarks; beyond it the stretch is skipped.
_MOST_EDITS = 200

Pair = tuple[int, int]
Stretch = tuple[int, int, int, int]


def align(a: Sequence[int], b: Sequence[int]) -> Iterator[Pair]:
    """Positions of equal tokens, in order on both sides."""
    todo = [(0, len(a), 0, len(b))]
    while todo:
        i, i_end, j, j_end = todo.pop()
        while i < i_end and j < j_end and a[i] == b[j]:
            yield i, j
            i, j = i + 1, j + 1
        while i < i_end and j < j_end and a[i_end - 1] == b[j_end - 1]:
            i_end, j_end = i_end - 1, j_end - 1
            yield i_end, j_end
        if i == i_end or j == j_end:
            continue
        stretch = (i, i_end, j, j_end)
        marks = longest_rising(_unique(a, b, stretch))
        if not marks:
            edit = _shortest_edit(a, b, stretch)
            if edit is not None:
                yield from edit
                continue
            marks = longest_rising(_as_often(a, b, stretch))
        for x, y in marks:
            yield x, y
            todo.append((i, x, j, y))
            i, j = x + 1, y + 1
        if marks:
            todo.append((i, i_end, j, j_end))


def longest_rising(pairs: Sequence[Pair]) -> list[Pair]:
    """The longest increasing run of second numbers in pairs that are sorted by the first."""
    tails: list[int] = []
    at: list[int] = []
    before: list[int] = []
    for number, (_, y) in enumerate(pairs):
        place = bisect_left(tails, y)
        before.append(at[place - 1] if place else -1)
        if place == len(tails):
            tails.append(y)
            at.append(number)
        else:
            tails[place], at[place] = y, number
    found, number = [], at[-1] if at else -1
    while number >= 0:
        found.append(pairs[number])
        number = before[number]
    return found[::-1]


def _unique(a: Sequence[int], b: Sequence[int], stretch: Stretch) -> list[Pair]:
    """Positions of the tokens that occur once in each of two stretches."""
    i, i_end, j, j_end = stretch
    first: dict[int, int] = {}
    for at in range(i, i_end):
        first[a[at]] = at if a[at] not in first else -1
    second: dict[int, int] = {}
    for at in range(j, j_end):
        if b[at] in first:
            second[b[at]] = at if b[at] not in second else -1
    pairs = ((first[token], y) for token, y in second.items() if y >= 0)
    return sorted(pair for pair in pairs if pair[0] >= 0)


def _as_often(a: Sequence[int], b: Sequence[int], stretch: Stretch) -> list[Pair]:
    """Positions of the rarest tokens that occur equally often in two stretches, the first with the first."""
    i, i_end, j, j_end = stretch
    first, second = _places(a, i, i_end), _places(b, j, j_end)
    equal = [token for token, places in first.items() if len(second.get(token, ())) == len(places)]
    rarest = min((len(first[token]) for token in equal), default=0)
    return sorted(
        pair
        for token in equal
        if len(first[token]) == rarest
        for pair in zip(first[token], second[token], strict=True)
    )


def _places(tokens: Sequence[int], start: int, stop: int) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for at in range(start, stop):
        found.setdefault(tokens[at], []).append(at)
    return found


def _shortest_edit(a: Sequence[int], b: Sequence[int], stretch: Stretch) -> list[Pair] | None:
    """Equal tokens along a shortest edit script (Myers); None if that takes too long."""
    i, i_end, j, j_end = stretch
    n, m = i_end - i, j_end - j
    far = {1: 0}
    history: list[dict[int, int]] = []
    for edits in range(min(n + m, _MOST_EDITS) + 1):
        history.append(dict(far))
        for k in range(-edits, edits + 1, 2):
            down = k == -edits or (k != edits and far[k - 1] < far[k + 1])
            x = far[k + 1] if down else far[k - 1] + 1
            while x < n and x - k < m and a[i + x] == b[j + x - k]:
                x += 1
            far[k] = x
            if x >= n and x - k >= m:
                return list(_walk_back(history, (n, m), (i, j)))
    return None


def _walk_back(history: list[dict[int, int]], end: Pair, start: Pair) -> Iterator[Pair]:
    x, y = end
    for edits in range(len(history) - 1, -1, -1):
        far, k = history[edits], x - y
        down = k == -edits or (k != edits and far[k - 1] < far[k + 1])
        before = k + 1 if down else k - 1
        x_before = far[before]
        y_before = x_before - before
        while x > max(x_before, 0) and y > max(y_before, 0):
            x, y = x - 1, y - 1
            yield start[0] + x, start[1] + y
        if edits:
            x, y = x_before, y_before
