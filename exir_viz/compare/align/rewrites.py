"""Match lists of nodes that belong together, whatever op became which: one list was rewritten to the other.

Two kinds of lists belong together. Nodes of one call of the user's code, which torch keeps with every node
(`torch_fn`), also through decomposition. And holes with the same surroundings: a hole is a connected set of
unmatched calls; its boundary is its inputs and users, by their counterparts. Two holes match if their
boundaries are more alike than any others, and one can have become the other: they are in the same modules,
with common ops or an output of the same kind.

The nodes of two lists are aligned by likeness. If one side has more, each remaining node joins the pair that
it contributes to: the first paired node that follows along the edges.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from exir_viz.compare.normalize.side import Side, op_in_any_dialect
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.records import SequenceValue, TensorValue, Value

from .pairing import MatchEvidence, Pairing

# Above this many cells there is no alignment by likeness: such a stretch is no rewriting of one call.
_MOST_CELLS = 20_000


def settle(pairing: Pairing, ours: Sequence[int], theirs: Sequence[int], evidence: MatchEvidence) -> None:
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


def _settle_one(
    pairing: Pairing, ours: Sequence[int], theirs: Sequence[int], evidence: MatchEvidence
) -> None:
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


def _attach(pairing: Pairing, ours: Sequence[int], theirs: Sequence[int], evidence: MatchEvidence) -> None:
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


# The share of paired nodes that must agree on call numbers before these are trusted.
_AGREEMENT = 0.9

Region = tuple[int, int]


def settle_regions(pairing: Pairing, places: tuple[Sequence[int], Sequence[int]]) -> None:
    """Match the free nodes of regions that are the same call; `places` are the tokens of module calls."""
    passed = (side.passed for side in pairing.places)
    ours, theirs = map(_regions, (pairing.a, pairing.b), places, passed)
    partner = _voted(pairing, places)
    agreed = sum(left == right for left, right in partner.items())
    if agreed >= _AGREEMENT * len(partner):
        used = set(partner.values())
        partner |= {key: key for key in ours if key not in partner and key in theirs and key not in used}
    for left, right in partner.items():
        settle(pairing, ours[left], theirs[right], MatchEvidence.SOURCE)


def _regions(side: Side, places: Sequence[int], passed: Collection[int]) -> dict[Region, list[int]]:
    """The calls of each region, in execution order, without nodes that only represent others."""
    found: dict[Region, list[int]] = defaultdict(list)
    for number in side.order:
        if side.calls[number] and side.functions[number] != NONE and number not in passed:
            found[places[number], side.functions[number]].append(number)
    return found


def _voted(pairing: Pairing, places: tuple[Sequence[int], Sequence[int]]) -> dict[Region, Region]:
    """For each region of a with paired nodes: the region of b that has most of their counterparts."""
    a, b = pairing.a, pairing.b
    votes: dict[Region, Counter[Region]] = defaultdict(Counter)
    for i in a.order:
        j = pairing.of_a[i]
        if j != NONE and a.calls[i] and a.functions[i] != NONE and b.functions[j] != NONE:
            votes[places[0][i], a.functions[i]][places[1][j], b.functions[j]] += 1
    return {left: found.most_common(1)[0][0] for left, found in votes.items()}


# The share of boundaries that two holes must have in common, and the maximum nodes of a hole.
_SHARED = 0.5
_LARGEST = 200
# A node next to more holes than this does not distinguish them.
_MOST = 32
# The share of modules, or of ops, that two holes must have in common; and how many nodes one may become.
_IN_COMMON = 0.5
_MOST_FOR_ONE = 24


class Hole(NamedTuple):
    """Connected free calls in execution order; the boundary is in numbers of a: (node, reads it or is
    read).
    """

    nodes: list[int]
    boundary: frozenset[tuple[int, bool]]


def settle_holes(pairing: Pairing) -> None:
    """Match holes by their boundaries."""
    a, b = pairing.a, pairing.b
    ours = _holes(a, pairing.users_a, pairing.of_a, list(range(a.size)))
    theirs = _holes(b, pairing.users_b, pairing.of_b, pairing.of_b)
    by_boundary: dict[tuple[int, bool], list[int]] = defaultdict(list)
    for at, hole in enumerate(theirs):
        for one in hole.boundary:
            by_boundary[one].append(at)
    could = Likely(pairing)
    candidates = []
    for at, hole in enumerate(ours):
        neighbours = (by_boundary.get(one, ()) for one in hole.boundary)
        likely = dict.fromkeys(other for others in neighbours if len(others) <= _MOST for other in others)
        for other in likely:
            count = len(hole.boundary & theirs[other].boundary)
            whole = len(hole.boundary) + len(theirs[other].boundary) - count
            if count >= _SHARED * whole and could.become(hole.nodes, theirs[other].nodes):
                candidates.append((-count / whole, at, other))
    used: tuple[set[int], set[int]] = (set(), set())
    for _, at, other in sorted(candidates):
        if at not in used[0] and other not in used[1]:
            used[0].add(at)
            used[1].add(other)
            settle(pairing, ours[at].nodes, theirs[other].nodes, MatchEvidence.BOUNDARY)


class Likely:
    """Decides whether some nodes of a can have become some of b; unknown facts do not count."""

    def __init__(self, pairing: Pairing) -> None:
        self._pairing = pairing
        self._scopes = pairing.node_scopes

    def become(self, ours: Sequence[int], theirs: Sequence[int]) -> bool:
        return (
            self._same_modules(ours, theirs)
            and self._compute(ours, theirs)
            and not self._is_other_call(ours, theirs)
            and (self._same_ops(ours, theirs) or self._same_results(ours, theirs))
        )

    def _compute(self, ours: Sequence[int], theirs: Sequence[int]) -> bool:
        """An item of a tuple is not computed: only items become items."""
        a, b = self._pairing.a, self._pairing.b
        used = all(a.targets[i] == a.getitem for i in ours), all(b.targets[j] == b.getitem for j in theirs)
        return used[0] == used[1]

    def _is_other_call(self, ours: Sequence[int], theirs: Sequence[int]) -> bool:
        """Whether both are one call, of different ops and with results of different shapes."""
        if len(ours) != 1 or len(theirs) != 1:
            return False
        a, b = self._pairing.a, self._pairing.b
        one, other = a.value(ours[0]), b.value(theirs[0])
        if a.families[ours[0]] == b.families[theirs[0]]:
            return False
        return isinstance(one, TensorValue) and isinstance(other, TensorValue) and one.shape != other.shape

    def _same_modules(self, ours: Sequence[int], theirs: Sequence[int]) -> bool:
        left, right = (
            {scopes[one] for one in nodes if scopes[one] != NONE}
            for scopes, nodes in zip(self._scopes, (ours, theirs), strict=True)
        )
        return not left or not right or len(left & right) >= _IN_COMMON * len(left | right)

    def _same_ops(self, ours: Sequence[int], theirs: Sequence[int]) -> bool:
        left = Counter(self._pairing.a.families[i] for i in ours)
        right = Counter(self._pairing.b.families[j] for j in theirs)
        return (left & right).total() >= _IN_COMMON * max(len(ours), len(theirs))

    def _same_results(self, ours: Sequence[int], theirs: Sequence[int]) -> bool:
        """Whether both have outputs of the same kind, and about as many."""
        if max(len(ours), len(theirs)) > _MOST_FOR_ONE * min(len(ours), len(theirs)):
            return False
        left = self._kinds(self._pairing.a, self._pairing.users_a, ours)
        right = self._kinds(self._pairing.b, self._pairing.users_b, theirs)
        return not left or not right or not left.isdisjoint(right)

    def _kinds(self, side: Side, users: Sequence[Sequence[int]], nodes: Sequence[int]) -> set[object]:
        within = set(nodes)
        last = [one for one in nodes if not within.issuperset(users[one])] or nodes
        return {kind for one in last for kind in _kinds_of(side.value(one))}


def _kinds_of(value: Value | None) -> Iterator[object]:
    """For each tensor, whether it contains floats, integers or booleans, and its rank; sizes may have
    changed.
    """
    if isinstance(value, TensorValue):
        kind = value.dtype.rstrip("0123456789").removeprefix("b").removeprefix("u")
        yield kind, len(value.shape)
    elif isinstance(value, SequenceValue):
        for item in value.items:
            yield from _kinds_of(item)
    elif value is not None:
        yield type(value).__name__


def _holes(
    side: Side, users: Sequence[Sequence[int]], counterpart: Sequence[int], names: Sequence[int]
) -> list[Hole]:
    """The connected sets of free calls; boundary nodes are named by `names`.

    Memory allocations are not computed: no call becomes one.
    """
    free = [
        number
        for number in side.order
        if side.calls[number] and counterpart[number] == NONE and side.targets[number] != side.alloc
    ]
    seen: set[int] = set()
    found = []
    within = set(free)
    for start in free:
        if start in seen:
            continue
        nodes, boundary = _grow(start, within, side.inputs, users)
        seen |= nodes
        named = frozenset((names[one], reads) for one, reads in boundary if counterpart[one] != NONE)
        if named and len(nodes) <= _LARGEST:
            found.append(Hole(sorted(nodes, key=side.rank.__getitem__), named))
    return found


def _grow(
    start: int, within: set[int], inputs: Sequence[Sequence[int]], users: Sequence[Sequence[int]]
) -> tuple[set[int], set[tuple[int, bool]]]:
    nodes, boundary, todo = {start}, set(), [start]
    while todo:
        number = todo.pop()
        for neighbours, reads in ((inputs[number], False), (users[number], True)):
            for one in neighbours:
                if one not in within:
                    boundary.add((one, reads))
                elif one not in nodes:
                    nodes.add(one)
                    todo.append(one)
    return nodes, boundary
