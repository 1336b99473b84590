"""Counterparts of graphs: methods by name, branches by the argument position of matched calls.

The name of a branch ("true_graph_0") counts earlier calls, so it is ignored. Calls that hold branches are
aligned first, outermost graphs first; then their branches are matched argument by argument. The graph of a
delegate counts as part of the graph that calls it, and so does a region that only one side wraps in a call.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from exir_viz.compare.normalize.delegates import runs
from exir_viz.compare.normalize.methods import methods
from exir_viz.compare.normalize.side import Side
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.graph import Graph
from exir_viz.snapshot.numbering import Numbering

from .sequence import align

Pair = tuple[int, int]
# The place of a graph without a counterpart, on either side.
_ALONE = (-2, -3)


# With more free calls than this only their order counts; and the share of common ops that two must have.
_MOST, _LIKE = 32, 0.5
# Calls that run their graph exactly once.
_WRAPS = re.compile(r"wrap(_|$)|hints_wrapper|tag_activation_checkpoint")


class Places(NamedTuple):
    """By node: the number of its graph, and a mark of the graphs that it contains or passes on (0: none).

    `wrapped`: by node, the call that only this side put around it (NONE: none). `passed`: which items of such
    a call represent another node, and which node.
    """

    graphs: list[int]
    subgraphs: list[int]
    wrapped: list[int]
    passed: dict[int, int]


class Branches:
    """The calls of one side that contain branches. Graphs are numbers; a delegate's is that of the graph
    around it.
    """

    def __init__(self, side: Side) -> None:
        self.side = side
        graphs = side.snapshot.graphs
        self.region: list[int] = []
        for graph in graphs:
            is_inner = graph.type == "delegate" or graph.number in side.inlined.graphs
            within = is_inner and graph.columns.parent != NONE
            self.region.append(self.region[graph.columns.parent] if within else graph.number)
        self.subgraphs = dict(_holders(graphs, side))
        self.callers: dict[int, list[int]] = {}
        self._find_callers()
        self._contents: dict[int, int] = {}

    def _find_callers(self) -> None:
        """Find the calls that read a branch; a branch that no call reads is its own caller."""
        side, holders = self.side, dict(self.subgraphs)
        of = [graph.number for graph in side.snapshot.graphs for _ in range(len(graph))]
        unread = set(holders)
        for number in side.order if holders else ():
            read = [one for one in (*side.inputs[number], number) if one in holders]
            if read and side.calls[number]:
                self.subgraphs[number] = [graph for one in read for graph in holders[one]]
                self.callers.setdefault(self.region[of[number]], []).append(number)
                unread.difference_update(read)
        for number in sorted(unread):
            self.callers.setdefault(self.region[of[number]], []).append(number)

    def ops(self, caller: int) -> Counter[int]:
        """The ops in the branches of a call, nested ones included."""
        found: Counter[int] = Counter()
        for graph in self.subgraphs[caller]:
            base, size = self.side.bases[graph], len(self.side.snapshot.graphs[graph])
            found.update(self.side.targets[base : base + size])
            for inner in self.callers.get(graph, ()):
                found += self.ops(inner)
        return found

    def content(self, caller: int) -> int:
        """A hash of the ops in the branches of a call, nested ones included."""
        return hash(tuple(map(self._content, self.subgraphs[caller])))

    def _content(self, graph: int) -> int:
        if graph not in self._contents:
            base, size = self.side.bases[graph], len(self.side.snapshot.graphs[graph])
            inner = (self.content(one) for one in self.callers.get(graph, ()))
            self._contents[graph] = hash((*self.side.targets[base : base + size], *inner))
        return self._contents[graph]

    def unwrap(self, caller: int) -> int:
        """The graph that a call simply runs; NONE if it chooses, repeats, or is no such call."""
        subgraphs = self.subgraphs[caller]
        name = self.side.node(caller).target.name
        return (
            subgraphs[0] if len(subgraphs) == 1 and self.side.calls[caller] and _WRAPS.match(name) else NONE
        )

    def _passed(self, caller: int, graph: int) -> Iterator[Pair]:
        """An input of the graph is the call's input, and an item of the call is the graph's output."""
        side, base = self.side, self.side.bases[graph]
        whole = range(base, base + len(side.snapshot.graphs[graph]))
        given = [one for one in side.inputs[caller] if one not in self.subgraphs]
        inputs = [one for one in whole if side.node(one).op == "placeholder"]
        yield from zip(inputs, given, strict=False)
        back = side.inputs[whole[-1]]
        for item in side.users[caller]:
            at = side.node(item).args[1:2]
            if side.targets[item] == side.getitem and at and isinstance(at[0], int) and at[0] < len(back):
                yield item, back[at[0]]

    def _delegated(self) -> Iterator[Pair]:
        """The same for calls that run a delegate."""
        number = Numbering(self.side.snapshot).number
        for run in runs(self.side.snapshot):
            yield from ((number(x), number(y)) for x, y in (*run.given(), *run.output_items()))

    def places(self, numbers: Mapping[int, int], alone: int, wraps: Mapping[int, int]) -> Places:
        """The places of nodes, by the graph numbers that both sides share.

        wraps: by graph, the call that only this side put around it.
        """
        graphs = self.side.snapshot.graphs
        subgraphs = [0] * self.side.size
        for node, inner in self.subgraphs.items():
            if all(one in numbers for one in inner):
                subgraphs[node] = hash(tuple(numbers[one] for one in inner))
        return Places(
            [numbers.get(self.region[one.number], alone) for one in graphs for _ in range(len(one))],
            subgraphs,
            [wraps.get(self.region[one.number], NONE) for one in graphs for _ in range(len(one))],
            dict(
                [
                    *self._delegated(),
                    *(pair for graph, caller in wraps.items() for pair in self._passed(caller, graph)),
                ]
            ),
        )


def places(
    a: Side, b: Side, known: Sequence[int], scopes: tuple[Sequence[int], Sequence[int]]
) -> tuple[Places, Places]:
    """The places of either side, with equal numbers for matched graphs.

    known: by node of a, its counterpart from known links. scopes: by node, the module call.
    """
    ours, theirs = Branches(a), Branches(b)
    todo = [(x.graph.number, y.graph.number) for x, y in methods(a.snapshot, b.snapshot)]
    numbers: tuple[dict[int, int], dict[int, int]] = ({}, {})
    wraps: tuple[dict[int, int], dict[int, int]] = ({}, {})
    for left, right in todo:  # grows by the branches of each pair
        if left in numbers[0] or right in numbers[1]:
            continue
        numbers[0][left] = numbers[1][right] = left
        callers = list(ours.callers.get(left, ())), list(theirs.callers.get(right, ()))
        found: dict[int, int] = {}
        is_new = True
        while is_new:
            found = dict(_callers(ours, theirs, callers, known, scopes))
            matched = found.keys(), found.values()
            is_new = False
            for which, side in enumerate((ours, theirs)):
                inner = _unwrap(side, callers[which], set(matched[which]))
                wraps[which].update(inner)
                numbers[which].update(dict.fromkeys(inner, left))
                is_new = is_new or bool(inner)
        for i, j in found.items():
            if len(ours.subgraphs[i]) == len(theirs.subgraphs[j]):
                todo += zip(ours.subgraphs[i], theirs.subgraphs[j], strict=True)
    return (
        ours.places(numbers[0], _ALONE[0], wraps[0]),
        theirs.places(numbers[1], _ALONE[1], wraps[1]),
    )


def _unwrap(side: Branches, callers: list[int], matched: set[int]) -> dict[int, int]:
    """By graph: the unmatched call that simply runs it; its calls count as part of the graph around."""
    found = {graph: one for one in callers if one not in matched and (graph := side.unwrap(one)) != NONE}
    for graph, caller in found.items():
        callers.remove(caller)
        callers += side.callers.get(graph, ())
    return found


def _holders(graphs: Iterable[Graph], side: Side) -> Iterator[tuple[int, list[int]]]:
    for graph in graphs:
        for ref in graph.columns.subgraphs:
            inner = (one for one in graph.subgraphs_of(ref.node) if one.type != "delegate")
            subgraphs = [one.number for one in inner if one.number not in side.inlined.graphs]
            if subgraphs:
                yield side.bases[graph.number] + ref.node, subgraphs


def _callers(
    a: Branches,
    b: Branches,
    callers: tuple[Sequence[int], Sequence[int]],
    known: Sequence[int],
    scopes: tuple[Sequence[int], Sequence[int]],
) -> Iterator[Pair]:
    """Pair the calls of two matched graphs: linked ones, then in order, with weaker conditions step by
    step.
    """
    ours, theirs = callers
    there = set(theirs)
    found = {i: known[i] for i in ours if known[i] in there}
    if ours and theirs:
        contents = [a.content(i) for i in ours], [b.content(j) for j in theirs]
        targets = [a.side.targets[i] for i in ours], [b.side.targets[j] for j in theirs]
        modules = [scopes[0][i] for i in ours], [scopes[1][j] for j in theirs]
        for columns in ((targets, contents, modules), (targets, contents), (targets, modules), (targets,)):
            if contents not in columns:
                _most_similar(a, b, ours, theirs, found)
            left, right = (list(map(hash, zip(*side, strict=True))) for side in zip(*columns, strict=True))
            _in_order(ours, theirs, (left, right), found)
    yield from found.items()


def _most_similar(
    a: Branches, b: Branches, ours: Sequence[int], theirs: Sequence[int], found: dict[int, int]
) -> None:
    """Of free calls of one op, pair those with most ops in common first; at least half must be."""
    used = set(found.values())
    left = [i for i in ours if i not in found][:_MOST]
    right = [j for j in theirs if j not in used][:_MOST]
    if len(left) == len(right) or not left or not right:
        return  # none was added or removed, so order decides; or there is nothing to distinguish them
    before = [(a.side.targets[i], a.ops(i)) for i in left]
    after = [(b.side.targets[j], b.ops(j)) for j in right]
    likeness = {
        (x, y): _in_common(ops, others)
        for x, (op, ops) in enumerate(before)
        for y, (other, others) in enumerate(after)
        if op == other
    }
    for x, y in sorted(likeness, key=lambda pair: -likeness[pair]):
        if likeness[x, y] >= _LIKE and left[x] not in found and right[y] not in used:
            found[left[x]] = right[y]
            used.add(right[y])


def _in_common(before: Counter[int], after: Counter[int]) -> float:
    """The share of common ops in the branches of two calls."""
    return (before & after).total() / max(1, (before | after).total())


def _in_order(
    ours: Sequence[int], theirs: Sequence[int], tokens: tuple[list[int], list[int]], found: dict[int, int]
) -> None:
    """Align free calls by their tokens, between paired ones."""
    used = set(found.values())
    left = [found.get(i, token) for i, token in zip(ours, tokens[0], strict=True)]
    right = [j if j in used else token for j, token in zip(theirs, tokens[1], strict=True)]
    for x, y in align(left, right):
        if ours[x] not in found and theirs[y] not in used:
            found[ours[x]] = theirs[y]
