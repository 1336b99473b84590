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
from exir_viz.snapshot.format import plural

from .columns import NONE, Detail, Skeleton
from .graph import Graph, Node
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

    def __reduce__(self) -> tuple[Any, ...]:
        return _method, (self.snapshot, self.name)

    def __repr__(self) -> str:
        return f"Method({self.name!r}, {self.dialect.value}, {plural(len(self.graph), 'node')})"


def _method(snapshot: Snapshot, name: str) -> Method:
    return snapshot.methods[name]


class Snapshot:
    """A program saved as plain data: what every view reads.

    Parameters
    ----------
    skeleton, detail
        The columns: what a picture needs, and what a selected node needs.

    Examples
    --------
    >>> snapshot
    <Snapshot of ExportedProgram (forward: 9 nodes)>
    >>> snapshot.method.graph["linear"].value.shape
    (2, 8)
    """

    def __init__(self, skeleton: Skeleton, detail: Detail) -> None:
        self._skeleton = skeleton
        self._detail = detail
        # What was derived from the graphs, by name: numbers only, so that copies can share it.
        self.derived: dict[str, Any] = {}
        # Whether it is of a live program of this process: views may read the source files that it names.
        self.is_captured = False

    def reworded(self, skeleton: Skeleton, detail: Detail) -> Snapshot:
        """Copy the Snapshot with other texts. The copy shares everything derived from the graphs.

        Parameters
        ----------
        skeleton, detail
            The columns with other texts, of the same graphs.

        Returns
        -------
        Snapshot
            The copy.

        Examples
        --------
        >>> snapshot.reworded(snapshot.skeleton, snapshot.detail) == snapshot
        True
        """
        copy = Snapshot(skeleton, detail)
        copy.derived = self.derived
        copy.is_captured = self.is_captured
        return copy

    @property
    def skeleton(self) -> Skeleton:
        """The columns that a picture needs, as they go over the wire."""
        return self._skeleton

    @property
    def detail(self) -> Detail:
        """The columns that a selected node needs, as they go over the wire."""
        return self._detail

    @cached_property
    def delegation_reasons(self) -> Mapping[str, str]:
        """Why nodes are not delegated, by node id; empty if no session lowered the program."""
        from .numbering import Numbering

        numbering = Numbering(self)
        return MappingProxyType(
            {
                numbering.node(number).id: reason.text
                for reason in self._detail.delegation_reasons
                for number in reason.nodes
            }
        )

    @property
    def schema(self) -> int:
        """The version of the file format."""
        return self._skeleton.schema

    @property
    def origin(self) -> OriginOfSnapshot:
        """Where the program came from: a class, or a file."""
        return self._skeleton.origin

    @property
    def is_pte(self) -> bool:
        """Whether it was read from a `.pte` file: instructions, with every argument written out."""
        return self.origin.type == "pte"

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What was inferred, left out or could not be read."""
        return self._skeleton.notices

    @property
    def targets(self) -> tuple[Target, ...]:
        """The targets that nodes call, by number."""
        return self._skeleton.targets

    @property
    def values(self) -> tuple[Value, ...]:
        """The values that nodes yield, by number."""
        return self._skeleton.values

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """The module calls, by number."""
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

    @cached_property
    def _graphs_by_path(self) -> Mapping[str, Graph]:
        # of two graphs with one path, the first
        return {graph.path: graph for graph in reversed(self.graphs)}

    def find(self, node: str) -> Node | None:
        """Find a node by its id.

        Parameters
        ----------
        node
            The id, such as "forward/linear_3".

        Returns
        -------
        Node or None
            The node; None if there is none with this id.

        Examples
        --------
        >>> snapshot.find("forward/relu").name
        'relu'
        """
        path, _, name = node.rpartition("/")
        graph = self._graphs_by_path.get(path)
        return graph[name] if graph is not None and name in graph else None

    @property
    def method(self) -> Method:
        """The only method, or `forward`, or the first."""
        methods = self.methods
        return methods.get("forward") or next(iter(methods.values()))

    def scope_chain(self, scope: int) -> tuple[Scope, ...]:
        """List a module call and the calls around it.

        Parameters
        ----------
        scope
            The number of a module call, or NONE.

        Returns
        -------
        tuple of Scope
            The outermost first; empty for NONE.

        Examples
        --------
        >>> [scope.path for scope in snapshot.scope_chain(1)]
        ['', 'fc1']
        """
        return tuple(self._skeleton.scopes[number] for number in self.scope_numbers(scope))

    def scope_numbers(self, scope: int) -> list[int]:
        """List the numbers of a module call and of the calls around it.

        Parameters
        ----------
        scope
            The number of a module call, or NONE.

        Returns
        -------
        list of int
            The outermost first; empty for NONE.

        Examples
        --------
        >>> snapshot.scope_numbers(1)
        [0, 1]
        """
        chain: list[int] = []
        while scope != NONE:
            chain.append(scope)
            scope = self._skeleton.scopes[scope].parent
        return chain[::-1]

    @named_options
    def save(self, path: str | PathLike[str], *, sources: bool = True, absolute_paths: bool = False) -> Path:
        """Write the Snapshot as a `.exirviz` file: the same Snapshot gives the same bytes.

        With `absolute_paths=True` the file, read again, equals the Snapshot. Otherwise paths differ, and a
        diff of the two is empty.

        Parameters
        ----------
        path
            The file to write.
        sources, absolute_paths
            Whether to include source text and absolute paths of this machine: see
            `exir_viz.snapshot.redaction`.

        Returns
        -------
        pathlib.Path
            The written file.

        Raises
        ------
        NotWritten
            If the file cannot be written.

        Examples
        --------
        >>> path = snapshot.save(folder / "model.exirviz", absolute_paths=True)
        >>> exir_viz.load(path) == snapshot
        True
        """
        from .file_writing import write
        from .redaction import redacted
        from .wire import encode

        return write(
            path_of("save", path), encode(redacted(self, sources=sources, absolute_paths=absolute_paths))
        )

    @named_options
    def text(self, form: str = "python", method: str | None = None) -> str:
        """Return the program as text.

        Parameters
        ----------
        form
            "python" (readable, with modules and source lines) or "fx".
        method
            The method, if there are several.

        Returns
        -------
        str
            The text.

        Raises
        ------
        WrongArgument
            If there is no such form or method.

        Examples
        --------
        >>> "torch.ops.aten.linear.default" in snapshot.text()
        True
        """
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
        """Write a page with the explorer: one file that needs no server and no network.

        Parameters
        ----------
        path
            The file to write.
        title
            The title of the page.
        sources, absolute_paths
            Whether to include source text, and absolute paths instead of those within your project.
            Names of files and line numbers are included anyway.

        Returns
        -------
        pathlib.Path
            The written file.

        Raises
        ------
        NotBuilt
            If this installation has no front end.
        NotWritten
            If the file cannot be written.

        Examples
        --------
        >>> snapshot.to_html(folder / "model.html").name
        'model.html'
        """
        from exir_viz.pages.html import write

        return write(self, path, title=title, sources=sources, absolute_paths=absolute_paths)

    def _repr_mimebundle_(self, **options: Any) -> object:
        """The explorer: what a notebook shows where a cell ends with a Snapshot."""
        from exir_viz.widget.explore import mime_bundle

        return mime_bundle(self, options)

    def __reduce__(self) -> tuple[Any, ...]:
        return Snapshot, (self._skeleton, self._detail)

    def __deepcopy__(self, memo: object) -> Snapshot:
        return self  # it never changes

    def __str__(self) -> str:
        from .summary import summarise

        return summarise(self)

    def __repr__(self) -> str:
        methods = ", ".join(f"{m.name}: {plural(len(m.graph), 'node')}" for m in self.methods.values())
        return f"<Snapshot of {self.origin.name or self.origin.type} ({methods})>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Snapshot):
            return NotImplemented
        return self._skeleton == other._skeleton and self._detail == other._detail

    __hash__ = None  # type: ignore[assignment]  # compared by content, and its content is large
