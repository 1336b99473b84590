"""ETRecord → Snapshot: the programs that ExecuTorch keeps beside a `.pte`, and what each node became.

Read as data: the exported program, the edge programs and other recorded programs (JSON, each a method), and
the maps of debug handles and delegates (JSON): a node of an edge program says which instructions of the
`.pte` came of it, and in which backend. Not read, because they are pickles of tensors and need torch: the
data of state and constants, reference outputs, representative inputs. Not in an ETRecord at all: the
program after `to_executorch` and its memory plan; these are in the `.pte`. Nothing is executed, and torch
is not imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias, TypeVar

import msgspec

from exir_viz.errors import MalformedFile
from exir_viz.readers.archive.container import Container
from exir_viz.readers.archive.read import read as read_archive
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.build import Interner
from exir_viz.snapshot.columns import NONE, GraphDetail
from exir_viz.snapshot.graph import Graph
from exir_viz.snapshot.program import Notice
from exir_viz.snapshot.records import Extra

# A map has some ten bytes for an instruction, and a backend's numbers for each node it took.
MAX_MAP_BYTES = 32 << 20

HANDLES = "debug_handle_map"
DELEGATES = "delegate_map"

T = TypeVar("T")

# What the archive's reader says of members that are read here, or says too little of; "" drops the notice.
_NOTICES = {
    HANDLES: "",
    DELEGATES: "",
    "reference_outputs": "The ETRecord's reference outputs are pickled tensors, which are not read.",
    "representative_inputs": "The ETRecord's representative inputs are pickled tensors, which are not read.",
    "instruction_id_to_num_outs_map": "The number of outputs per instruction is not shown.",
    "export_graph_id": "The id of the exported graph is a memory address, and is not shown.",
}


class Delegated(msgspec.Struct):
    """One delegated instruction: its backend, and the backend's own numbering of the nodes it took."""

    name: str = ""
    delegate_map: dict[str, list[int]] | None = None


# Instruction → the debug handles of the nodes that it came of; instruction → its delegate.
Handles: TypeAlias = dict[int, int | list[int] | None]
Delegates: TypeAlias = dict[int, Delegated]
_handles = msgspec.json.Decoder(dict[str, Handles] | None)
_handles_alone = msgspec.json.Decoder(Handles)
_delegates = msgspec.json.Decoder(dict[str, Delegates] | None)
_delegates_alone = msgspec.json.Decoder(Delegates)


def read(path: str | Path) -> Snapshot:
    """Read an ETRecord; raises a FileError that names the file, the member and the reason."""
    path = Path(path)
    snapshot = read_archive(path)
    handles, delegates = read_maps(path)
    extras: Interner[tuple[Extra, ...]] = Interner()
    for known in snapshot.detail.extras:
        extras[known]  # keeps the numbers that the nodes already refer to
    details = list(snapshot.detail.graphs)
    for name, by_instruction in handles.items():
        method = snapshot.methods.get(name)
        if method is not None:
            found = _by_handle(by_instruction, delegates.get(name, {}))
            for graph in method.graphs():
                details[graph.number] = _joined(graph, found, extras)
    detail = msgspec.structs.replace(snapshot.detail, graphs=tuple(details), extras=tuple(extras))
    skeleton = msgspec.structs.replace(snapshot.skeleton, notices=tuple(_notices(snapshot.notices)))
    return Snapshot(skeleton, detail)


def read_maps(path: str | Path) -> tuple[dict[str, Handles], dict[str, Delegates]]:
    """By method: which nodes each instruction came of, and which instructions are delegates."""
    with Container.open(Path(path)) as container:
        handles = _read_map(container, HANDLES, _handles, _handles_alone)
        return handles, _read_map(container, DELEGATES, _delegates, _delegates_alone)


def _read_map(
    container: Container,
    member: str,
    by_method: msgspec.json.Decoder[dict[str, T] | None],
    alone: msgspec.json.Decoder[T],
) -> dict[str, T]:
    """A map by method. An older ETRecord has one map without a name, for its only method."""
    if member not in container:
        return {}
    data = container.read(member, MAX_MAP_BYTES)
    try:
        return by_method.decode(data) or {}
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        try:
            return {"forward": alone.decode(data)}
        except (msgspec.DecodeError, RecursionError, UnicodeError):
            reason = f"it is not a map of instructions: {error}"
            raise MalformedFile(container.file, reason, member=member) from error


def _by_handle(handles: Handles, delegates: Delegates) -> dict[int, tuple[Extra, ...]]:
    """Debug handle → the extras of the nodes that have it."""
    instructions: dict[int, list[int]] = {}
    backends: dict[int, dict[str, None]] = {}
    numbers: dict[int, list[str]] = {}
    for instruction, known in handles.items():
        for handle in [known] if isinstance(known, int) else known or ():
            instructions.setdefault(handle, []).append(instruction)
            if instruction in delegates:
                backends.setdefault(handle, {})[delegates[instruction].name] = None
    for delegate in delegates.values():
        for number, members in (delegate.delegate_map or {}).items():
            for handle in members:
                numbers.setdefault(handle, []).append(number)
    found: dict[int, tuple[Extra, ...]] = {}
    for handle, of in instructions.items():
        parts = [Extra("executorch.instructions", "list", str(sorted(set(of))))]
        if handle in backends:
            parts.append(Extra("executorch.backend", "str", ", ".join(backends[handle])))
        if handle in numbers:
            parts.append(Extra("executorch.delegate_numbers", "list", ", ".join(numbers[handle])))
        found[handle] = tuple(parts)
    return found


def _joined(
    graph: Graph, found: dict[int, tuple[Extra, ...]], extras: Interner[tuple[Extra, ...]]
) -> GraphDetail:
    """The graph's detail, with the extras of each handle added to its nodes."""
    column = list(graph.detail.extras)
    for position, handle in enumerate(graph.detail.handles):
        if handle != NONE and handle in found:
            column[position] = extras[(*graph[position].extras, *found[handle])]
    return msgspec.structs.replace(graph.detail, extras=tuple(column))


def _notices(notices: tuple[Notice, ...]) -> Iterator[Notice]:
    for notice in notices:
        text = _NOTICES.get(notice.code, notice.text)
        if text:
            yield msgspec.structs.replace(notice, text=text)
