"""The payload of a delegate → its graph: by exir_viz's own reader, or by an installed package's."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from msgspec.structs import replace

from exir_viz import backends
from exir_viz.errors import FileError, FileTooLarge
from exir_viz.readers.flatbuffer.corrupt import Corrupt
from exir_viz.snapshot.build import OP_NUMBER, GraphBuilder, SnapshotBuilder
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.payload import Payload, payload_problems

from . import xnnpack
from .source import PayloadSource

# Tensors and ops of all payloads of a program, about 300 bytes each. A model of 10,000 ops has 50,000.
MAX_PARTS = 2_000_000

_CALL = OP_NUMBER["call_function"]
_OWN_READERS: dict[str, Callable[[PayloadSource], Payload]] = {"XnnpackBackend": xnnpack.read}


def read_payload(backend: str, source: PayloadSource, file: str = "payload") -> Payload | None:
    """Read a payload with exir_viz's own reader; None if it has none for that backend.

    Raises a FileError that names the file, the member and the reason.
    """
    reader = _OWN_READERS.get(backend)
    if reader is None:
        return None
    try:
        return reader(source)
    except Corrupt as error:
        raise error.error(file) from None


class PayloadReader:
    """Reads the payloads of one program into its graphs. A payload that cannot be read is a notice."""

    def __init__(self, builder: SnapshotBuilder, max_parts: int = MAX_PARTS) -> None:
        self._builder = builder
        self._parts_left = max_parts
        self._read: dict[Hashable, Payload | None] = {}

    def read(self, graph: GraphBuilder, source: PayloadSource, key: Hashable) -> None:
        """Read the payload of a delegate's graph. Payloads of one key are the same bytes, and read once."""
        assert graph.delegate is not None
        where = _where(graph.name)
        payload = self._once(graph.delegate.backend, source, where, key)
        if payload is None:
            return
        try:
            self._parts_left -= len(payload.tensors) + len(payload.ops)
            if self._parts_left < 0:
                raise FileTooLarge(where, "the payloads of this program have too many tensors and ops")
            graph.payload = linked(payload, graph)
            problem = next(payload_problems(graph.payload, len(graph.names)), "")
        except FileError as error:
            problem = error.reason
        if problem:
            self._failed(f"{payload.reader} could not read {where}: {problem}.")
            graph.payload = Payload(payload.format, payload.reader, problem=problem)

    def ends(self, backend: str, graph: str, source: PayloadSource, key: Hashable) -> tuple[int, int] | None:
        """How many inputs and outputs a payload has; None if it does not say so."""
        payload = self._once(backend, source, _where(graph), key)
        if payload is None:
            return None
        roles = [tensor.role for tensor in payload.tensors]
        return (roles.count("input"), roles.count("output")) if "output" in roles else None

    def _once(self, backend: str, source: PayloadSource, where: str, key: Hashable) -> Payload | None:
        if key not in self._read:
            self._read[key] = self._payload(backend, source, where)
        return self._read[key]

    def _payload(self, backend: str, source: PayloadSource, where: str) -> Payload | None:
        for contribution in backends.contributions():
            if contribution.problem:
                self._builder.notice("backend", contribution.problem)
            if contribution.reads(backend):
                found = contribution.call("read_payload", Payload, source, failed=self._failed)
                if found is not None:
                    return replace(found, reader=contribution.package)
        try:
            return read_payload(backend, source, where)
        except FileError as error:
            located = f"{error.member}: {error.reason}" if error.member else error.reason
            self._failed(f"exir-viz could not read {where}: {located}.")
            return Payload("", "exir-viz", problem=located)

    def _failed(self, problem: str) -> None:
        self._builder.notice("backend", problem)


def _where(graph: str) -> str:
    return f"the payload of {graph}"


def linked(payload: Payload, graph: GraphBuilder) -> Payload:
    """The payload with its ops linked to the nodes of the delegate's graph; ops that have links keep them.

    A backend writes a node's debug handle into the op that it makes of it. If no op of a payload has one, ops
    and nodes are paired in order, if there are as many of both.
    """
    calls = [position for position, op in enumerate(graph.ops) if op == _CALL]
    by_handle: dict[int, list[int]] = {}
    for position in calls:
        if graph.handles[position] != NONE:
            by_handle.setdefault(graph.handles[position], []).append(position)
    has_handles = any(op.handle in by_handle for op in payload.ops)
    in_order = not has_handles and len(calls) == len(payload.ops)
    ops = []
    for number, op in enumerate(payload.ops):
        nodes: list[int] = []
        if not op.nodes and op.handle is not None:
            nodes = by_handle.get(op.handle, [])
        if nodes:
            ops.append(replace(op, nodes=tuple(nodes), evidence="debug handle"))
        elif in_order and not op.nodes:
            ops.append(replace(op, nodes=(calls[number],), evidence="order"))
        else:
            ops.append(op)
    return replace(payload, ops=tuple(ops))
