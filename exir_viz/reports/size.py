"""Size: which parts of a program take how many bytes. Each byte counts once, in one part.

The tensors and payloads are in the Snapshot. The size of a whole file is known where a file is passed: what
it has in addition is the program itself.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Final

from exir_viz.snapshot.describe import item_bytes
from exir_viz.snapshot.format import byte_text, plural
from exir_viz.snapshot.payload import named_data
from exir_viz.snapshot.program import UNSUMMED, StateEntry, StateKind
from exir_viz.snapshot.records import TensorValue
from exir_viz.snapshot.rollup import own_state, starred
from exir_viz.snapshot.snapshot import Snapshot

from .report import Column, Fact, Report, Row, Section, Unit

_KINDS: Final = {
    StateKind.PARAMETER: "Parameters",
    StateKind.BUFFER: "Buffers",
    StateKind.CONSTANT: "Constants",
}
_BYTES: Final = (Column("bytes", Unit.BYTES), Column("share", Unit.SHARE), Column("count", Unit.COUNT))
_OUTSIDE: Final = "Data of delegates outside their payloads"
_NO_FILE: Final = (
    "The program itself (its graph, names and padding): only a file has a size. "
    "Pass the path of a .pt2 or .pte file."
)


@dataclass(frozen=True, slots=True)
class StoredBytes:
    """Bytes of a tensor or payload, without those that a part before it has too."""

    kind: str
    name: str
    bytes: int
    value: TensorValue | None = None
    module: str = ""
    crc32: int | None = None
    storage: int | None = None
    nodes: tuple[str, ...] = ()


def size(snapshot: Snapshot, *, file: Path | None = None) -> Report:
    """List what fills the file: tensors by module and dtype, delegates, the program itself."""
    counted = list(parts(snapshot))
    tensors = [part for part in counted if part.value is not None]
    data = sum(part.bytes for part in counted)
    rest, why = _program_bytes(snapshot, file, data)
    total = data + (rest or 0)
    if rest is not None:
        counted.append(StoredBytes("Program and padding", "program", rest))
    sections = (
        _grouped("What it is", counted, total, lambda part: part.kind),
        _grouped("Tensors by module", tensors, total, lambda part: part.module),
        _grouped("Tensors by dtype", tensors, total, lambda part: part.value.dtype if part.value else ""),
        _shared(tensors),
        _equal(tensors),
    )
    return Report(
        f"{byte_text(total)}, {byte_text(data)} of it tensors and delegates",
        facts=(Fact("bytes", f"{total:,}"),),
        sections=tuple(section for section in sections if section.rows),
        unexamined=(*_unknown(snapshot), *why),
    )


def _program_bytes(snapshot: Snapshot, file: Path | None, data: int) -> tuple[int | None, tuple[str, ...]]:
    """The bytes of a file that are neither tensors nor delegates; else why they are unknown."""
    if file is None or snapshot.origin.type not in ("pt2", "pte"):
        return None, (_NO_FILE,)
    external = tuple(notice.text for notice in snapshot.notices if notice.code == "pte-external")
    if external:
        return None, (*external, "The program itself: part of the data is in another file.")
    rest = file.stat().st_size - data
    return (rest, ()) if rest >= 0 else (None, ("The program itself: the file is compressed.",))


def parts(snapshot: Snapshot) -> Iterator[StoredBytes]:
    """The tensors of all methods, what delegates store beside their payloads, and the payloads."""
    yield from _tensors(snapshot)
    named: dict[str, int] = {}
    payloads: set[tuple[str, int, int]] = set()
    for graph in snapshot.graphs:
        delegate, holder = graph.delegate, graph.holder
        if delegate is None or delegate.bytes is None:
            continue
        named |= named_data(graph.payload)
        if snapshot.is_pte and delegate.crc32 is not None:  # ExecuTorch writes equal payloads once
            key = delegate.backend, delegate.bytes, delegate.crc32
            if key in payloads:
                continue
            payloads.add(key)
        nodes = () if holder is None else (holder.id,)
        yield StoredBytes(f"Payloads of {delegate.backend}", graph.path, delegate.bytes, nodes=nodes)
    if not snapshot.is_pte:  # a .pte lists this data in the state of its methods
        yield from (StoredBytes(_OUTSIDE, name, count) for name, count in named.items())


def _tensors(snapshot: Snapshot) -> Iterator[StoredBytes]:
    covered: dict[object, list[tuple[int, int]]] = defaultdict(list)
    for method in snapshot.methods.values():
        nodes = {spec.target: f"{method.name}/{spec.arg.name}" for spec in method.signature.inputs}
        own = {entry.name for entry in own_state(method)}
        for entry in method.state:
            if entry.kind is StateKind.CUSTOM_OBJ or not _is_stored(snapshot, entry):
                continue
            count = _new_bytes(snapshot, entry, covered)
            value = snapshot.values[entry.value]
            if entry.name not in own or not isinstance(value, TensorValue):
                yield StoredBytes(_OUTSIDE, entry.name, count)
                continue
            module = _module(snapshot, entry.name)
            node = (nodes[entry.name],) if entry.name in nodes else ()
            kind = _KINDS[entry.kind]
            yield StoredBytes(kind, entry.name, count, value, module, entry.crc32, entry.storage, node)


def _is_stored(snapshot: Snapshot, entry: StateEntry) -> bool:
    """A `.pte` has no bytes of a buffer that begins empty."""
    has_data = entry.data is not None or entry.crc32 is not None
    return not snapshot.is_pte or entry.kind is not StateKind.BUFFER or has_data


def _new_bytes(snapshot: Snapshot, entry: StateEntry, covered: dict[object, list[tuple[int, int]]]) -> int:
    """The bytes of a tensor that no tensor before it has; of an expanded one those in memory."""
    value, count = snapshot.values[entry.value], entry.bytes or 0
    start, end = 0, count
    if isinstance(value, TensorValue) and value.stride is not None and count:
        item, reach = item_bytes(value.dtype) or 1, 1
        for dim, stride in zip(value.shape, value.stride, strict=True):
            reach += (dim - 1) * stride if isinstance(dim, int) and isinstance(stride, int) else 0
        start = item * value.offset if isinstance(value.offset, int) else 0
        end = start + item * reach
    memory: object = entry.storage
    if memory is None and snapshot.is_pte:  # buffers that begin with the same data: it is there once
        memory = ("data", entry.crc32, entry.data)
    if memory is None:
        return count
    if end <= start:
        return 0
    parts = covered[memory]  # in order, and apart
    begin = bisect_left(parts, start, key=itemgetter(1))
    stop = bisect_right(parts, end, key=itemgetter(0))
    touched = parts[begin:stop]
    taken = sum(min(last, end) - max(first, start) for first, last in touched)
    ends = [(start, end), *touched]
    parts[begin:stop] = [(min(first for first, _ in ends), max(last for _, last in ends))]
    return min(end - start - taken, count)


def _module(snapshot: Snapshot, name: str) -> str:
    """The module of a tensor, equal ones as one: "layers.*.mlp"."""
    if snapshot.is_pte and "." not in name:
        return "(the file names no module)"
    return starred(name.rpartition(".")[0]) or "(the model itself)"


def _unknown(snapshot: Snapshot) -> Iterator[str]:
    sizes = [graph.delegate.bytes for graph in snapshot.graphs if graph.delegate is not None]
    if None in sizes:
        yield f"{plural(sizes.count(None), 'delegate')}: the size of the payload is unknown."
    yield from (notice.text for notice in snapshot.notices if notice.code == UNSUMMED)


def _grouped(
    title: str, parts: Iterable[StoredBytes], total: int, key: Callable[[StoredBytes], str]
) -> Section:
    groups: dict[str, list[StoredBytes]] = defaultdict(list)
    for part in parts:
        groups[key(part)].append(part)
    rows = []
    for name, members in groups.items():
        count = sum(part.bytes for part in members)
        nodes = tuple(node for part in members for node in part.nodes)
        rows.append(Row(name, nodes=nodes, values=(count, count / total if total else None, len(members))))
    return Section(title, tuple(sorted(rows, key=_first_value, reverse=True)), _BYTES)


def _shared(tensors: Iterable[StoredBytes]) -> Section:
    """Tensors that lie in one memory; one name in several methods is no second name."""
    groups: dict[int, dict[str, StoredBytes]] = defaultdict(dict)
    for part in tensors:
        if part.storage is not None:
            groups[part.storage].setdefault(part.name, part)
    rows = (
        _named(members.values(), sum(part.bytes for part in members.values())) for members in groups.values()
    )
    largest = sorted((row for row in rows if row is not None), key=_first_value, reverse=True)
    return Section("Names of one memory", tuple(largest), (Column("bytes", Unit.BYTES),))


def _equal(tensors: Iterable[StoredBytes]) -> Section:
    """Tensors in memory of their own whose elements have the same checksum."""
    groups: dict[object, list[StoredBytes]] = defaultdict(list)
    for part in tensors:
        if part.crc32 is not None and part.value is not None and part.bytes:
            groups[part.crc32, part.value.dtype, part.value.shape].append(part)
    rows = (_named(members, sum(part.bytes for part in members[1:])) for members in groups.values())
    largest = sorted((row for row in rows if row is not None), key=_first_value, reverse=True)
    note = "One copy of each would do if their elements are the same, and none is written."
    return Section(
        "Tensors with equal checksums", tuple(largest), (Column("bytes of copies", Unit.BYTES),), note
    )


def _named(members: Collection[StoredBytes], count: int) -> Row | None:
    if len(members) < 2:
        return None
    first, *others = members
    more = f" and {len(others):,} more" if len(others) > 1 else f", {others[0].name}"
    nodes = tuple(node for part in members for node in part.nodes)
    return Row(f"{first.name}{more}", nodes=nodes, values=(count,))


def _first_value(row: Row) -> int:
    value = row.values[0]
    return value if isinstance(value, int) else 0
