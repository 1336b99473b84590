"""The builder of a Snapshot: mutable while a program is read, frozen by `finish`.

The three ways in (live programs, .pt2, .pte) fill the same builder, so that a concept is written down in one
place. It stores repeated records once. It does not check the IR, and knows neither torch nor files.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from .columns import NONE, OPS, SCHEMA, Detail, GraphColumns, GraphDetail, Skeleton, SubgraphRef
from .payload import Payload
from .program import Delegate, MethodDetail, MethodRecord, Notice, OriginOfSnapshot, Signature
from .records import (
    Call,
    Extra,
    Frame,
    GraphNumber,
    MemorySpec,
    Origin,
    Scope,
    ScopeNumber,
    SourceFn,
    SourceText,
    Target,
    Value,
)
from .snapshot import Snapshot

T = TypeVar("T")

OP_NUMBER = {op: number for number, op in enumerate(OPS)}


class Interner(dict[T, int], Generic[T]):
    """A table being filled: `table[record]` is the record's number, given on first sight."""

    __slots__ = ()

    def __missing__(self, record: T) -> int:
        number = self[record] = len(self)
        return number


class GraphBuilder:
    """One graph being filled, node by node in execution order."""

    __slots__ = (
        "_arity",
        "_inputs",
        "_ops",
        "_scopes",
        "_targets",
        "_values",
        "calls",
        "delegate",
        "extras",
        "handles",
        "meta",
        "name",
        "names",
        "number",
        "origins",
        "parent",
        "payload",
        "signature",
        "source_fns",
        "specs",
        "subgraphs",
        "torch_fns",
        "traces",
        "type",
    )

    def __init__(self, number: int, name: str, type: str, parent: int) -> None:
        self.number = number
        self.name = name
        self.type = type
        self.parent = parent
        self.names: list[str] = []
        self._ops: list[int] = []
        self._targets: list[int] = []
        self._values: list[int] = []
        self._scopes: list[int] = []
        self._arity: list[int] = []
        self._inputs: list[int] = []
        self.calls: list[int] = []
        self.traces: list[int] = []
        self.torch_fns: list[int] = []
        self.source_fns: list[int] = []
        self.origins: list[int] = []
        self.handles: list[int] = []
        self.specs: list[int] = []
        self.extras: list[int] = []
        self.subgraphs: list[SubgraphRef] = []
        self.signature: Signature | None = None
        self.delegate: Delegate | None = None
        self.payload: Payload | None = None
        self.meta: tuple[str, ...] = ()

    def add(  # noqa: PLR0913, PLR0917  one parameter a column
        self,
        name: str,
        op: int,
        target: int,
        inputs: Sequence[int],
        call: int,
        value: int = NONE,
        scope: int = NONE,
        trace: int = NONE,
        torch_fn: int = NONE,
        source_fn: int = NONE,
        origin: int = NONE,
        handle: int = NONE,
        spec: int = NONE,
        extra: int = NONE,
    ) -> int:
        """Append a node and return its position. All numbers but `op`, `handle`, `inputs` are of tables."""
        position = len(self.names)
        self.names.append(name)
        self._ops.append(op)
        self._targets.append(target)
        self._values.append(value)
        self._scopes.append(scope)
        self._arity.append(len(inputs))
        for earlier in inputs:
            self._inputs.append(position - earlier)
        self.calls.append(call)
        self.traces.append(trace)
        self.torch_fns.append(torch_fn)
        self.source_fns.append(source_fn)
        self.origins.append(origin)
        self.handles.append(handle)
        self.specs.append(spec)
        self.extras.append(extra)
        return position

    @property
    def ops(self) -> list[int]:
        """The ops of its nodes, as OP_NUMBER has them."""
        return self._ops

    def set_value(self, position: int, value: int) -> None:
        """Replace a value that is known only once later nodes were read (an op's tuple of outputs)."""
        self._values[position] = value

    def holds(self, node: int, graph: int) -> None:
        """Note that `node` holds the graph of that number."""
        self.subgraphs.append(SubgraphRef(node, GraphNumber(graph)))

    def columns(self) -> GraphColumns:
        return GraphColumns(
            name=self.name,
            type=self.type,
            parent=GraphNumber(self.parent),
            names=tuple(self.names),
            ops=tuple(self._ops),
            targets=tuple(self._targets),
            values=tuple(self._values),
            scopes=tuple(map(ScopeNumber, self._scopes)),
            arity=tuple(self._arity),
            inputs=tuple(self._inputs),
            subgraphs=tuple(self.subgraphs),
            signature=self.signature,
            delegate=self.delegate,
        )

    def detail(self) -> GraphDetail:
        return GraphDetail(
            calls=tuple(self.calls),
            traces=tuple(self.traces),
            torch_fns=tuple(self.torch_fns),
            source_fns=tuple(self.source_fns),
            origins=tuple(self.origins),
            handles=tuple(self.handles),
            specs=tuple(self.specs),
            extras=tuple(self.extras),
            meta=self.meta,
            payload=self.payload,
        )


class SnapshotBuilder:
    """A whole program being filled: tables, graphs and methods."""

    def __init__(self, origin: OriginOfSnapshot) -> None:
        self.origin = origin
        self.targets: Interner[Target] = Interner()
        self.values: Interner[Value] = Interner()
        self.scopes: Interner[Scope] = Interner()
        self.calls: Interner[Call] = Interner()
        self.frames: Interner[Frame] = Interner()
        self.traces: Interner[tuple[int, ...]] = Interner()
        self.torch_fns: Interner[tuple[str, ...]] = Interner()
        self.source_fns: Interner[tuple[SourceFn, ...]] = Interner()
        self.origins: Interner[Origin] = Interner()
        self.origin_lists: Interner[tuple[int, ...]] = Interner()
        self.spec_lists: Interner[tuple[MemorySpec, ...]] = Interner()
        self.extras: Interner[tuple[Extra, ...]] = Interner()
        self.graphs: list[GraphBuilder] = []
        self._methods: list[tuple[MethodRecord, MethodDetail]] = []
        self._notices: dict[tuple[str, str], int] = {}

    def graph(self, name: str, type: str = "method", parent: int = NONE) -> GraphBuilder:
        """Start a graph; its number is its position among all graphs of the Snapshot."""
        graph = GraphBuilder(len(self.graphs), name, type, parent)
        self.graphs.append(graph)
        return graph

    def method(self, record: MethodRecord, detail: MethodDetail) -> None:
        self._methods.append((record, detail))

    def notice(self, code: str, text: str) -> None:
        """Say something the reader must know; the same words are counted, not repeated."""
        self._notices[code, text] = self._notices.get((code, text), 0) + 1

    def left_out_range(self, method: str, expr: str) -> None:
        """A range constraint that no value depends on: torch's loader leaves it out too."""
        self.notice("range", f"{method}: the range of {expr} is left out: no value depends on it.")

    def finish(self, sources: Sequence[SourceText] = ()) -> Snapshot:
        """Freeze what was read. The builder must not be used after."""
        skeleton = Skeleton(
            schema=SCHEMA,
            origin=self.origin,
            methods=tuple(record for record, _ in self._methods),
            graphs=tuple(graph.columns() for graph in self.graphs),
            targets=tuple(self.targets),
            values=tuple(self.values),
            scopes=tuple(self.scopes),
            notices=tuple(Notice(code, text, count) for (code, text), count in self._notices.items()),
        )
        detail = Detail(
            methods=tuple(detail for _, detail in self._methods),
            graphs=tuple(graph.detail() for graph in self.graphs),
            calls=tuple(self.calls),
            frames=tuple(self.frames),
            traces=tuple(self.traces),
            torch_fns=tuple(self.torch_fns),
            source_fns=tuple(self.source_fns),
            origins=tuple(self.origins),
            origin_lists=tuple(self.origin_lists),
            spec_lists=tuple(self.spec_lists),
            extras=tuple(self.extras),
            sources=tuple(sources),
        )
        return Snapshot(skeleton, detail)
