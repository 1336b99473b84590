"""The memory plan of an executorch-stage program: where each value lies in an arena, and for how long.

What enters is a method of a Snapshot; nothing is measured. Values that share their memory (a view, an output
written in place) are named once, by the op that has them first; an allocation by the op that writes to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from exir_viz.snapshot import Graph, Node
from exir_viz.snapshot.describe import DTYPES, dims
from exir_viz.snapshot.records import MemorySpec
from exir_viz.snapshot.snapshot import Method


@dataclass(frozen=True, slots=True)
class Planned:
    """One planned value: bytes at an offset of an arena, alive from the first to the last node position."""

    node: Node
    value: str
    arena: int
    offset: int
    bytes: int
    first: int
    last: int
    object: int | None


def planned(method: Method) -> list[Planned]:
    """Every value of its own graph that the plan placed; empty for a program without a plan."""
    return planned_in(method.graph)


def planned_in(graph: Graph) -> list[Planned]:
    """The values of one graph, in execution order; their first and last are positions in it."""
    found: dict[tuple[int, int, int, int, int], Planned] = {}
    for one in _placed(graph):
        place = (one.arena, one.offset, one.bytes, one.first, one.last)
        if place not in found or _is_allocation(found[place].node):
            found[place] = one
    return list(found.values())


def writer(node: Node) -> Node:
    """Of an allocation the op that writes to it; any other node itself."""
    return next(iter(node.users), node) if _is_allocation(node) else node


def _is_allocation(node: Node) -> bool:
    return node.op == "call_function" and node.target.name == "alloc"


def arena_peaks(method: Method) -> dict[int, tuple[int, int]]:
    """By arena: the most bytes that are alive at once, and the first node position at which they are."""
    changes: dict[int, dict[int, int]] = {}
    for one in planned(method):
        arena = changes.setdefault(one.arena, {})
        arena[one.first] = arena.get(one.first, 0) + one.bytes
        arena[one.last + 1] = arena.get(one.last + 1, 0) - one.bytes
    peaks = {}
    for number, arena in sorted(changes.items()):
        live, best, at = 0, 0, 0
        for position in sorted(arena):
            live += arena[position]
            if live > best:
                best, at = live, position
        peaks[number] = (best, at)
    return peaks


def _placed(graph: Graph) -> Iterator[Planned]:
    for node in graph:
        for spec in node.specs:
            one = _planned(node, spec)
            if one is not None:
                yield one


def _planned(node: Node, spec: MemorySpec) -> Planned | None:
    if spec.mem_id is None or spec.offset is None or spec.lifetime is None or spec.bytes is None:
        return None
    first, last = spec.lifetime
    value = f"{DTYPES.get(spec.dtype, spec.dtype)}[{dims(spec.shape)}]"
    return Planned(node, value, spec.mem_id, spec.offset, spec.bytes, first, last, spec.mem_obj_id)
