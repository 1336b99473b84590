"""The Snapshot: a program frozen as plain data, as its users meet it.

It wraps the columns (see `columns`) in nouns: methods, graphs, nodes. Nothing is copied: a `Node` is a
position, and its properties look the tables up. It never imports torch and never changes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

from exir_viz.options import named_options
from exir_viz.options import path as path_of

from .columns import NONE, Detail, Skeleton
from .graph import Graph
from .program import (
    Dialect,
    MethodDetail,
    MethodRecord,
    Notice,
    OriginOfSnapshot,
    Range,
    Signature,
    StateEntry,
    Symbol,
)
from .records import Scope, Target, Value


class Method:
    """One method of a program (`forward`, …): its graph, signature, symbols and state."""

    __slots__ = ("detail", "graph", "record", "snapshot")

    def __init__(self, snapshot: Snapshot, record: MethodRecord, detail: MethodDetail) -> None:
        self.snapshot = snapshot
        self.record = record
        self.detail = detail
        self.graph: Graph = snapshot.graphs[record.graph]

    @property
    def name(self) -> str:
        return self.record.name

    @property
    def dialect(self) -> Dialect:
        return self.record.dialect

    @property
    def signature(self) -> Signature:
        return self.graph.signature or Signature()

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        return self.record.symbols

    @property
    def ranges(self) -> tuple[Range, ...]:
        return self.record.ranges

    @property
    def state(self) -> tuple[StateEntry, ...]:
        return self.record.state

    @property
    def guards(self) -> tuple[str, ...]:
        return self.detail.guards

    def graphs(self) -> Iterator[Graph]:
        """The method's graph and every graph nested in it, outermost first."""
        yield from self.graph.walk()

    def __repr__(self) -> str:
        return f"Method({self.name!r}, {self.dialect.value}, {len(self.graph)} nodes)"


class Snapshot:
    """A program frozen as plain data: what every view reads."""

    def __init__(self, skeleton: Skeleton, detail: Detail) -> None:
        self._skeleton = skeleton
        self._detail = detail
        # What was derived from the graphs, by name: numbers only, so that copies can share it.
        self.derived: dict[str, Any] = {}

    def reworded(self, skeleton: Skeleton, detail: Detail) -> Snapshot:
        """The same graphs with other texts; what was derived from them, or will be, is shared."""
        copy = Snapshot(skeleton, detail)
        copy.derived = self.derived
        return copy

    @property
    def skeleton(self) -> Skeleton:
        """The columns that a picture needs, as they go over the wire."""
        return self._skeleton

    @property
    def detail(self) -> Detail:
        """The columns that a selected node needs, as they go over the wire."""
        return self._detail

    @property
    def schema(self) -> int:
        return self._skeleton.schema

    @property
    def origin(self) -> OriginOfSnapshot:
        return self._skeleton.origin

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What was inferred, left out or could not be read."""
        return self._skeleton.notices

    @property
    def targets(self) -> tuple[Target, ...]:
        return self._skeleton.targets

    @property
    def values(self) -> tuple[Value, ...]:
        return self._skeleton.values

    @property
    def scopes(self) -> tuple[Scope, ...]:
        return self._skeleton.scopes

    @cached_property
    def graphs(self) -> tuple[Graph, ...]:
        """All graphs of all methods, nested ones too; a graph's number is its position here."""
        return tuple(Graph(self, number) for number in range(len(self._skeleton.graphs)))

    @cached_property
    def methods(self) -> Mapping[str, Method]:
        """The methods by name, in the program's order."""
        records = zip(self._skeleton.methods, self._detail.methods, strict=True)
        return MappingProxyType({record.name: Method(self, record, detail) for record, detail in records})

    @property
    def method(self) -> Method:
        """The only method, or `forward`, or the first."""
        methods = self.methods
        return methods.get("forward") or next(iter(methods.values()))

    def scope_chain(self, scope: int) -> tuple[Scope, ...]:
        """A scope and those around it, outermost first; empty for NONE."""
        return tuple(self._skeleton.scopes[number] for number in self.scope_numbers(scope))

    def scope_numbers(self, scope: int) -> list[int]:
        """The numbers of a scope and those around it, outermost first; empty for NONE."""
        chain: list[int] = []
        while scope != NONE:
            chain.append(scope)
            scope = self._skeleton.scopes[scope].parent
        return chain[::-1]

    @named_options
    def save(self, path: str | PathLike[str], *, sources: bool = True, absolute_paths: bool = False) -> Path:
        """Write the Snapshot as a `.exirviz` file: the same Snapshot gives the same bytes.

        sources, absolute_paths: what the file says of your machine (`exir_viz.snapshot.redaction`). What is
        read again equals the Snapshot only with `absolute_paths=True`; a diff of the two is empty either way.
        """
        from .file_writing import write
        from .redaction import redacted
        from .wire import encode

        return write(
            path_of("save", path), encode(redacted(self, sources=sources, absolute_paths=absolute_paths))
        )

    @named_options
    def text(self, form: str = "python", method: str | None = None) -> str:
        """The program as text: "python" (readable, with modules and source lines) or "fx"."""
        from .text import render

        return render(self, form, method)

    @named_options
    def to_html(
        self,
        path: str | PathLike[str],
        *,
        title: str = "",
        sources: bool = True,
        absolute_paths: bool = False,
    ) -> Path:
        """Write a page with the whole explorer in it: one file, no server, no network.

        title, sources, absolute_paths: see `exir_viz.pages.html`.
        """
        from exir_viz.pages.html import write

        return write(self, path, title=title, sources=sources, absolute_paths=absolute_paths)

    def _repr_mimebundle_(self, **options: Any) -> object:
        """The explorer: what a notebook shows where a cell ends with a Snapshot."""
        from exir_viz.widget.explore import mime_bundle

        return mime_bundle(self, options)

    def __str__(self) -> str:
        from .summary import summarise

        return summarise(self)

    def __repr__(self) -> str:
        methods = ", ".join(f"{m.name}: {len(m.graph)} nodes" for m in self.methods.values())
        return f"<Snapshot of {self.origin.name or self.origin.type} ({methods})>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Snapshot):
            return NotImplemented
        return self._skeleton == other._skeleton and self._detail == other._detail

    __hash__ = None  # type: ignore[assignment]  # compared by content, and its content is large
