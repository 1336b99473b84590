"""Memory while a method runs: the arenas of its memory plan, or what its values need by their shapes.

What enters is a method of a Snapshot; nothing is measured. Values that share their memory (a view, an output
written in place) are named once, by the op that has them first; an allocation by the op that writes to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from .columns import NONE, MethodMemory, PlannedArena
from .describe import DTYPES, dims
from .graph import Graph, Node
from .index import COMPUTES, index_of
from .opkind import ITEM, MEMORY, op_name
from .records import MemorySpec, Target, TensorValue, Value
from .sizes import Sizes
from .snapshot import Method


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
    """The planned values of the method's own graph; empty without a memory plan."""
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
    """The op that writes to an allocation; any other node itself."""
    return next(iter(node.users), node) if _is_allocation(node) else node


def _is_allocation(node: Node) -> bool:
    return node.op == "call_function" and op_name(node.target) == MEMORY


def arena_peaks(method: Method) -> dict[int, tuple[int, int]]:
    """By arena: the most bytes that are alive at once, and the first node position at which they are."""
    return {arena.number: (arena.peak, arena.peak_at) for arena in memory_of(method).arenas}


def memory_of(method: Method) -> MethodMemory:
    """The bytes alive at each node of a method's graph, and the arenas if there is a memory plan."""
    values, count = planned(method), len(method.graph)
    if not values:
        return _by_shapes(method)
    arenas = [
        _arena(number, [value for value in values if value.arena == number], count)
        for number in sorted({value.arena for value in values})
    ]
    return MethodMemory(_live(values, count), 0, tuple(arenas))


def _arena(number: int, values: Sequence[Planned], count: int) -> PlannedArena:
    live = _live(values, count)
    peak = max(live)
    return PlannedArena(
        number=number,
        size=max(one.offset + one.bytes for one in values),
        peak=peak,
        peak_at=live.index(peak),
        nodes=tuple(one.node.position for one in values),
        texts=tuple(one.value for one in values),
        offsets=tuple(one.offset for one in values),
        bytes=tuple(one.bytes for one in values),
        first=tuple(one.first for one in values),
        last=tuple(one.last for one in values),
    )


def _live(values: Iterable[Planned], count: int) -> tuple[int, ...]:
    return _alive(((one.first, one.last, one.bytes) for one in values), count)


def _alive(spans: Iterable[tuple[int, int, int]], count: int) -> tuple[int, ...]:
    """The bytes alive at each of `count` positions, from spans of first position, last position and bytes."""
    changes = [0] * (count + 1)
    for first, last, size in spans:
        changes[max(0, min(first, count))] += size
        changes[max(0, min(last + 1, count))] -= size
    return tuple(accumulate(changes[:count]))


def _by_shapes(method: Method) -> MethodMemory:
    """The bytes alive at each node for the sizes of the example inputs.

    A value is alive from the op that makes it to its last user, or that of a value in the same memory.
    """
    graph, sizes = method.graph, Sizes.hinted(method)
    columns, index = graph.columns, index_of(graph)
    values = graph.snapshot.values
    shares = [_shares_memory(target) for target in graph.snapshot.targets]
    owners = list(range(len(graph)))
    last = list(range(len(graph)))
    for position, (op, target) in enumerate(zip(columns.ops, columns.targets, strict=True)):
        inputs = index.inputs(position)
        if op in COMPUTES and inputs and shares[target]:
            own, other = columns.values[position], columns.values[inputs[0]]
            if _is_same_type(_at(values, own), _at(values, other)):
                owners[position] = owners[inputs[0]]
        for source in inputs:
            last[owners[source]] = position
    made = [at for at, op in enumerate(columns.ops) if op in COMPUTES and owners[at] == at]
    bytes_of = {at: sizes.bytes(_at(values, columns.values[at])) for at in made}
    unknown = sum(
        size is None and _has_tensor(_at(values, columns.values[at])) for at, size in bytes_of.items()
    )
    live = _alive(((at, last[at], bytes_of[at] or 0) for at in made), len(graph))
    return MethodMemory(live, unknown, sizes=sizes.used())


def _shares_memory(target: Target) -> bool:
    """Whether what a call yields lies in its first input: an item of a tuple, or a view by its schema."""
    if op_name(target) == ITEM:
        return True
    arguments, _, result = (target.schema or "").partition(" -> ")
    return result.startswith("Tensor(a") and "(Tensor(a" in arguments


def _at(values: Sequence[Value], number: int) -> Value | None:
    return None if number == NONE else values[number]


def _is_same_type(own: Value | None, other: Value | None) -> bool:
    """False if a cast made new memory: the schema of `to` says that it may be a view."""
    if isinstance(own, TensorValue) and isinstance(other, TensorValue):
        return own.dtype == other.dtype
    return True


def _has_tensor(value: Value | None) -> bool:
    return isinstance(value, TensorValue) or any(_has_tensor(item) for item in getattr(value, "items", ()))


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
