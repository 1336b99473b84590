"""Which values of two programs to compare: for each match one node of each side that represents it.

Enters: a Diff, and the links that it was made with, if any. Leaves: pairs of nodes, and for every other match
with both sides the reason why it is not compared. Of a group, a value that the rest of its program reads is
compared, wherever it is computed. The two values must be known to be the same: the same op makes them, the
same nodes read them, or nothing else leaves the group. A delegate is one block: its outputs represent the
members that compute them, and nothing inside is compared. Integers that represent numbers are compared
through the node that dequantizes them, or with the scale in the graph.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from exir_viz.compare.align.known_links import Link
from exir_viz.compare.diff import Diff, Match
from exir_viz.compare.normalize.delegates import is_within, runs
from exir_viz.compare.normalize.side import family
from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.opkind import ITEM, op_name
from exir_viz.snapshot.records import SequenceValue, SymValue, TensorValue, Value

from .precision import Scale, are_integers, dequantized, scale_of
from .stale_views import stale_views

WITHIN = "a delegate is one block: only its outputs are compared"
NO_VALUE = "only one side has numbers"
NOTHING = "neither side has numbers"
GUESSED = "inputs with different names: they are only probably counterparts"
SHAPES = "no results with the same shape"
FOLDED = "a batch norm is folded into it on one side"
UNKNOWN = "not known which of their values are the same"
STALE = "a view that one side writes to later"
KINDS = "integers and floats, and the graph gives no scale"


# Ops that change the dtype or the memory of a value, in any dialect.
_COPIES = frozenset({"alias", "clone", "lift_fresh", "to", "to_copy"})


class Counterpart(NamedTuple):
    """Two nodes to compare, by number. `emulated`: one is a delegate's output.

    `scales`: to dequantize the integers of either first. `sure`: the two are known to be the same value.
    """

    match: int
    a: int
    b: int
    emulated: bool = False
    scales: tuple[Scale | None, Scale | None] = (None, None)
    sure: bool = True


@dataclass(slots=True)
class Counterparts:
    """What to compare, and by match why not."""

    pairs: list[Counterpart] = field(default_factory=list)
    reasons: dict[int, str] = field(default_factory=dict)


def counterparts(
    diff: Diff,
    links: Iterable[Link] = (),
    ends: Mapping[Node, Node] | None = None,
    folded: Collection[int] = (),
) -> Counterparts:
    """All pairs of a Diff.

    ends: nodes that are complete only after another node; folded: matches of state that differ because of
    folding (see `exir_viz.measure.numbers.folding`).
    """
    found, a, b = Counterparts(), _Blocks(diff.a), _Blocks(diff.b)
    counterparts = _Counterparts(diff, links)
    seen: set[tuple[int, int]] = set()
    blocks = [*_delegate_outputs(diff, counterparts, a, b)]
    by_block = {number for number, _ in blocks}
    for number, match in enumerate(diff):
        if not match.a or not match.b or _is_output(match):
            continue
        if number in folded or _is_guessed(match):
            found.reasons[number] = FOLDED if number in folded else GUESSED
            continue
        pair = _of_match(diff, number, match, a, b, ends or {})
        if isinstance(pair, Counterpart):
            found.pairs.append(pair)
            seen.add(pair[1:3])
        elif number not in by_block and pair != NOTHING:
            found.reasons[number] = pair
    for number, pair in blocks:
        if not isinstance(pair, Counterpart):
            found.reasons[number] = pair
        elif pair[1:3] not in seen:
            found.pairs.append(pair)
            seen.add(pair[1:3])
    for pair in found.pairs:
        found.reasons.pop(pair.match, None)
    return found


def _of_match(
    diff: Diff, number: int, match: Match, a: _Blocks, b: _Blocks, ends: Mapping[Node, Node]
) -> Counterpart | str:
    """The pair that represents a match, or why there is none."""
    if a.touches(match.a) or b.touches(match.b):
        return WITHIN
    ours, theirs = ([ends.get(node, node) for node in nodes] for nodes in (match.a, match.b))
    ours, theirs = a.representatives(ours), b.representatives(theirs)
    if not ours or not theirs:
        return WITHIN
    ours, theirs = ([node for node in nodes if _has_numbers(node.value)] for nodes in (ours, theirs))
    if not ours or not theirs:
        return NO_VALUE if ours or theirs else NOTHING
    values = _SameValues(diff, (a, b), (match.a, match.b), (ours, theirs))
    why = SHAPES
    for one in ours:
        for other in theirs:
            if not alike(one.value, other.value):
                continue
            sure = values.are_same(one, other)
            if sure is None or a.is_stale(one) != b.is_stale(other):
                why = UNKNOWN if sure is None else STALE
                continue
            pair = _paired(diff, number, one, other)
            if isinstance(pair, Counterpart):
                return pair._replace(sure=sure)
            why = pair
    return why


class _SameValues:
    """Whether two candidates of a match hold the same value: a shape alone does not tell.

    `groups`: the nodes of the match; `ends`: its candidates on either side.
    """

    def __init__(
        self,
        diff: Diff,
        blocks: tuple[_Blocks, _Blocks],
        groups: tuple[Sequence[Node], Sequence[Node]],
        ends: tuple[Sequence[Node], Sequence[Node]],
    ) -> None:
        self._diff, self._blocks, self._ends = diff, blocks, ends
        self._groups = tuple(map(frozenset, groups))

    @cached_property
    def _makers(self) -> list[dict[Node, tuple[object, ...]]]:
        sides = zip(self._groups, self._ends, strict=True)
        return [{end: _maker_of(end, group) for end in nodes} for group, nodes in sides]

    @cached_property
    def _readers(self) -> list[dict[Node, dict[int, set[tuple[str, int]]]]]:
        return [
            {end: _readers_by_match(self._diff, end, side, group) for end in nodes}
            for side, group, nodes in zip(self._blocks, self._groups, self._ends, strict=True)
        ]

    def are_same(self, one: Node, other: Node) -> bool | None:
        """True if they are; False if nothing speaks against it; None if they may be different values."""
        is_tuple = isinstance(one.value, SequenceValue)
        if self._is_same_op(one, other):
            return True
        if is_tuple:
            return None
        if self._are_read_alike(one, other):
            return True
        is_only = len(self._ends[0]) == len(self._ends[1]) == 1
        are_read = self._readers[0][one] and self._readers[1][other]
        return False if is_only and not are_read else None

    def _is_same_op(self, one: Node, other: Node) -> bool:
        """Whether the same op makes both, and no other candidate."""
        ours, theirs = self._makers
        key = ours[one]
        counts = [sum(maker == key for maker in makers.values()) for makers in self._makers]
        return key == theirs[other] and counts == [1, 1]

    def _are_read_alike(self, one: Node, other: Node) -> bool:
        """Whether nodes that match read both, at the same place or as the only value of the group."""
        ours, theirs = self._readers[0][one], self._readers[1][other]
        for match in ours.keys() & theirs.keys():
            counts = [sum(match in readers for readers in side.values()) for side in self._readers]
            if counts == [1, 1] or ours[match] & theirs[match]:
                return True
        return False


def _maker_of(node: Node, group: Collection[Node]) -> tuple[object, ...]:
    """The op that makes a value, in any dialect; for an item of a tuple also its index. Copies and quantized
    values are made by what the group copies or quantizes.
    """
    while _keeps_value(node) and node.inputs and node.inputs[0] in group:
        node = node.inputs[0]
    is_item = op_name(node.target) == ITEM and node.inputs
    return (family(node.inputs[0].target), *node.args[1:]) if is_item else (family(node.target),)


def _readers_by_match(
    diff: Diff, node: Node, side: _Blocks, group: Collection[Node]
) -> dict[int, set[tuple[str, int]]]:
    """By match outside of the group: how it reads a node, as ops and positions among their inputs.

    What a program returns first may be updates of state: outputs are counted from the last.
    """
    found: dict[int, set[tuple[str, int]]] = {}
    todo = [node]
    while todo:
        used = todo.pop()
        for reader in side.readers(used):
            match = diff.of(reader)
            if reader in group:
                continue
            if not (match.a and match.b) and _keeps_value(reader):
                todo.append(reader)
                continue
            inputs = reader.inputs[::-1] if reader.op == "output" else reader.inputs
            places = {(family(reader.target), at) for at, one in enumerate(inputs) if one == used}
            found.setdefault(match.number, set()).update(places)
    return found


def _keeps_value(node: Node) -> bool:
    """Whether it only copies, casts, quantizes or dequantizes what it reads."""
    name = family(node.target)
    return "quantize" in name or name in _COPIES


def _paired(
    diff: Diff, match: int, one: Node, other: Node, makers: tuple[Node, Node] | None = None
) -> Counterpart | str:
    """Two nodes as comparable numbers, or why they are not; `makers`: inside delegates, the nodes that
    compute them.
    """
    nodes = [one, other]
    scales: list[Scale | None] = [None, None]
    integers = [are_integers(node.value) for node in nodes]
    known = [
        scale_of(node) or scale_of(maker) if is_integer else None
        for node, maker, is_integer in zip(nodes, makers or nodes, integers, strict=True)
    ]
    if all(integers):
        if None not in known and known[0] != known[1]:
            scales = known
    elif any(integers):
        at = integers.index(True)
        number = dequantized(nodes[at])
        if number is not None:
            nodes[at] = number
        elif known[at] is not None:
            scales[at] = known[at]
        elif isinstance(nodes[1 - at].value, TensorValue):
            return KINDS
    ends = diff.numbering_a.number(nodes[0]), diff.numbering_b.number(nodes[1])
    return Counterpart(match, *ends, makers is not None, (scales[0], scales[1]))


def alike(one: Value | None, other: Value | None) -> bool:
    """Whether two values can have the same shape. A symbol can be any size; the run decides."""
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
    """State that is matched by position only is compared only if the names are equal."""
    a, b = match.a[0], match.b[0]
    return a.op == "placeholder" and match.evidence.confidence < 1 and a.name != b.name


def _is_output(match: Match) -> bool:
    return any(node.op == "output" for node in (*match.a, *match.b))


# --- delegates -------------------------------------------------------------------------------------------


class _Blocks:
    """The delegates of one side: which nodes are inside, and which outside node has each output."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.graphs = {graph.number for graph in snapshot.graphs if is_within(graph)}
        self.items: list[tuple[Node, Node]] = []  # an output member, and the outside node that has it
        self._edge: set[Node] = set()
        # By call and argument: the inputs inside. By graph of a delegate: the position of its call.
        self._given: dict[Node, dict[Node, list[Node]]] = {}
        self._calls: dict[int, int] = {}
        self._outer: dict[Node, list[Node]] = {}
        self._stale = stale_views(snapshot)
        for run in runs(snapshot):
            items = [(member, item) for item, member in run.output_items()]
            self.items += items
            self._edge |= {run.holder, run.call, *(item for _, item in items)}
            self._calls[run.inner.number] = run.call.position
            for inner, passed in run.given():
                self._given.setdefault(run.call, {}).setdefault(passed, []).append(inner)
        for member, item in self.items:
            self._outer.setdefault(member, []).append(item)

    def outside(self, node: Node) -> Node:
        """The outside node with a delegate's output; for other nodes the node itself."""
        return self._outer.get(node, [node])[-1]

    def is_stale(self, node: Node) -> bool:
        """Whether it is a view that is written to later."""
        return node in self._stale

    def is_inside(self, node: Node) -> bool:
        return node.graph.number in self.graphs

    def touches(self, nodes: Iterable[Node]) -> bool:
        """Whether one of them is a call of a delegate, or an item of its output."""
        return any(node in self._edge for node in nodes)

    def representatives(self, nodes: Sequence[Node]) -> list[Node]:
        """The candidates to represent a group, the best first: its ends, or if nothing reads it its last
        values. For a partly delegated group, only its end.
        """
        read = self.ends(nodes)
        if any(map(self.is_inside, nodes)):
            return [node for node in read[-1:] if not self.is_inside(node)]
        return [*reversed(read)] or [node for node in reversed(nodes) if not node.users]

    def ends(self, nodes: Iterable[Node]) -> list[Node]:
        """The nodes of a group that the rest of the program reads, in execution order."""
        group = set(nodes)
        read = [node for node in group if any(reader not in group for reader in self.readers(node))]
        return sorted(read, key=self._order)

    def readers(self, node: Node) -> Iterator[Node]:
        """The users of a node, past nodes that only pass it to a delegate or return it."""
        for user in node.users:
            if node in self._given.get(user, ()):
                for inner in self._given[user][node]:
                    yield from self.readers(inner)
            elif user.op == "output" and user.graph.number in self._calls:
                for item in self._outer.get(node, ()):
                    yield from self.readers(item)
            else:
                yield user

    def _order(self, node: Node) -> tuple[int, int]:
        return self._calls.get(node.graph.number, node.position), node.position


class _Counterparts:
    """The counterparts of a node: by known links, else by its match."""

    def __init__(self, diff: Diff, links: Iterable[Link]) -> None:
        self._diff = diff
        self._of_b: dict[int, list[int]] = {}
        self._of_a: dict[int, list[int]] = {}
        for link in links:
            self._of_b.setdefault(link.b, []).append(link.a)
            self._of_a.setdefault(link.a, []).append(link.b)

    def of(self, node: Node, *, is_b: bool) -> list[Node]:
        """The nodes of the other side, in execution order."""
        diff = self._diff
        here, there = (diff.numbering_b, diff.numbering_a) if is_b else (diff.numbering_a, diff.numbering_b)
        known = self._of_b if is_b else self._of_a
        if known:
            return [there.node(number) for number in sorted(known.get(here.number(node), ()))]
        match = diff.of(node)
        return list(match.a if is_b else match.b)

    def through(self, node: Node, *, is_b: bool) -> tuple[Node, list[Node]]:
        """The same, looking past new nodes that only quantize or dequantize; and the node that was found."""
        found = self.of(node, is_b=is_b)
        while not found and "quantize" in node.target.name and node.inputs:
            node = node.inputs[0]
            found = self.of(node, is_b=is_b)
        return node, found


def _delegate_outputs(
    diff: Diff, counterparts: _Counterparts, a: _Blocks, b: _Blocks
) -> Iterator[tuple[int, Counterpart | str]]:
    """The outputs of delegates of either side, by match, each with its counterpart on the other side."""
    for is_b, here, there in ((True, b, a), (False, a, b)):
        for member, item in here.items:
            maker = _maker(counterparts, member, here, there, is_b=is_b)
            if maker is None:
                continue
            other = there.outside(maker)
            if there.is_inside(other) or not alike(other.value, item.value):
                continue
            number = diff.of(member).number
            both, makers = ((other, item), (maker, member)) if is_b else ((item, other), (member, maker))
            yield number, _paired(diff, number, *both, makers)


def _maker(
    counterparts: _Counterparts, member: Node, here: _Blocks, there: _Blocks, *, is_b: bool
) -> Node | None:
    """The node on the other side that computes what a member of a delegate does: the end of its group, if the
    member is an end too. With equally many ends each has its own, else only the last ones match.
    """
    node, others = counterparts.through(member, is_b=is_b)
    group = {one for other in others for one in counterparts.of(other, is_b=not is_b)}
    own, ends = here.ends(group), there.ends(others)
    if node not in own or not ends:
        return None
    if len(own) == len(ends):
        return ends[own.index(node)]
    return ends[-1] if node == own[-1] else None


def places(numbering: Numbering) -> dict[str, int]:
    """By path of a graph outside of delegates: the number of its first node."""
    snapshot = numbering.snapshot
    return {
        graph.path: numbering.number(graph[0])
        for graph in snapshot.graphs
        if len(graph) and not is_within(graph)
    }
