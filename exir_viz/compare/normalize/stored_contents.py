"""What the nodes of one program store: weights, buffers, constants and delegates, and their bytes.

Bytes are compared by a checksum from the Snapshot, or from the live program if the Snapshot has none.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple, Protocol, TypeAlias

from exir_viz.snapshot import Method, Snapshot
from exir_viz.snapshot.columns import OPS
from exir_viz.snapshot.graph import Graph
from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.program import MUTATIONS, UNSUMMED, Delegate, StateEntry
from exir_viz.snapshot.records import TensorValue

from .methods import methods
from .module_attribution import STATE
from .side import Side, bases

_ATTRIBUTE = OPS.index("get_attr")


class LiveState(Protocol):
    """The state of live programs: equal addresses are the same memory."""

    def place(self, method: str, name: str) -> Hashable | None: ...
    def checksum(self, method: str, name: str) -> int | None: ...


class Stored(NamedTuple):
    """The content of a node: a piece of state of a method (its record, if any), or a delegate."""

    method: str
    name: str
    entry: StateEntry | None = None
    delegate: Delegate | None = None
    packed: bool = False


class StoredContents:
    """One side: its nodes by their contents."""

    def __init__(self, side: Side, live: LiveState | None) -> None:
        self.snapshot = side.snapshot
        self.live = live
        self.stored: dict[int, Stored] = {}
        for method in self.snapshot.methods.values():
            entries = {entry.name: entry for entry in method.state}
            for graph in method.graphs():
                self._fill(graph, side, method.name, entries)

    def _fill(self, graph: Graph, side: Side, method: str, entries: Mapping[str, StateEntry]) -> None:
        base, index = side.bases[graph.number], index_of(graph)
        packed = graph.parent is not None
        for position, name in index.states.items():
            if index.roles[position] in STATE:
                entry = None if packed else entries.get(name)
                self.stored[base + position] = Stored(method, name, entry, packed=packed)
        holders = {ref.node for ref in graph.columns.subgraphs}
        for position, op in enumerate(graph.columns.ops):
            if op == _ATTRIBUTE and position not in holders:
                self.stored[base + position] = Stored(method, graph[position].target.text)
        for ref in graph.columns.subgraphs:
            delegate = self.snapshot.graphs[ref.graph].delegate
            if delegate is not None:
                for number in _callers(side, base + ref.node):
                    self.stored[number] = Stored(method, delegate.backend, delegate=delegate)

    def value(self, one: Stored) -> TensorValue | None:
        value = None if one.entry is None else self.snapshot.values[one.entry.value]
        return value if isinstance(value, TensorValue) else None

    @cached_property
    def tied(self) -> dict[int, list[int]]:
        """By node: all inputs with the same memory, if there are several, itself included."""
        places: dict[Hashable, list[int]] = {}
        for number, one in self.stored.items():
            value, entry = self.value(one), one.entry
            if value is not None and entry is not None and entry.storage is not None:
                lies = (value.dtype, value.shape, value.stride, value.offset)
                places.setdefault((one.method, entry.storage, lies), []).append(number)
        return {number: group for group in places.values() if len(group) > 1 for number in group}

    def place(self, one: Stored) -> Hashable | None:
        return None if self.live is None else self.live.place(one.method, one.name)

    def checksum(self, one: Stored) -> int | None:
        """From the Snapshot, or, if it was too large for that, from the live program."""
        known = one.entry or one.delegate
        if known is None or known.crc32 is not None or one.entry is None:
            return None if known is None else known.crc32
        return None if self.live is None else self.live.checksum(one.method, one.name)

    def count(self, what: str) -> int:
        """How many delegates, or pieces of state outside them, its nodes have."""
        is_delegate = what == "delegate"
        found = [
            one
            for one in self.stored.values()
            if not one.packed and (one.delegate is not None) == is_delegate
        ]
        return len(found) if is_delegate else len({(one.method, one.name) for one in found})

    @property
    def is_cut(self) -> bool:
        """Whether it was too large to read."""
        return any(notice.code == UNSUMMED for notice in self.snapshot.notices)


EqualState: TypeAlias = Mapping[int, Hashable]


def equal_state(
    a: Snapshot, b: Snapshot, live: tuple[LiveState | None, LiveState | None]
) -> tuple[EqualState, EqualState]:
    """By node of either side: the key of its bytes, for constants that both sides have, if one is a `.pte`.

    A `.pte` stores equal constants once, so it does not say which of them a view or a delegate reads.
    """
    found: tuple[dict[int, Hashable], dict[int, Hashable]] = ({}, {})
    for ours, theirs in methods(a, b) if a.is_pte or b.is_pte else ():
        keys = _checksums(ours, live[0]), _checksums(theirs, live[1])
        shared = {*keys[0].values()} & {*keys[1].values()}
        for numbers, known in zip(found, keys, strict=True):
            numbers.update((number, (ours.name, key)) for number, key in known.items() if key in shared)
    return found


def _checksums(method: Method, live: LiveState | None) -> dict[int, Hashable]:
    """By node of state that is only read: its type and checksum."""
    found: dict[int, Hashable] = {}
    base = bases(method.snapshot)[method.graph.number]
    outputs = () if method.graph.signature is None else method.graph.signature.outputs
    written = {spec.target for spec in outputs if spec.kind in MUTATIONS}
    entries = {entry.name: entry for entry in method.state if entry.name not in written}
    for position, name in index_of(method.graph).states.items():
        entry = entries.get(name)
        value = None if entry is None else method.snapshot.values[entry.value]
        if entry is None or not isinstance(value, TensorValue):
            continue
        crc32 = entry.crc32
        if crc32 is None and live is not None:
            crc32 = live.checksum(method.name, name)
        if crc32 is not None:
            found[base + position] = (value.dtype, value.shape, value.stride, crc32)
    return found


def _callers(side: Side, holder: int) -> Iterator[int]:
    """The calls of the graph that a node contains: itself, or its users."""
    if side.calls[holder]:
        yield holder
    elif holder in side.parts:
        yield side.parts[holder]
    else:
        yield from side.users[holder]
