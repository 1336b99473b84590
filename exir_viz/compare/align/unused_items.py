"""Nodes ignored if one side lacks them, such as unused tuple items.

Export drops unused tuple items; torch writes all of them into a file. Nodes that are part of a call are
ignored too, because a `.pte` file cannot have them (see `normalize.emitted_programs`).
"""

from __future__ import annotations

from collections.abc import Sequence

from exir_viz.compare.normalize.side import Side
from exir_viz.snapshot import Method
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.opkind import ITEM, op_name

from .evidence import Evidence
from .pairing import Pairing


def unread_items(side: Side) -> set[int]:
    """The numbers of all unused items, and of parts of calls."""
    items = (i for i, target in enumerate(side.targets) if target == side.getitem and side.inputs[i])
    return {*side.parts, *(i for i in items if not side.users[i])}


def attach_unread(pairing: Pairing) -> None:
    """Give each free one to the counterpart of its op."""
    a, b = pairing.a, pairing.b
    for i in pairing.free_a(sorted(unread_items(a))):
        if (j := pairing.of_a[owner(a, i)]) != NONE:
            pairing.link(i, j, Evidence.INTERFACE)
    for j in pairing.free_b(sorted(unread_items(b))):
        if (i := pairing.of_b[owner(b, j)]) != NONE:
            pairing.link(i, j, Evidence.INTERFACE)


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
