"""Where it began: nodes that parted while nothing they were computed from did; where NaN and Inf arose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import msgspec

from exir_viz.compare.diff import Diff
from exir_viz.snapshot import Node
from exir_viz.snapshot.numbering import Numbering

from .rows import Health, NumberRow, Producer, Trouble


def origins(diff: Diff, rows: tuple[NumberRow, ...]) -> tuple[NumberRow, ...]:
    """The rows, those marked that parted by themselves: by the edges of b, through what was not compared."""
    numbering = diff.numbering_b
    parted: dict[int, bool] = {}
    for row in rows:
        parted[row.b] = parted.get(row.b, False) or row.numbers.parted
    before = dict.fromkeys(range(len(numbering)), False)
    for number in _order(numbering):
        node = numbering.node(number)
        before[number] = any(parted.get(one, before[one]) for one in map(numbering.number, _sources(node)))
    return tuple(
        msgspec.structs.replace(row, origin=row.numbers.parted and not before[row.b]) for row in rows
    )


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
