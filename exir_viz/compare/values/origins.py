"""The first nodes that diverge, and the first that produce NaN or Inf."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

import msgspec

from exir_viz.compare.diff import Diff
from exir_viz.compare.explanations.reasons import is_probable
from exir_viz.snapshot import Graph, Node
from exir_viz.snapshot.numbering import Numbering

from .records import Health, NumberRow, Producer, Trouble


def origins(
    diff: Diff,
    rows: tuple[NumberRow, ...],
    *,
    ends_diverge: bool,
    unsure: Collection[tuple[int, int]] = (),
) -> tuple[NumberRow, ...]:
    """Mark the rows that diverge although none of their inputs do, by the edges of b, through nodes without a
    row.

    A probable match may be wrong, and the two values of a match may be different ones (`unsure`, nodes of a
    and b): if they diverge and no known value computed from them does, they are no origin, and count as not
    compared. `ends_diverge`: whether an output diverges.
    """
    numbering = diff.numbering_b
    flow = Flow(numbering)
    order = [*flow.order()]
    sources = {number: flow.sources(number) for number in order}
    rows = tuple(msgspec.structs.replace(row, probable=is_probable(diff[row.match])) for row in rows)
    known = _diverged(
        row for row in rows if not (row.numbers.diverged and (row.probable or (row.a, row.b) in unsure))
    )
    ends = (number for number in order if number not in flow.given and numbering.node(number).op == "output")
    known |= dict.fromkeys(ends, ends_diverge)
    seen = dict.fromkeys(range(len(flow)), False)
    for number in reversed(order):
        if known.get(number, seen[number]):
            seen |= dict.fromkeys(sources[number], True)
    diverged = _diverged(row for row in rows if row.b in known or seen[row.b])
    before = dict.fromkeys(range(len(flow)), False)
    for number in order:
        before[number] = any(diverged.get(one, before[one]) for one in sources[number])
    return tuple(
        msgspec.structs.replace(
            row, origin=row.numbers.diverged and diverged.get(row.b, False) and not before[row.b]
        )
        for row in rows
    )


def _diverged(rows: Iterable[NumberRow]) -> dict[int, bool]:
    """By node of b: whether one of its rows diverges."""
    found: dict[int, bool] = {}
    for row in rows:
        found[row.b] = found.get(row.b, False) or row.numbers.diverged
    return found


def producers(side: str, numbering: Numbering, healths: Mapping[int, Health]) -> Iterator[Producer]:
    """The first NaN and the first Inf of one side; `healths` in execution order, of values that have some."""
    flow = Flow(numbering)
    for trouble in Trouble:
        counts = {number: getattr(health, trouble.value) for number, health in healths.items()}
        given = {at: any(map(counts.get, sources)) for at, sources in flow.given.items()}
        for number, count in counts.items():
            if count and not any(counts.get(one, given.get(one)) for one in flow.sources(number)):
                yield Producer(side, trouble, number, count)
                break


class Flow:
    """The sources of a program's values, by number.

    The arguments of a nested graph have one number together, after those of nodes: each input of the graph
    comes from it.
    """

    def __init__(self, numbering: Numbering) -> None:
        self._numbering = numbering
        callers = (
            parent[ref.node] for parent in numbering.snapshot.graphs for ref in parent.columns.subgraphs
        )
        self.given: dict[int, list[int]] = {}
        for holder in dict.fromkeys(callers):
            read = [one for call in holder.users for one in call.inputs if one != holder]
            for graph in holder.subgraphs:
                self.given.setdefault(self._inside(graph), []).extend(map(numbering.number, read))

    def __len__(self) -> int:
        return len(self._numbering) + len(self._numbering.snapshot.graphs)

    def sources(self, number: int) -> list[int]:
        """The sources of a node: its inputs, the contents of graphs that it calls, the arguments of its
        graph.
        """
        if number in self.given:
            return self.given[number]
        node = self._numbering.node(number)
        found = list(node.inputs)
        for holder in node.inputs:
            for graph in holder.subgraphs:
                found += [inner for inner in graph if inner.op != "placeholder"]
        is_given = node.op == "placeholder" and node.graph.parent is not None
        return [*map(self._numbering.number, found), *([self._inside(node.graph)] if is_given else [])]

    def order(self) -> Iterator[int]:
        """All numbers, with nested graphs before the calls that run them."""
        for method in self._numbering.snapshot.methods.values():
            yield from self._walk(method.graph)

    def _walk(self, nodes: Iterable[Node]) -> Iterator[int]:
        for node in nodes:
            for holder in node.inputs:
                for graph in holder.subgraphs:
                    yield self._inside(graph)
                    yield from self._walk(graph)
            yield self._numbering.number(node)

    def _inside(self, graph: Graph) -> int:
        return len(self._numbering) + graph.number
