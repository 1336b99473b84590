"""How many calls came and went between two programs: counted alike for a stage, its tree and a diff.

Enters: groups of matched nodes, by number. Within a group calls of one op are kept as often as
both sides have them; the rest of a's were removed, the rest of b's added. What a backend took is counted by
its delegate's call alone.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from .columns import NONE
from .graph import Graph
from .index import COMPUTES
from .lineage import Lineage, links_of
from .numbering import Numbering
from .opkind import ITEM
from .records import Record
from .snapshot import Snapshot
from .tuple_links import is_same_tuple

_DELEGATE = "executorch_call_delegate"
_ITEM_OF_DELEGATE = f"{ITEM} of a delegate"
_RUNNING = frozenset({_DELEGATE, _ITEM_OF_DELEGATE})

Groups = Iterable[tuple[Sequence[int], Sequence[int]]]


class CallChange(Record, frozen=True):
    """Calls that both programs have, that b has more, and that a has more.

    Unused tuple items on one side only do not count.
    """

    kept: int = 0
    added: int = 0
    removed: int = 0

    @property
    def text(self) -> str:
        """ "+8 −7"."""
        return f"+{self.added:,} −{self.removed:,}"


def call_change(before: Sequence[str], after: Sequence[str], groups: Groups) -> CallChange:
    """Count the calls of groups of nodes, by their `counted_ops`. A node without counterpart is a group of
    its own.
    """
    kept = added = removed = 0
    for ours, theirs in groups:
        if len(ours) == len(theirs) == 1 and before[ours[0]] == after[theirs[0]]:  # as nearly all are
            kept += before[ours[0]] != ""
            continue
        old = Counter(op for i in ours if (op := before[i]))
        new = Counter(op for j in theirs if (op := after[j]))
        same = (old & new).total()
        kept += same
        added += new.total() - same
        removed += old.total() - same
    return CallChange(kept, added, removed)


def lineage_change(lineage: Lineage, parent: Snapshot, child: Snapshot) -> CallChange:
    """Count the calls that a stage has more and less than its parent."""
    return call_change(counted_ops(parent), counted_ops(child), _groups(lineage, parent, child))


def counted_ops(snapshot: Snapshot) -> list[str]:
    """By node number: the name of the op that it calls; "" where it is no call that counts."""
    return [op for graph in snapshot.graphs for op in _graph_ops(graph)]


def _graph_ops(graph: Graph) -> list[str]:
    if graph.type == "delegate":
        return [""] * len(graph)
    names = [target.name for target in graph.snapshot.targets]
    columns = graph.columns
    found = [
        names[target] if op in COMPUTES else ""
        for target, op in zip(columns.targets, columns.ops, strict=True)
    ]
    for position, name in enumerate(found):
        if name == ITEM and (tuple_at := _tuple_of(graph, position)) is not None:
            found[position] = _ITEM_OF_DELEGATE if found[tuple_at] == _DELEGATE else name
    return found


def _tuple_of(graph: Graph, item: int) -> int | None:
    """The position of the call that yields the tuple that an item is of."""
    inputs = graph[item].inputs
    return inputs[0].position if inputs else None


def _groups(lineage: Lineage, parent: Snapshot, child: Snapshot) -> Groups:
    """What links connect, an item of a tuple linked to the same item; and all nodes without a link, as one.

    torch recreates run-time assertions in each step without a link to the previous ones. Those of one op
    count as the same.
    """
    before, after = _Items(parent), _Items(child)
    ran, runs = (_running(snapshot) for snapshot in (parent, child))
    links = _to_items(
        before,
        after,
        [(ancestor, node) for node, ancestor, _ in links_of(lineage) if node not in runs or ancestor in ran],
    )
    size = before.size
    roots = list(range(size + after.size))
    for ancestor, node in links:
        left, right = _root(roots, ancestor), _root(roots, size + node)
        roots[max(left, right)] = min(left, right)
    linked = {ancestor for ancestor, _ in links}, {node for _, node in links}
    groups: dict[int, tuple[list[int], list[int]]] = {}
    for which, items in enumerate((before, after)):
        for number in range(items.size):
            root = _root(roots, number + which * size)
            owner = items.unread.get(number)
            if owner is not None and owner in linked[which]:
                # an unused item belongs to its op, unless the other side has it too
                is_alone = number not in linked[which] or _root(roots, owner + which * size) == root
                if is_alone:
                    continue
            place = root if number in linked[which] else NONE
            groups.setdefault(place, ([], []))[which].append(number)
    return groups.values()


def _running(snapshot: Snapshot) -> set[int]:
    """The calls that run delegates. They are linked to everything delegated, and are no op of the program."""
    return {number for number, op in enumerate(counted_ops(snapshot)) if op in _RUNNING}


def _root(roots: list[int], number: int) -> int:
    while roots[number] != number:
        roots[number] = roots[roots[number]]
        number = roots[number]
    return number


def _to_items(before: _Items, after: _Items, links: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The links; of an item to the op of the same tuple, led to the same item where the other side has it."""
    became: dict[int, list[int]] = defaultdict(list)
    came: dict[int, list[int]] = defaultdict(list)
    for ancestor, node in links:
        became[ancestor].append(node)
        came[node].append(ancestor)
    found = []
    for ancestor, node in links:
        ours, theirs = before.index.get(ancestor), after.index.get(node)
        if ours is None and theirs is not None and after.is_of_same(node, before, ancestor, became[ancestor]):
            found.append((before.items.get((ancestor, theirs), ancestor), node))
        elif theirs is None and ours is not None and before.is_of_same(ancestor, after, node, came[node]):
            found.append((ancestor, after.items.get((node, ours), node)))
        else:
            found.append((ancestor, node))
    return found


class _Items:
    """The items of tuples of one program, by node number.

    `index`: which item a node takes; `items`: by tuple and index, the node; `unread`: by an unused item,
    its tuple.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._numbering = Numbering(snapshot)
        self.index: dict[int, object] = {}
        self.items: dict[tuple[int, object], int] = {}
        self.unread: dict[int, int] = {}
        base = 0
        for graph in snapshot.graphs:
            items = {at for at, target in enumerate(snapshot.targets) if target.name == ITEM}
            for position, target in enumerate(graph.columns.targets):
                tuple_at = _tuple_of(graph, position) if target in items else None
                if tuple_at is None:
                    continue
                node = graph[position]
                which = node.args[1] if len(node.args) > 1 else None
                self.index[base + position] = which
                self.items[base + tuple_at, which] = base + position
                if not node.users:
                    self.unread[base + position] = base + tuple_at
            base += len(graph)
        self.size = base

    def is_of_same(self, item: int, other: _Items, op: int, became: Sequence[int]) -> bool:
        """Whether an item is that of the tuple that an op of the other side yields."""
        node = self._numbering.node
        return is_same_tuple(other._numbering.node(op), node(item).inputs[0], [node(one) for one in became])
