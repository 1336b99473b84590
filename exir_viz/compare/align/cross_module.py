"""Match calls across modules by what they compute from which inputs.

Two calls of an op match if all their inputs match, or if the same node reads them at the same position and
their unmatched inputs are alike. An op that was removed and another that was added read different things, so
they are not mistaken for one that moved.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

from exir_viz.compare.normalize.side import Side
from exir_viz.snapshot.columns import NONE

from .pairing import MatchEvidence, Pairing

Pair = tuple[int, int]
Likeness = Callable[[int], Hashable]
# Tokens of module calls, by node of either side.
Modules = tuple[Sequence[int], Sequence[int]]

# If more calls than this read the same, only the first are checked for common users.
_MOST = 32


class _Half(NamedTuple):
    """One side; `of` is the counterpart of each node, `likeness` the key of similar calls."""

    side: Side
    of: list[int]
    users: Sequence[Sequence[int]]
    likeness: Likeness


def pair_computed(pairing: Pairing, modules: Modules) -> list[Pair]:
    """Pair free calls that are equal and have the same inputs."""
    return _Computed(pairing, modules, is_exact=True).pair_by_inputs()


def pair_elsewhere(pairing: Pairing, modules: Modules) -> list[Pair]:
    """Pair free calls across modules: equal ones first, then those whose value or arguments changed too."""
    found: list[Pair] = []
    for is_exact in (True, False):
        computed = _Computed(pairing, modules, is_exact)
        found += computed.pair_by_inputs()
        if is_exact:
            found += computed.pair_by_readers()
    return found


class _Computed:
    """Equal calls need only equal inputs; others also need a common user, or common state."""

    def __init__(self, pairing: Pairing, modules: Modules, is_exact: bool) -> None:
        self._pairing = pairing
        self._modules = modules
        self._is_exact = is_exact
        ours, theirs = (
            _likeness(side, place.graphs, place.subgraphs, is_exact)
            for side, place in zip((pairing.a, pairing.b), pairing.places, strict=True)
        )
        self._a = _Half(pairing.a, pairing.of_a, pairing.users_a, ours)
        self._b = _Half(pairing.b, pairing.of_b, pairing.users_b, theirs)
        self._places: dict[int, dict[int, int]] = {}

    def pair_by_inputs(self) -> list[Pair]:
        """Pair calls with equal inputs, in execution order: a chain is followed from its start."""
        a, b = self._a, self._b
        known: dict[Hashable, list[int]] = defaultdict(list)
        free = _free(b)
        for i in _free(a) if free else ():
            known[a.likeness(i), *(_read(a, x, x) for x in a.side.inputs[i])].append(i)
        found = []
        for j in free if known else ():
            read = [(y, self._counterpart(y)) for y in b.side.inputs[j]]
            if all(x == NONE for _, x in read):
                continue
            alike = known.get((b.likeness(j), *(_read(b, y, x) for y, x in read)), ())[:_MOST]
            left = [i for i in alike if a.of[i] == NONE and not self._has_similar_call(i, j)]
            i = max(left, key=lambda one: (self._is_here(one, j), self._readers_met(one, j)), default=NONE)
            if i != NONE and self._is_enough(i, j) and self._pair(i, j):
                found.append((i, j))
        return found

    def pair_by_readers(self) -> list[Pair]:
        """Pair inputs of matched nodes at the same position that are computed alike, against execution
        order.
        """
        a, b = self._a, self._b
        free = _free(a)
        ours = _computed(a, free, range(a.side.size)) if free else {}
        theirs = _computed(b, _free(b), [self._counterpart(y) for y in range(b.side.size)]) if free else {}
        found = []
        for i in reversed(free):
            for reader in a.users[i]:
                j = self._read_there(reader, i)
                if j != NONE and ours[i] == theirs[j]:
                    self._pair(i, j, reader)
                    found.append((i, j))
                    break
        return found

    def _pair(self, i: int, j: int, *neighbours: int) -> bool:
        """Pair two calls, with at most the trust of the pairs that led to them."""
        known = [*neighbours, *(x for x in self._a.side.inputs[i] if self._a.of[x] != NONE)]
        weakest = min(known, key=self._pairing.trust_a.__getitem__)
        evidence = MatchEvidence.NEIGHBOUR if self._is_here(i, j) else MatchEvidence.ELSEWHERE
        return self._pairing.pair(i, j, evidence, found_from=weakest)

    def _is_here(self, i: int, j: int) -> bool:
        """Whether the same module makes both calls."""
        return self._modules[0][i] == self._modules[1][j]

    def _has_similar_call(self, i: int, j: int) -> bool:
        """Whether the module that calls i has a call like j on the other side."""
        b = self._b
        neighbours = b.users[b.side.inputs[j][0]]
        if self._is_here(i, j) or len(neighbours) > _MOST:
            return False
        return any(
            b.of[one] == NONE
            and self._is_here(i, one)
            and b.side.inputs[one] == b.side.inputs[j]
            and b.likeness(one) == b.likeness(j)
            for one in neighbours
        )

    def _counterpart(self, y: int) -> int:
        """The counterpart of a node of b, if the two are paired."""
        x = self._b.of[y]
        return x if x != NONE and self._a.of[x] == y else NONE

    def _readers_met(self, i: int, j: int) -> int:
        """How many users of both are paired."""
        there = set(self._b.users[j])
        return sum(self._a.of[reader] in there for reader in self._a.users[i])

    def _is_enough(self, i: int, j: int) -> bool:
        """Whether two calls with equal inputs match: if they are not equal, they need a common user, or
        common state.
        """
        a = self._a
        state = (x for x in a.side.inputs[i] if not a.side.calls[x] and a.of[x] != NONE)
        return self._is_exact or self._readers_met(i, j) > 0 or next(state, NONE) != NONE

    def _read_there(self, reader: int, i: int) -> int:
        """What the counterpart of a user reads where the user reads i; NONE if that is no free call."""
        there = self._a.of[reader]
        if there == NONE or self._b.of[there] != reader:
            return NONE
        ours, theirs = self._a.side.inputs[reader], self._b.side.inputs[there]
        if len(ours) != len(theirs):
            return NONE
        j = theirs[self._place(reader, i)]
        return j if self._b.of[j] == NONE and self._b.side.calls[j] else NONE

    def _place(self, reader: int, i: int) -> int:
        """The first position at which a node of a reads i."""
        if reader not in self._places:
            inputs = self._a.side.inputs[reader]
            self._places[reader] = dict(zip(inputs[::-1], range(len(inputs))[::-1], strict=True))
        return self._places[reader][i]


def _read(half: _Half, one: int, number: int) -> Hashable:
    """The input: by its number in a; unmatched state by its value."""
    is_given = half.of[one] == NONE and not half.side.calls[one]
    return ("given", half.side.values[one]) if is_given else number


def _computed(half: _Half, free: Sequence[int], numbers: Sequence[int]) -> dict[int, int]:
    """By free call, in execution order: a hash of how it is computed from matched nodes."""
    found: dict[int, int] = {}
    for one in free:
        read = (found[x] if x in found else _read(half, x, numbers[x]) for x in half.side.inputs[one])
        found[one] = hash((half.likeness(one), *read))
    return found


def _free(half: _Half) -> list[int]:
    """The calls without a counterpart, in execution order."""
    side = half.side
    return [one for one in side.order if half.of[one] == NONE and side.calls[one]]


def _likeness(side: Side, graphs: Sequence[int], subgraphs: Sequence[int], is_exact: bool) -> Likeness:
    """The key of similar calls in any module. Items of a tuple are distinguished by their index."""

    def exact(one: int) -> Hashable:
        return graphs[one], subgraphs[one], side.targets[one], side.values[one], side.arguments[one]

    def family(one: int) -> Hashable:
        item = side.arguments[one] if side.targets[one] == side.getitem else NONE
        return graphs[one], subgraphs[one], side.families[one], item

    return exact if is_exact else family
