"""Memory while a method runs: the arenas of its memory plan, or what its values need by their shapes.

What enters is a method of a Snapshot; nothing is measured. Values within branches and loop bodies are in it,
at the steps of their own nodes (see `execution_steps`). Values that share their memory (a view, an output
written in place) are named once, by the op that has them first; an allocation by the op that writes to it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final

from .columns import NONE, MethodMemory, PlannedArena
from .describe import DTYPES, dims
from .execution_steps import ExecutionSteps
from .graph import Graph, Node
from .index import COMPUTES, index_of
from .numbering import Numbering
from .opkind import ITEM, MEMORY, op_name
from .records import MemorySpec, SequenceArg, SequenceValue, TensorValue, Value
from .sizes import Sizes, item_number, may_share_memory, source_of_memory
from .snapshot import Method


@dataclass(frozen=True, slots=True)
class Planned:
    """One planned value: bytes at an offset of an arena, alive from the first to the last node."""

    node: Node
    value: str
    arena: int
    offset: int
    bytes: int
    first: int
    last: int
    object: int | None


def planned(method: Method) -> list[Planned]:
    """The planned values of a method, in execution order; their first and last are execution steps."""
    return [one for _, one in _planned_at(ExecutionSteps(method.graph))]


def _planned_at(steps: ExecutionSteps) -> list[tuple[int, Planned]]:
    """The planned values, each with the step of its node."""
    values = [
        (run.begin(one.node.position), replace(one, first=run.begin(one.first), last=run.end(one.last)))
        for run in steps.runs
        for one in planned_in(run.graph)
        if one.first < len(run.graph) and one.last >= 0 and not _is_passed(one.node)
    ]
    return sorted(values, key=lambda one: one[0])


# By operator: its argument with the tensors of which each run of its body gets a slice.
_SLICED: Final = {"map_impl": 1, "scan": 2}


def _is_passed(node: Node) -> bool:
    """Whether a node of a body is an input that lies where the caller has it, whatever is planned for it.

    ExecuTorch plans memory for all inputs of such a body, and emits only the slices.
    """
    holder = node.graph.holder
    if holder is None or node.op != "placeholder":
        return False
    at = _SLICED.get(op_name(holder.target), 0)
    lists = [len(arg.items) for arg in holder.call.args[1 : at + 1] if isinstance(arg, SequenceArg)]
    return not at or not sum(lists[:-1]) <= node.position < sum(lists)


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
    """By arena: the most bytes that are alive at once, and the first execution step at which they are."""
    return {arena.number: (arena.peak, arena.peak_at) for arena in memory_of(method).arenas}


def memory_of(method: Method) -> MethodMemory:
    """The bytes alive at each execution step of a method, and the arenas if there is a memory plan."""
    steps = ExecutionSteps(method.graph)
    values, count = _planned_at(steps), len(steps)
    if not values:
        return _by_shapes(method, steps)
    sizes = {arena.id: arena.bytes for arena in method.detail.arenas}
    by_arena: dict[int, list[tuple[int, Planned]]] = {}
    for at, value in values:
        by_arena.setdefault(value.arena, []).append((at, value))
    live = {number: _live([value for _, value in found], count) for number, found in sorted(by_arena.items())}
    arenas = [_arena(number, by_arena[number], sizes.get(number, 0), live[number]) for number in live]
    total = tuple(map(sum, zip(*live.values(), strict=True)))
    return MethodMemory(total, 0, tuple(arenas), steps=_numbers(steps))


def _numbers(steps: ExecutionSteps) -> tuple[int, ...]:
    """By step: the number of its node; empty if a step is a position in the method's graph."""
    if len(steps.runs) == 1:
        return ()
    return tuple(map(Numbering(steps.runs[0].graph.snapshot).number, steps.nodes))


def _arena(
    number: int, placed: Sequence[tuple[int, Planned]], size: int, live: Sequence[int]
) -> PlannedArena:
    peak, values = max(live), [value for _, value in placed]
    return PlannedArena(
        number=number,
        size=max(size, *(one.offset + one.bytes for one in values)),
        peak=peak,
        peak_at=live.index(peak),
        nodes=tuple(at for at, _ in placed),
        texts=tuple(one.value for one in values),
        offsets=tuple(one.offset for one in values),
        bytes=tuple(one.bytes for one in values),
        first=tuple(one.first for one in values),
        last=tuple(one.last for one in values),
    )


def _live(values: Iterable[Planned], count: int) -> tuple[int, ...]:
    """The bytes of an arena that are alive at each position; those of several values at once count once."""
    begins: dict[int, list[Planned]] = {}
    ends: dict[int, list[Planned]] = {}
    for one in values:
        if one.bytes and one.first < count and one.last >= 0:
            begins.setdefault(max(0, one.first), []).append(one)
            ends.setdefault(one.last, []).append(one)
    blocks = _Blocks()
    found = []
    for position in range(count):
        for one in begins.get(position, ()):
            blocks.add(one)
        found.append(blocks.bytes)
        for one in ends.get(position, ()):
            blocks.remove(one)
    return tuple(found)


class _Blocks:
    """The parts of an arena that are in use, in order, each with the values in it: parts do not overlap."""

    def __init__(self) -> None:
        self.bytes = 0
        self._starts: list[int] = []
        self._stops: list[int] = []
        self._values: list[list[Planned]] = []

    def add(self, value: Planned) -> None:
        start, stop = value.offset, value.offset + value.bytes
        first, end = bisect_right(self._stops, start), bisect_left(self._starts, stop)
        joined = [value, *(one for several in self._values[first:end] for one in several)]
        start, stop = min([start, *self._starts[first:end]]), max([stop, *self._stops[first:end]])
        self._replace(first, end, [(start, stop, joined)])

    def remove(self, value: Planned) -> None:
        at = bisect_right(self._starts, value.offset) - 1
        left = [one for one in self._values[at] if one is not value]
        parts: list[tuple[int, int, list[Planned]]] = []
        for one in sorted(left, key=lambda one: one.offset):
            start, stop = one.offset, one.offset + one.bytes
            if parts and start < parts[-1][1]:
                before, end, several = parts.pop()
                parts.append((before, max(end, stop), [*several, one]))
            else:
                parts.append((start, stop, [one]))
        self._replace(at, at + 1, parts)

    def _replace(self, first: int, end: int, parts: Sequence[tuple[int, int, list[Planned]]]) -> None:
        self.bytes += sum(stop - start for start, stop, _ in parts)
        self.bytes -= sum(self._stops[first:end]) - sum(self._starts[first:end])
        self._starts[first:end] = [start for start, _, _ in parts]
        self._stops[first:end] = [stop for _, stop, _ in parts]
        self._values[first:end] = [several for _, _, several in parts]


def _alive(spans: Iterable[tuple[int, int, int]], count: int) -> tuple[int, ...]:
    """The bytes alive at each of `count` positions, from spans of first position, last position and bytes."""
    changes = [0] * (count + 1)
    for first, last, size in spans:
        changes[max(0, min(first, count))] += size
        changes[max(0, min(last + 1, count))] -= size
    return tuple(accumulate(changes[:count]))


def _by_shapes(method: Method, steps: ExecutionSteps) -> MethodMemory:
    """The bytes alive at each step for the sizes of the example inputs.

    A value is alive from the op that makes it to its last user, or that of a value in the same memory. What a
    branch or a loop returns takes memory once it has run: within, the values of its body are alive.
    """
    sizes = Sizes.hinted(method)
    live, unknown = [], 0
    spans: dict[int, tuple[list[tuple[int, int, int]], int]] = {}
    for run in steps.runs:
        number = run.graph.number
        if number not in spans:
            spans[number] = _spans(run.graph, sizes)
            unknown += spans[number][1]
        for first, last, size in spans[number][0]:
            live.append((run.begin(first), run.begin(first), size))
            live.append((run.end(first) + 1, run.end(last), size))
    return MethodMemory(_alive(live, len(steps)), unknown, sizes=sizes.used(), steps=_numbers(steps))


def _spans(graph: Graph, sizes: Sizes) -> tuple[list[tuple[int, int, int]], int]:
    """First position, last position and bytes of each value of a graph; how many have an unknown size."""
    columns, index = graph.columns, index_of(graph)
    values = graph.snapshot.values
    may_share = [may_share_memory(target) for target in graph.snapshot.targets]
    owners = list(range(len(graph)))
    last = list(range(len(graph)))
    items: dict[int, int] = {}
    of_tuple: dict[int, list[int]] = {}
    for position, (op, target) in enumerate(zip(columns.ops, columns.targets, strict=True)):
        inputs = index.inputs(position)
        if op in COMPUTES and inputs and may_share[target]:
            source = source_of_memory(graph[position], sizes)
            if source is not None:
                owners[position] = owners[source.position]
                last[owners[position]] = position
            elif op_name(graph.snapshot.targets[target]) == ITEM:
                number = item_number(graph[position])
                if number is None:  # of a value that is not known item by item
                    owners[position] = owners[inputs[0]]
                else:
                    items[position] = number
                    of_tuple.setdefault(inputs[0], []).append(position)
        for at in inputs:
            last[owners[at]] = position
    spans, unknown = [], 0
    for at, op in enumerate(columns.ops):
        if op not in COMPUTES or owners[at] != at or at in items:
            continue
        value = _at(values, columns.values[at])
        size = sizes.bytes(value)
        unknown += size is None and _has_tensor(value)
        parts = value.items if isinstance(value, SequenceValue) else (value,)
        ends = [last[at]] * len(parts)  # a tuple holds its items; an item may be used for longer
        for item in of_tuple.get(at, ()):
            ends[items[item]] = max(ends[items[item]], last[item])
        spans += [(at, end, sizes.bytes(part) or 0) for part, end in zip(parts, ends, strict=True)]
    return spans, unknown


def _at(values: Sequence[Value], number: int) -> Value | None:
    return None if number == NONE else values[number]


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
