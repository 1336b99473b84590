"""Build groups from pairs: connected nodes become one group with its weakest evidence.

Groups are in the order of b; a removed node comes after the node that it followed in a.

Nodes that one side may lack are ignored: export drops unused tuple items, and torch writes all of them into a
file. So are nodes that are part of a call, because a `.pte` file cannot have them (see
`normalize.emitted_programs`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from exir_viz.compare.normalize.side import Side
from exir_viz.snapshot import Method
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.opkind import ITEM, op_name

from .pairing import CONFIDENCE, MatchEvidence, Pairing
from .sequence import longest_rising


class Group(NamedTuple):
    """Counterparts in a and b, in execution order; `moved` if their order changed.

    `relevant` are the nodes that decide its kind: all except unused tuple items.
    """

    a: list[int]
    b: list[int]
    relevant: tuple[list[int], list[int]]
    evidence: MatchEvidence
    confidence: float
    link: tuple[int, int] | None
    moved: bool


class Groups(NamedTuple):
    """All groups, and the number of its group by node."""

    groups: list[Group]
    of_a: list[int]
    of_b: list[int]


def group(pairing: Pairing) -> Groups:
    """Put every node into one group; a node without a counterpart is a group of its own."""
    size = pairing.a.size
    roots = list(range(size + pairing.b.size))
    weakest: dict[int, tuple[float, int, int, MatchEvidence]] = {}
    for i, j, _ in pairing.links:
        left, right = _root(roots, i), _root(roots, size + j)
        roots[max(left, right)] = min(left, right)
    for i, j, evidence in pairing.links:
        root, trust = _root(roots, i), pairing.trust.get((i, j), CONFIDENCE[evidence])
        if root not in weakest or trust < weakest[root][0]:
            weakest[root] = (trust, i, j, evidence)
    members: dict[int, tuple[list[int], list[int]]] = {}
    for i in pairing.a.order:
        members.setdefault(_root(roots, i), ([], []))[0].append(i)
    for j in pairing.b.order:
        members.setdefault(_root(roots, size + j), ([], []))[1].append(j)
    unread = unread_items(pairing.a), unread_items(pairing.b)
    relevant = {
        root: (without_unread(a, pairing.a, unread[0]), without_unread(b, pairing.b, unread[1]))
        for root, (a, b) in members.items()
    }
    moved = _moved(pairing, relevant.values())
    found = [
        Group(
            a,
            b,
            relevant[root],
            *_ground(weakest.get(root)),
            _single(*relevant[root]) and relevant[root][0][0] in moved,
        )
        for root, (a, b) in members.items()
    ]
    return _numbered(pairing, _in_reading_order(pairing, found))


def _ground(
    link: tuple[float, int, int, MatchEvidence] | None,
) -> tuple[MatchEvidence, float, tuple[int, int] | None]:
    return (
        (MatchEvidence.NONE, CONFIDENCE[MatchEvidence.NONE], None)
        if link is None
        else (link[3], link[0], link[1:3])
    )


def _root(roots: list[int], number: int) -> int:
    while roots[number] != number:
        roots[number] = roots[roots[number]]
        number = roots[number]
    return number


def _single(a: list[int], b: list[int]) -> bool:
    return len(a) == len(b) == 1


def _moved(pairing: Pairing, members: Iterable[tuple[list[int], list[int]]]) -> set[int]:
    """The calls of a whose counterparts are out of the order that most calls keep.

    An item of a tuple has its tuple's position; and a file has no instruction for a view.
    """
    a, b = pairing.a, pairing.b
    placeless = {a.getitem} | ({a.view} if a.snapshot.is_pte or b.snapshot.is_pte else set())
    single = [
        (i[0], j[0])
        for i, j in members
        if _single(i, j) and a.calls[i[0]] and not {a.targets[i[0]], b.targets[j[0]]} & placeless
    ]
    # of several longest orders the same one is chosen, whichever side comes first
    turned = pairing.is_turned
    ranked = sorted((b.rank[j], a.rank[i]) if turned else (a.rank[i], b.rank[j]) for i, j in single)
    kept = {a.order[y if turned else x] for x, y in longest_rising(ranked)}
    return {i for i, _ in single if i not in kept}


def _in_reading_order(pairing: Pairing, groups: list[Group]) -> list[Group]:
    rank_a, rank_b = pairing.a.rank, pairing.b.rank
    follows, last = [0] * len(rank_a), 0
    by_node = {i: rank_b[one.b[0]] for one in groups if one.b for i in one.a}
    for i in pairing.a.order:
        last = follows[i] = by_node.get(i, last)
    return sorted(
        groups,
        key=lambda one: (rank_b[one.b[0]], 0, 0) if one.b else (follows[one.a[0]], 1, rank_a[one.a[0]]),
    )


def _numbered(pairing: Pairing, groups: list[Group]) -> Groups:
    of_a, of_b = [NONE] * pairing.a.size, [NONE] * pairing.b.size
    for number, one in enumerate(groups):
        for i in one.a:
            of_a[i] = number
        for j in one.b:
            of_b[j] = number
    return Groups(groups, of_a, of_b)


def unread_items(side: Side) -> set[int]:
    """The numbers of all unused items, and of parts of calls."""
    items = (i for i, target in enumerate(side.targets) if target == side.getitem and side.inputs[i])
    return {*side.parts, *(i for i in items if not side.users[i])}


def attach_unread(pairing: Pairing) -> None:
    """Give each free one to the counterpart of its op."""
    a, b = pairing.a, pairing.b
    for i in pairing.free_a(sorted(unread_items(a))):
        if (j := pairing.of_a[owner(a, i)]) != NONE:
            pairing.link(i, j, MatchEvidence.INTERFACE)
    for j in pairing.free_b(sorted(unread_items(b))):
        if (i := pairing.of_b[owner(b, j)]) != NONE:
            pairing.link(i, j, MatchEvidence.INTERFACE)


def owner(side: Side, number: int) -> int:
    """The call that an item or a part belongs to."""
    return side.parts[number] if number in side.parts else side.inputs[number][0]


def without_unread(nodes: Sequence[int], side: Side, unread: set[int]) -> list[int]:
    """The nodes of a group, except those that belong to calls in the group."""
    if unread.isdisjoint(nodes):
        return list(nodes)
    within = set(nodes)
    return [node for node in nodes if node not in unread or owner(side, node) not in within]


def count_unread(method: Method) -> int:
    """How many a method has, in all its graphs."""
    targets = method.snapshot.targets
    items = {number for number, target in enumerate(targets) if op_name(target) == ITEM}
    return sum(
        not graph[position].users
        for graph in method.graphs()
        for position, target in enumerate(graph.columns.targets)
        if target in items
    )
