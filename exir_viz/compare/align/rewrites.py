"""Match two short lists of nodes: pair the similar ones, and attach the rest to a pair.

Enters: two short lists of nodes, in execution order, that belong together (one call of the user's code, or
the same surroundings). They are aligned by likeness. If one side has more, each remaining node joins the pair
that it contributes to: the first paired node that follows along the edges.
"""

from __future__ import annotations

from collections.abc import Sequence

from exir_viz.compare.normalize.side import Side, op_in_any_dialect
from exir_viz.snapshot.columns import NONE

from .evidence import Evidence
from .pairing import Pairing

# Above this many cells there is no alignment by likeness: such a stretch is no rewriting of one call.
_MOST_CELLS = 20_000


def settle(pairing: Pairing, ours: Sequence[int], theirs: Sequence[int], evidence: Evidence) -> None:
    """Match the free nodes in two lists that belong together."""
    free_a, free_b = pairing.free_a(ours), pairing.free_b(theirs)
    if not free_a and not free_b:
        return
    if len(ours) == 1 or len(theirs) == 1:
        _settle_one(pairing, ours, theirs, evidence)
        return
    alone = _replaced_op(pairing.a, ours, pairing.b, theirs), _replaced_op(pairing.b, theirs, pairing.a, ours)
    if alone != (NONE, NONE):
        left, right = ((op,) if op != NONE else side for op, side in zip(alone, (ours, theirs), strict=True))
        _settle_one(pairing, left, right, evidence)
        return
    for left, right in _stretches(pairing, ours, theirs):
        for i, j in _alike(pairing, left, right):
            pairing.pair(i, j, evidence)
    _attach(pairing, ours, theirs, evidence)


def _replaced_op(side: Side, numbers: Sequence[int], other: Side, others: Sequence[int]) -> int:
    """The only op of a list of an op and items of its tuple, if several other ops took its place; else NONE.

    An LSTM with its three results becomes hundreds of calls, and no single call replaces one item.
    """
    ops = [number for number in numbers if side.targets[number] != side.getitem]
    if len(ops) != 1 or len(ops) == len(numbers):
        return NONE
    (op,) = ops
    if not all(op in side.inputs[number] for number in numbers if number != op):
        return NONE
    became = [number for number in others if other.targets[number] != other.getitem]
    is_kept = any(other.families[number] == side.families[op] for number in became)
    return NONE if is_kept or len(became) < 2 else op


def _settle_one(pairing: Pairing, ours: Sequence[int], theirs: Sequence[int], evidence: Evidence) -> None:
    """One node on a side became all of the other side. Its main counterpart is the most similar one.

    An item of a tuple becomes nothing else, and neither does an op that is unchanged.
    """
    for i, j in _alike(pairing, pairing.free_a(ours), pairing.free_b(theirs)):
        pairing.pair(i, j, evidence)
    a, b = pairing.a, pairing.b
    if any(_is_kept(pairing, i) for i in ours):
        return
    for i in pairing.free_a(ours) if b.targets[theirs[0]] != b.getitem else ():
        if pairing.of_b[theirs[0]] != NONE:
            pairing.link(i, theirs[0], evidence)
    for j in pairing.free_b(theirs) if a.targets[ours[0]] != a.getitem else ():
        if pairing.of_a[ours[0]] != NONE:
            pairing.link(ours[0], j, evidence)


def _is_kept(pairing: Pairing, i: int) -> bool:
    """Whether a node's counterpart has its op (in any dialect), its value and its arguments."""
    j = pairing.of_a[i]
    if j == NONE or pairing.of_b[j] != i:
        return False
    a, b = pairing.a, pairing.b
    if (a.values[i], a.arguments[i]) != (b.values[j], b.arguments[j]):
        return False
    return a.targets[i] == b.targets[j] or op_in_any_dialect(a.node(i).target) == op_in_any_dialect(
        b.node(j).target
    )


def _stretches(
    pairing: Pairing, ours: Sequence[int], theirs: Sequence[int]
) -> list[tuple[list[int], list[int]]]:
    """The free nodes between paired ones, of both sides."""
    places = {j: at for at, j in enumerate(theirs)}
    found: list[tuple[list[int], list[int]]] = []
    free: list[int] = []
    start = 0
    for i in (*ours, NONE):
        at = len(theirs) if i == NONE else places.get(pairing.of_a[i], NONE)
        if i != NONE and pairing.of_a[i] == NONE:
            free.append(i)
        elif at >= start:
            found.append((free, pairing.free_b(theirs[start:at])))
            free, start = [], at + 1
    return [(left, right) for left, right in found if left and right]


def _alike(pairing: Pairing, left: Sequence[int], right: Sequence[int]) -> list[tuple[int, int]]:
    """The alignment of two short sequences with the greatest likeness."""
    n, m = len(left), len(right)
    if n * m > _MOST_CELLS:
        return []
    likeness = [[_likeness(pairing, i, j) for j in right] for i in left]
    best = [[0.0] * (m + 1) for _ in range(n + 1)]
    for x in range(n - 1, -1, -1):
        row, below, like = best[x], best[x + 1], likeness[x]
        for y in range(m - 1, -1, -1):
            row[y] = max(below[y], row[y + 1], like[y] + below[y + 1])
    found, x, y = [], 0, 0
    while x < n and y < m:
        if best[x][y] == best[x + 1][y]:
            x += 1
        elif best[x][y] == best[x][y + 1]:
            y += 1
        else:
            found.append((left[x], right[y]))
            x, y = x + 1, y + 1
    return found


def _likeness(pairing: Pairing, i: int, j: int) -> float:
    """The likeness of two nodes: op first, then value, arguments and inputs."""
    a, b = pairing.a, pairing.b
    if (a.targets[i] == a.getitem) != (b.targets[j] == b.getitem):
        return 0.0  # an item of a tuple is not computed
    score = 3.0 if a.families[i] == b.families[j] else 0.5
    score += (
        1.0 * (a.targets[i] == b.targets[j])
        + 1.0 * (a.values[i] == b.values[j])
        + 0.5 * (a.arguments[i] == b.arguments[j])
    )
    before, after = a.inputs[i], b.inputs[j]
    met = sum(pairing.of_a[x] == y for x, y in zip(before, after, strict=False) if pairing.of_a[x] != NONE)
    return score + met


def _attach(pairing: Pairing, ours: Sequence[int], theirs: Sequence[int], evidence: Evidence) -> None:
    """Attach the remaining nodes of the longer side if an op became another; else they were added or
    removed.
    """
    families = pairing.a.families, pairing.b.families
    pairs = [(i, pairing.of_a[i]) for i in ours if pairing.of_a[i] != NONE]
    if all(families[0][i] == families[1][j] for i, j in pairs):
        return
    ours, theirs = _without_spare_items(pairing, ours, theirs)
    if len(theirs) > len(ours):
        within = set(theirs)
        for j in reversed(pairing.free_b(theirs)):
            i = _owner(j, within, pairing.users_b, pairing.b.inputs, pairing.of_b)
            if i != NONE:
                pairing.link(i, j, evidence)
    elif len(ours) > len(theirs):
        within = set(ours)
        for i in reversed(pairing.free_a(ours)):
            j = _owner(i, within, pairing.users_a, pairing.a.inputs, pairing.of_a)
            if j != NONE:
                pairing.link(i, j, evidence)


def _without_spare_items(
    pairing: Pairing, ours: Sequence[int], theirs: Sequence[int]
) -> tuple[Sequence[int], Sequence[int]]:
    """If both sides take items of tuples, an item that only one of them takes is no part of a rewrite."""
    a, b = pairing.a, pairing.b
    if not (any(a.targets[i] == a.getitem for i in ours) and any(b.targets[j] == b.getitem for j in theirs)):
        return ours, theirs
    return (
        [i for i in ours if a.targets[i] != a.getitem or pairing.of_a[i] != NONE],
        [j for j in theirs if b.targets[j] != b.getitem or pairing.of_b[j] != NONE],
    )


def _owner(
    number: int,
    within: set[int],
    users: Sequence[Sequence[int]],
    inputs: Sequence[Sequence[int]],
    counterpart: Sequence[int],
) -> int:
    """The counterpart of the node's user, else of one of its inputs."""
    for neighbours in (users[number], inputs[number]):
        for one in neighbours:
            if one in within and counterpart[one] != NONE:
                return counterpart[one]
    return NONE
