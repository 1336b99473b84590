"""Match unmatched regions with the same surroundings: one was rewritten to the other.

A hole is a connected set of unmatched calls. Its boundary is its inputs and users, by their counterparts. Two
holes match if their boundaries are more alike than any others, and one can have become the other: they are in
the same modules, with common ops or an output of the same kind.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from exir_viz.compare.normalize.side import Side
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.records import SequenceValue, TensorValue, Value

from .evidence import Evidence
from .pairing import Pairing
from .rewrites import settle

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
            settle(pairing, ours[at].nodes, theirs[other].nodes, Evidence.BOUNDARY)


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
