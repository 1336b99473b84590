"""Which values of two programs to compare: for each match one node of each side that stands for it.

Enters: a Diff, and the links that it was made with, if any. Leaves: pairs of nodes, and for every other match
that has both sides the reason why nothing of it is compared. Of a group the last value that the rest of its
program reads is taken. A delegate is one block: what it hands back stands for the members that compute it,
and nothing within it is compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.graph import Graph
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.records import SequenceValue, SymValue, TensorValue, Value

from .diff import Diff, Match
from .links import Link

WITHIN = "what a backend took is one block: only what it hands back is compared"
NO_VALUE = "one side yields numbers and the other none"
NOTHING = "neither side yields numbers"
GUESSED = "inputs of other names, which are only thought to be each other's"
SHAPES = "no values of the two sides have the same shape"


class Counterpart(NamedTuple):
    """Two nodes to compare, by number. `emulated`: one is what a backend hands back."""

    match: int
    a: int
    b: int
    emulated: bool = False


@dataclass(slots=True)
class Counterparts:
    """What to compare, and by match why not."""

    pairs: list[Counterpart] = field(default_factory=list)
    reasons: dict[int, str] = field(default_factory=dict)


def counterparts(diff: Diff, links: Iterable[Link] = ()) -> Counterparts:
    """All pairs of a Diff."""
    found, a, b = Counterparts(), _Blocks(diff.a), _Blocks(diff.b)
    kin = _Kin(diff, links)
    seen: set[tuple[int, int]] = set()
    blocks = [*_handed_back(diff, kin, a, b)]
    by_block = {pair.match for pair in blocks}
    for number, match in enumerate(diff):
        if not match.a or not match.b or _is_output(match):
            continue
        if _is_guessed(match):
            found.reasons[number] = GUESSED
            continue
        pair = _of_match(diff, number, match, a, b)
        if isinstance(pair, Counterpart):
            found.pairs.append(pair)
            seen.add(pair[1:3])
        elif number not in by_block and pair != NOTHING:
            found.reasons[number] = pair
    found.pairs += [pair for pair in blocks if pair[1:3] not in seen]
    return found


def _of_match(diff: Diff, number: int, match: Match, a: _Blocks, b: _Blocks) -> Counterpart | str:
    """The pair that stands for a match, or why none does."""
    ours, theirs = a.outside(match.a), b.outside(match.b)
    if a.touches(match.a) or b.touches(match.b) or not ours or not theirs:
        return WITHIN
    ours, theirs = ([node for node in nodes if _has_numbers(node.value)] for nodes in (ours, theirs))
    if not ours or not theirs:
        return NO_VALUE if ours or theirs else NOTHING
    for one in _from_the_end(ours):
        for other in _from_the_end(theirs):
            if alike(one.value, other.value):
                return Counterpart(number, diff.numbering_a.number(one), diff.numbering_b.number(other))
    return SHAPES


def _from_the_end(nodes: Sequence[Node]) -> list[Node]:
    """The last first, those before the others that something outside of the group reads."""
    group = set(nodes)
    read = [node for node in nodes if any(user not in group for user in node.users)]
    rest = [node for node in nodes if node not in read]
    return [*reversed(read), *reversed(rest)]


def alike(one: Value | None, other: Value | None) -> bool:
    """Can two values have the same shape? A symbol can be any size; the run tells."""
    if isinstance(one, SequenceValue) and isinstance(other, SequenceValue):
        pairs = zip(one.items, other.items, strict=False)
        return len(one.items) == len(other.items) and all(alike(*pair) for pair in pairs)
    if isinstance(one, TensorValue) and isinstance(other, TensorValue):
        sizes = zip(one.shape, other.shape, strict=False)
        return len(one.shape) == len(other.shape) and all(
            isinstance(x, str) or isinstance(y, str) or x == y for x, y in sizes
        )
    return type(one) is type(other)


def _has_numbers(value: Value | None) -> bool:
    if isinstance(value, SequenceValue):
        return any(map(_has_numbers, value.items))
    return isinstance(value, TensorValue | SymValue)


def _is_guessed(match: Match) -> bool:
    """State that is paired by its place alone is compared only under one name."""
    a, b = match.a[0], match.b[0]
    return a.op == "placeholder" and match.evidence.confidence < 1 and a.name != b.name


def _is_output(match: Match) -> bool:
    return any(node.op == "output" for node in (*match.a, *match.b))


# --- delegates -------------------------------------------------------------------------------------------


class _Blocks:
    """The delegates of one side: who is within one, and which node outside holds what one hands back."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.graphs = {graph.number for graph in snapshot.graphs if _is_within(graph)}
        self.items: list[tuple[Node, Node]] = []  # a member that is handed back, the node outside that has it
        self._edge: set[Node] = set()
        for graph in snapshot.graphs:
            if graph.number in self.graphs:
                continue
            for holder in graph:
                for inner in holder.subgraphs:
                    if inner.delegate is not None:
                        self._take(holder, inner)
        self.outer = dict(self.items)

    def _take(self, holder: Node, inner: Graph) -> None:
        """Note what one delegate hands back."""
        output = next((node for node in inner if node.op == "output"), None)
        returned = _leaves(output.args) if output is not None else []
        self._edge.add(holder)
        for call in holder.users:
            self._edge.add(call)
            for user in call.users:
                index = user.args[1] if len(user.args) == 2 else None
                if user.target.name == "getitem" and isinstance(index, int) and index < len(returned):
                    self._edge.add(user)
                    self.items.append((returned[index], user))

    def outside(self, nodes: Iterable[Node]) -> list[Node]:
        """Those that are in no delegate."""
        return [node for node in nodes if node.graph.number not in self.graphs]

    def touches(self, nodes: Iterable[Node]) -> bool:
        """Is one of them a call of a delegate, or an item of what it hands back?"""
        return any(node in self._edge for node in nodes)


class _Kin:
    """Whom a node is linked to; by the links that are known, else by the match that it is in."""

    def __init__(self, diff: Diff, links: Iterable[Link]) -> None:
        self._diff = diff
        self._of_b: dict[int, list[int]] = {}
        self._of_a: dict[int, list[int]] = {}
        for link in links:
            self._of_b.setdefault(link.b, []).append(link.a)
            self._of_a.setdefault(link.a, []).append(link.b)

    def of(self, node: Node, *, is_b: bool) -> list[Node]:
        """The nodes of the other side, in running order."""
        diff = self._diff
        here, there = (diff.numbering_b, diff.numbering_a) if is_b else (diff.numbering_a, diff.numbering_b)
        known = self._of_b if is_b else self._of_a
        if known:
            return [there.node(number) for number in sorted(known.get(here.number(node), ()))]
        match = diff.of(node)
        return list(match.a if is_b else match.b)

    def through(self, node: Node, *, is_b: bool) -> list[Node]:
        """The same, looking past what only quantizes or dequantizes where that is new."""
        found = self.of(node, is_b=is_b)
        while not found and "quantize" in node.target.name and node.inputs:
            node = node.inputs[0]
            found = self.of(node, is_b=is_b)
        return found


def _handed_back(diff: Diff, kin: _Kin, a: _Blocks, b: _Blocks) -> Iterator[Counterpart]:
    """What delegates of either side hand back, each with what the other side has for it."""
    for member, item in b.items:
        yield from _pair(diff, diff.of(member).number, kin.through(member, is_b=True), a, item, is_b=True)
    for member, item in a.items:
        yield from _pair(diff, diff.of(member).number, kin.through(member, is_b=False), b, item, is_b=False)


def _pair(
    diff: Diff, match: int, others: list[Node], blocks: _Blocks, item: Node, *, is_b: bool
) -> Iterator[Counterpart]:
    there = [blocks.outer.get(node, node) for node in others]
    for node in _from_the_end(blocks.outside(there)):
        if alike(node.value, item.value):
            one, other = (node, item) if is_b else (item, node)
            ends = diff.numbering_a.number(one), diff.numbering_b.number(other)
            yield Counterpart(match, *ends, emulated=True)
            return


def _is_within(graph: Graph | None) -> bool:
    while graph is not None:
        if graph.delegate is not None:
            return True
        graph = graph.parent
    return False


def _leaves(value: object) -> list[Node]:
    if isinstance(value, Node):
        return [value]
    return [leaf for item in value for leaf in _leaves(item)] if isinstance(value, list | tuple) else []


def places(numbering: Numbering) -> dict[str, int]:
    """By path of a graph outside of delegates: the number of its first node."""
    snapshot = numbering.snapshot
    return {
        graph.path: numbering.number(graph[0])
        for graph in snapshot.graphs
        if len(graph) and not _is_within(graph)
    }
