"""What each module call holds: nodes, calls, parameters and bytes, its own and with all calls within.

Parameters belong to a module by name: `layers.3.fc.weight` is the module `layers.3.fc`'s own, and counts in
the total of every module around it. Memory that two parameters share counts once in each total. A module that
is called twice shows its parameters at both calls, and its parent counts them once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from .columns import NONE
from .graph import Graph
from .index import COMPUTES, delegate_around, index_of
from .payload import named_data
from .program import InputKind, StateEntry, StateKind
from .records import Dim, Scope, TensorValue
from .snapshot import Method, Snapshot

_COUNTING = re.compile(r"(?<![^.])\d+(?![^.])")
_KINDS = {
    InputKind.PARAMETER: StateKind.PARAMETER,
    InputKind.BUFFER: StateKind.BUFFER,
    InputKind.CONSTANT_TENSOR: StateKind.CONSTANT,
    InputKind.CUSTOM_OBJ: StateKind.CUSTOM_OBJ,
}
# Where a tensor lies: storage, offset, bytes. Two parameters at one place are one (tied weights).
Place = tuple[int, Dim, int | None]


@dataclass(slots=True)
class Count:
    """Calls, parameters (elements) and bytes of state, buffers and constants included in the bytes."""

    nodes: int = 0
    ops: int = 0
    parameters: int = 0
    bytes: int = 0


@dataclass(slots=True)
class ScopeCount:
    """One module call of a graph; `children` in the order in which they first run, `first` the first node."""

    number: int
    scope: Scope
    depth: int
    first: int
    own: Count = field(default_factory=Count)
    total: Count = field(default_factory=Count)
    children: list[int] = field(default_factory=list)


def scope_tree(graph: Graph, state: Iterable[StateEntry] = ()) -> dict[int, ScopeCount]:
    """The module calls of a graph by number, parents before children; pass the method's state to count it.

    A delegate has its own weights: for a graph inside a delegate, only the weights that it reads are counted.
    """
    snapshot = graph.snapshot
    counts: dict[int, ScopeCount] = {}
    for position, (number, op) in enumerate(zip(graph.columns.scopes, graph.columns.ops, strict=True)):
        if number == NONE:
            continue
        own = _entry(counts, snapshot, number, position).own
        own.nodes += 1
        own.ops += op in COMPUTES
    ordered = {number: counts[number] for number in sorted(counts)}
    for entry in reversed(ordered.values()):
        entry.total.nodes += entry.own.nodes
        entry.total.ops += entry.own.ops
        if entry.scope.parent != NONE:
            parent = ordered[entry.scope.parent]
            parent.total.nodes += entry.total.nodes
            parent.total.ops += entry.total.ops
    _add_state(ordered, snapshot, state if delegate_around(graph) is None else _read(graph))
    return ordered


def _read(graph: Graph) -> Iterator[StateEntry]:
    """The state that a graph reads, by its own inputs."""
    index = index_of(graph)
    for at, name in index.states.items():
        kind, value = _KINDS[InputKind(index.roles[at])], graph.columns.values[at]
        if value != NONE:
            yield StateEntry(name, kind, value, bytes=index.bytes[at])


def state_count(snapshot: Snapshot, state: Iterable[StateEntry]) -> Count:
    """Parameters and bytes of some state, shared storage counted once."""
    count = Count()
    for entry in distinct(snapshot, state, set()):
        _add(count, snapshot, entry)
    return count


def own_state(method: Method) -> Iterator[StateEntry]:
    """The tensors that a method keeps, without the data that its delegates keep."""
    named = {name for graph in method.graphs() for name in named_data(graph.payload)}
    for entry in method.state:
        is_of_delegate = entry.cls == "NamedData" and entry.name in named
        if entry.kind is not StateKind.CUSTOM_OBJ and not is_of_delegate:
            yield entry


def method_count(method: Method) -> Count:
    """A whole method: nodes and calls of all its graphs, its own state once."""
    count = state_count(method.snapshot, own_state(method))
    for graph in method.graphs():
        count.nodes += len(graph)
        count.ops += index_of(graph).computes
    return count


def module_path(path: str) -> str:
    """A scope's path as parameters are named: strict export writes `L['self'].layers[0]`-like paths."""
    return path.removeprefix("L['self']").removeprefix(".")


def starred(path: str) -> str:
    """A path with `*` for each number that counts modules: equal ones have one."""
    return _COUNTING.sub("*", path)


def _entry(counts: dict[int, ScopeCount], snapshot: Snapshot, number: int, position: int) -> ScopeCount:
    chain = []
    while number != NONE and number not in counts:
        chain.append(number)
        number = snapshot.scopes[number].parent
    for one in reversed(chain):
        scope = snapshot.scopes[one]
        parent = counts.get(scope.parent)
        if parent is not None:
            parent.children.append(one)
        counts[one] = ScopeCount(one, scope, 0 if parent is None else parent.depth + 1, position)
        number = one
    return counts[chain[0] if chain else number]


def _add_state(counts: dict[int, ScopeCount], snapshot: Snapshot, state: Iterable[StateEntry]) -> None:
    """Deal each entry to the modules whose path its name begins with."""
    by_path: dict[str, list[ScopeCount]] = {}
    for module in counts.values():
        by_path.setdefault(module_path(module.scope.path), []).append(module)
    seen: dict[str, set[Place]] = {path: set() for path in by_path}
    for entry in state:
        owners = [path for path in _prefixes(entry.name) if path in by_path]
        for depth, path in enumerate(owners):
            if next(distinct(snapshot, [entry], seen[path]), None) is None:
                continue
            for module in by_path[path]:
                _add(module.total, snapshot, entry)
                if depth == 0:
                    _add(module.own, snapshot, entry)


def _prefixes(name: str) -> Iterator[str]:
    """The modules around a piece of state, innermost first, down to the root's empty path."""
    while name:
        name = name.rpartition(".")[0]
        yield name


def distinct(snapshot: Snapshot, state: Iterable[StateEntry], seen: set[Place]) -> Iterator[StateEntry]:
    """The entries whose memory is not among the `seen`, each once; adds theirs to it."""
    for entry in state:
        if entry.storage is None:
            yield entry
            continue
        value = snapshot.values[entry.value]
        place = (entry.storage, value.offset if isinstance(value, TensorValue) else 0, entry.bytes)
        if place not in seen:
            seen.add(place)
            yield entry


def _add(count: Count, snapshot: Snapshot, entry: StateEntry) -> None:
    count.bytes += entry.bytes or 0
    if entry.kind is StateKind.PARAMETER:
        count.parameters += _elements(snapshot, entry)


def _elements(snapshot: Snapshot, entry: StateEntry) -> int:
    value = snapshot.values[entry.value]
    if not isinstance(value, TensorValue):
        return 0
    size = 1
    for dim in value.shape:
        size *= dim if isinstance(dim, int) else 0
    return size
