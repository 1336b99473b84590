"""Where it began: nodes that parted while nothing they were computed from did; where NaN and Inf arose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from exir_viz.compare.diff import Diff
from exir_viz.compare.reasons import is_probable
from exir_viz.snapshot import Node
from exir_viz.snapshot.numbering import Numbering

from .rows import Health, NumberRow, Producer, Trouble


def origins(diff: Diff, rows: tuple[NumberRow, ...], *, ends_part: bool) -> tuple[NumberRow, ...]:
    """The rows, those marked that parted by themselves: by the edges of b, through what was not compared.

    Two that are only probably each other's may be two others that differ rightly: where they part and nothing
    known that is computed from them does, they began nothing, and count as not compared. `ends_part`: does
    something that is handed back?
    """
    numbering = diff.numbering_b
    order = [*_order(numbering)]
    sources = {number: [*map(numbering.number, _sources(numbering.node(number)))] for number in order}
    rows = tuple(msgspec.structs.replace(row, probable=is_probable(diff[row.match])) for row in rows)
    known = _parted(row for row in rows if not (row.probable and row.numbers.parted))
    known |= {number: ends_part for number in order if numbering.node(number).op == "output"}
    seen = dict.fromkeys(range(len(numbering)), False)
    for number in reversed(order):
        if known.get(number, seen[number]):
            seen |= dict.fromkeys(sources[number], True)
    parted = _parted(row for row in rows if row.b in known or seen[row.b])
    before = dict.fromkeys(range(len(numbering)), False)
    for number in order:
        before[number] = any(parted.get(one, before[one]) for one in sources[number])
    return tuple(
        msgspec.structs.replace(
            row, origin=row.numbers.parted and parted.get(row.b, False) and not before[row.b]
        )
        for row in rows
    )


def _parted(rows: Iterable[NumberRow]) -> dict[int, bool]:
    """By node of b: did one of its rows part?"""
    found: dict[int, bool] = {}
    for row in rows:
        found[row.b] = found.get(row.b, False) or row.numbers.parted
    return found


def producers(side: str, numbering: Numbering, healths: Mapping[int, Health]) -> Iterator[Producer]:
    """The first NaN and the first Inf of one side; `healths` in running order, of values that have some."""
    for trouble in Trouble:
        counts = {number: getattr(health, trouble.value) for number, health in healths.items()}
        for number, count in counts.items():
            sources = map(numbering.number, _sources(numbering.node(number)))
            if count and not any(counts.get(one) for one in sources):
                yield Producer(side, trouble, number, count)
                break


def _sources(node: Node) -> list[Node]:
    """What a value comes from: its inputs, what is in the graphs that it calls, what its graph is given."""
    found = list(node.inputs)
    for holder in node.inputs:
        for graph in holder.subgraphs:
            found += [inner for inner in graph if inner.op != "placeholder"]
    if node.op == "placeholder" and node.graph.parent is not None:
        parent = node.graph.parent
        held = (parent[ref.node] for ref in parent.columns.subgraphs if ref.graph == node.graph.number)
        found += [one for holder in held for call in holder.users for one in call.inputs if one != holder]
    return found


def _order(numbering: Numbering) -> Iterable[int]:
    """All numbers so that a nested graph comes before the call that runs it."""
    snapshot = numbering.snapshot
    for method in snapshot.methods.values():
        yield from _walk(method.graph[:], numbering)


def _walk(nodes: tuple[Node, ...], numbering: Numbering) -> Iterator[int]:
    for node in nodes:
        for holder in node.inputs:
            for graph in holder.subgraphs:
                yield from _walk(graph[:], numbering)
        yield numbering.number(node)
