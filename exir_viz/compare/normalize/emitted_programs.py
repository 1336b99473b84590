"""Nodes that are part of a call, because the other side is emitted and cannot have them.

A lowered program has nodes for `out` memory (`memory.alloc`), a graph for a delegate, and a tuple around the
single result of a delegate. A `.pte` file has instructions, a delegate's bytes, and that result. Compared
with it, such a node belongs to the call that writes to it, or that runs the delegate; users of the memory or
the item become users of the call.

A `.pte` lists the arguments of a delegate's call and does not mark its results. If the payload is not read, a
result with the memory of an unused input looks like a view of that input, which the call reads. Then no
result of the call is compared: on both sides those who read one of them read the call (`unclear_results`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from exir_viz.snapshot import Method, Node, Snapshot
from exir_viz.snapshot.graph import Graph
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.opkind import ITEM, MEMORY, op_name
from exir_viz.snapshot.program import InputKind
from exir_viz.snapshot.records import (
    Dim,
    Literal,
    LiteralType,
    MemorySpec,
    SequenceValue,
    SymValue,
    TensorValue,
    Value,
)

from .delegates import runs
from .methods import methods
from .schemas import DELEGATE, VIEW, outs, parameters

if TYPE_CHECKING:
    from .side import Side

_STATIC = "static"


def inputs_without_value(snapshot: Snapshot) -> list[int]:
    """The inputs whose value a file lacks: ExecuTorch writes None for a text, for example."""
    found, base = [], 0
    for graph in snapshot.graphs:
        specs = () if graph.signature is None else graph.signature.inputs
        passed = {spec.arg.name for spec in specs if spec.kind is InputKind.USER_INPUT}
        found += [
            base + position
            for position, name in enumerate(graph.columns.names)
            if name in passed and is_none(graph[position].value)
        ]
        base += len(graph)
    return found


def is_none(value: Value | None) -> bool:
    """Whether it is the constant None."""
    return isinstance(value, Literal) and value.type is LiteralType.NONE


def parts_of_calls(side: Side) -> dict[int, int]:
    """Remove such nodes from inputs; each with its call."""
    return {**_memory(side), **_delegated(side), **_only_results(side)}


def with_bounds(value: Value | None, specs: Sequence[MemorySpec]) -> Value | None:
    """A value as in a file: each size is the largest planned one, each symbolic number unknown."""
    if isinstance(value, SymValue):
        return replace(value, expr="", hint=None)
    if isinstance(value, SequenceValue) and len(value.items) == len(specs):
        items = zip(value.items, specs, strict=True)
        return replace(value, items=tuple(_bounded(item, spec) for item, spec in items))
    if isinstance(value, TensorValue) and len(specs) == 1:
        return _bounded(value, specs[0])
    return value


def _bounded(value: Value, spec: MemorySpec) -> Value:
    if not isinstance(value, TensorValue) or spec.dynamism == _STATIC:
        return value
    return replace(value, shape=spec.shape, stride=None, dim_order=spec.dim_order)


def varies(specs: Sequence[MemorySpec]) -> bool:
    """Whether it is planned with a dynamic size."""
    return any(spec.dynamism != _STATIC for spec in specs)


def is_planned(specs: Sequence[MemorySpec]) -> bool:
    """Whether all of it has a place in the memory plan, or is constant."""
    return all(spec.const or (spec.mem_id is not None and spec.offset is not None) for spec in specs)


def as_bounds(a: Value | None, b: Value | None) -> tuple[Value | None, Value | None]:
    """The two values if one is emitted: it has the largest size where the other has a symbol."""
    if isinstance(a, TensorValue) and isinstance(b, TensorValue) and len(a.shape) == len(b.shape):
        if a.shape != b.shape and all(_can_be(*pair) for pair in zip(a.shape, b.shape, strict=True)):
            return a, replace(b, shape=a.shape, stride=a.stride, dim_order=a.dim_order)
    elif isinstance(a, SequenceValue) and isinstance(b, SequenceValue) and len(a.items) == len(b.items):
        pairs = [as_bounds(*pair) for pair in zip(a.items, b.items, strict=True)]
        return replace(a, items=tuple(x for x, _ in pairs)), replace(b, items=tuple(y for _, y in pairs))
    elif isinstance(a, SymValue) and isinstance(b, SymValue):
        return a, a
    return a, b


def _can_be(one: Dim, other: Dim) -> bool:
    return one == other or isinstance(one, str) or isinstance(other, str)


def count_parts(method: Method, side: Side) -> tuple[int, int]:
    """How many of them a method has, and how many of these are calls."""
    graphs = {graph.number for graph in method.graphs()}
    nodes = [side.node(number) for number in side.parts]
    here = [node for node in nodes if node.graph.number in graphs]
    return len(here), sum(node.op in ("call_function", "instruction") for node in here)


def _memory(side: Side) -> dict[int, int]:
    found: dict[int, int] = {}
    for number in range(side.size):
        node = side.node(number)
        known = parameters(node.target) if side.calls[number] else None
        places = set(outs(node.call, known)) if known else set()
        buffers = [one for at, one in enumerate(side.inputs[number]) if at in places and _is_alloc(side, one)]
        for one in buffers:
            found.setdefault(one, number)
        kept = (one for at, one in enumerate(side.inputs[number]) if at not in places or one not in buffers)
        side.inputs[number] = [found.get(one, one) for one in kept]
    return found


def _is_alloc(side: Side, number: int) -> bool:
    return side.node(number).target.text == MEMORY


def _delegated(side: Side) -> dict[int, int]:
    """Delegates, and the attributes that name them."""
    found: dict[int, int] = {}
    for graph in side.snapshot.graphs:
        for ref in graph.columns.subgraphs:
            inner = side.snapshot.graphs[ref.graph]
            holder = side.bases[graph.number] + ref.node
            if inner.delegate is None or side.calls[holder]:
                continue
            for user in side.node(holder).users:
                call = side.bases[graph.number] + user.position
                side.inputs[call] = [one for one in side.inputs[call] if one != holder]
                found.update(dict.fromkeys((holder, *_within(side, inner)), call))
    return found


def _only_results(side: Side) -> dict[int, int]:
    """The only item of each delegate's call, which then represents its value."""
    found: dict[int, int] = {}
    for run in runs(side.snapshot):
        items = [user for user in run.call.users if user.target.name == ITEM]
        value = run.call.value
        if len(items) == 1 and isinstance(value, SequenceValue) and len(value.items) == 1:
            item, call = (side.bases[node.graph.number] + node.position for node in (items[0], run.call))
            found[item] = call
            side.values[call] = side.values[item]
            side.items[call] = item
            for user in items[0].users:
                reader = side.bases[user.graph.number] + user.position
                side.inputs[reader] = [call if one == item else one for one in side.inputs[reader]]
    return found


def _within(side: Side, graph: Graph) -> list[int]:
    start = side.bases[graph.number]
    inner = [one for ref in graph.columns.subgraphs for one in _within(side, side.snapshot.graphs[ref.graph])]
    return [*range(start, start + len(graph)), *inner]


# By number: a node that is, or looks like, a result of such a call, and the call; the call itself has itself.
Unclear = Mapping[int, int]


class UnclearCall(NamedTuple):
    """A call of a file, and of the program that it was perhaps made from."""

    file: Node
    program: Node

    def results(self) -> tuple[tuple[Node, ...], tuple[Node, ...]]:
        """What each side has of the results: items of tuples, and views that the file's call reads."""
        more = _count(self.program) - _count(self.file)
        read = [one for one in self.file.args[-more:] if isinstance(one, Node)]
        views = tuple(one for one in read if op_name(one.target) == VIEW)
        return (*views, *_items(self.file)), _items(self.program)


def unclear_calls(file: Method, program: Method) -> Iterator[UnclearCall]:
    """Calls that have fewer results in the file than in the program."""
    ours, theirs = _calls(file), _calls(program)
    if len(ours) == len(theirs):
        pairs = zip(ours, theirs, strict=True)
        yield from (UnclearCall(*pair) for pair in pairs if _count(pair[0]) < _count(pair[1]))


def unclear_results(a: Snapshot, b: Snapshot) -> tuple[Unclear, Unclear]:
    """The results of such calls on each side, if exactly one is a file."""
    found: tuple[dict[int, int], dict[int, int]] = ({}, {})
    if a.is_pte == b.is_pte:
        return found
    numbers = Numbering(a).number, Numbering(b).number
    for ours, theirs in methods(a, b):
        file, program = (ours, theirs) if a.is_pte else (theirs, ours)
        for one in unclear_calls(file, program):
            sides = [(call, results) for call, results in zip(one, one.results(), strict=True)]
            if not a.is_pte:
                sides.reverse()
            for which, (call, results) in enumerate(sides):
                number = numbers[which]
                found[which].update({number(node): number(call) for node in (call, *results)})
    return found


def _calls(method: Method) -> list[Node]:
    return [node for node in method.graph if node.target.name == DELEGATE]


def _items(call: Node) -> tuple[Node, ...]:
    return tuple(user for user in call.users if user.target.name == ITEM)


def _count(call: Node) -> int:
    return len(call.value.items) if isinstance(call.value, SequenceValue) else 1
