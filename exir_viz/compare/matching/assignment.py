"""A minimum-cost assignment within what is left: free calls that order and place could not tell apart.

Who may be whose: calls of one kind, most of whose matched neighbours are each other's. What these candidates
connect is solved as a whole, so that the sum of what all pairs have in common is greatest, whatever their
order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from exir_viz.compare.reading.side import Side
from exir_viz.snapshot.columns import NONE

from .evidence import Evidence
from .hungarian import minimum_cost
from .pairing import Pairing

Pair = tuple[int, int]

# More free nodes beside one node, or in one whole, are not told apart by what they are beside.
_MOST = 32
# The share of matched neighbours that two nodes must have in common.
_SHARED = 0.75


def pair_assigned(pairing: Pairing, likeness: tuple[Sequence[int], Sequence[int]]) -> list[Pair]:
    """Pair what is left by what it has in common; returns the new pairs."""
    met = _candidates(pairing, likeness)
    found = []
    for ours, theirs in _wholes(met):
        costs = [
            [-met[i][j] - _likeness(pairing, i, j) if j in met[i] else 0.0 for j in theirs] for i in ours
        ]
        for row, column in minimum_cost(costs):
            i, j = ours[row], theirs[column]
            if j in met[i] and pairing.pair(i, j, Evidence.ASSIGNMENT):
                found.append((i, j))
    return found


def _candidates(
    pairing: Pairing, likeness: tuple[Sequence[int], Sequence[int]]
) -> dict[int, dict[int, float]]:
    """By free call of a: each of b that is like it, and beside how many counterparts of its neighbours."""
    a, b, of_a, of_b = pairing.a, pairing.b, pairing.of_a, pairing.of_b
    met: dict[int, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    free = [i for i in pairing.free_a(a.order) if a.calls[i]]
    # what they read and who reads them; and of a counterpart the other way round
    for reach, back, there in (
        (a.inputs, pairing.users_a, pairing.users_b),
        (pairing.users_a, a.inputs, b.inputs),
    ):
        for x in dict.fromkeys(x for i in free for x in reach[i]):
            y = of_a[x]
            ours = {i for i in back[x] if of_a[i] == NONE and a.calls[i]}
            if y == NONE or of_b[y] != x or len(ours) > _MOST:
                continue
            theirs = {j for j in there[y] if of_b[j] == NONE and b.calls[j]}
            for i in sorted(ours) if len(theirs) <= _MOST else ():
                for j in theirs:
                    if likeness[0][i] == likeness[1][j]:
                        met[i][j] += 1.0
    known = _known(pairing.a, pairing.users_a, of_a), _known(pairing.b, pairing.users_b, of_b)
    return {
        i: kept
        for i, others in met.items()
        if (kept := {j: met for j, met in others.items() if met >= _SHARED * max(known[0](i), known[1](j))})
    }


def _known(side: Side, users: Sequence[Sequence[int]], counterpart: Sequence[int]) -> Callable[[int], int]:
    """How many neighbours of a node have a counterpart."""
    return lambda one: sum(counterpart[x] != NONE for x in {*side.inputs[one], *users[one]})


def _wholes(met: dict[int, dict[int, float]]) -> Iterator[tuple[list[int], list[int]]]:
    """What candidates connect, each once; in the order of its first node."""
    back: dict[int, list[int]] = defaultdict(list)
    for i, others in met.items():
        for j in others:
            back[j].append(i)
    seen: set[int] = set()
    for start in sorted(met):
        if start in seen:
            continue
        ours, theirs, todo = {start}, set[int](), [start]
        while todo:
            for j in met[todo.pop()]:
                if j not in theirs:
                    theirs.add(j)
                    todo += (i for i in back[j] if i not in ours)
                    ours.update(back[j])
        seen |= ours
        if max(len(ours), len(theirs)) <= _MOST:
            yield sorted(ours), sorted(theirs)


def _likeness(pairing: Pairing, i: int, j: int) -> float:
    a, b = pairing.a, pairing.b
    return (
        0.5 * (a.targets[i] == b.targets[j])
        + 0.5 * (a.values[i] == b.values[j])
        + 0.25 * (a.arguments[i] == b.arguments[j])
    )
