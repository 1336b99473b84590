"""What is left on both sides with the same nodes around it: one was rewritten to the other.

A hole is a connected set of free calls. Its boundary is what it reads and who reads it, by their
counterparts. Two holes whose boundaries are more alike than any other's are each other's.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from .evidence import Evidence
from .groups import settle
from .pairing import NONE, Pairing
from .side import Side

# The share of boundaries that two holes must have in common, and the nodes that a hole may have.
_SHARED = 0.5
_LARGEST = 200


class Hole(NamedTuple):
    """Connected free calls in running order; the boundary is in numbers of a: (node, reads it or is read)."""

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
    offers = []
    for at, hole in enumerate(ours):
        shared = Counter(other for one in hole.boundary for other in by_boundary.get(one, ()))
        for other, count in shared.items():
            whole = len(hole.boundary | theirs[other].boundary)
            if count >= _SHARED * whole:
                offers.append((-count / whole, at, other))
    taken: tuple[set[int], set[int]] = (set(), set())
    for _, at, other in sorted(offers):
        if at not in taken[0] and other not in taken[1]:
            taken[0].add(at)
            taken[1].add(other)
            settle(pairing, ours[at].nodes, theirs[other].nodes, Evidence.BOUNDARY)


def _holes(
    side: Side, users: Sequence[Sequence[int]], counterpart: Sequence[int], names: Sequence[int]
) -> list[Hole]:
    """The connected sets of free calls; a boundary node is called by `names`."""
    free = [number for number in side.order if side.calls[number] and counterpart[number] == NONE]
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
        for beside, reads in ((inputs[number], False), (users[number], True)):
            for one in beside:
                if one not in within:
                    boundary.add((one, reads))
                elif one not in nodes:
                    nodes.add(one)
                    todo.append(one)
    return nodes, boundary
