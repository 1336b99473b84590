"""Graph and Node: the columns of one graph, as nouns.

A Node is a graph and a position. Two Nodes are equal when both are the same. Users, positions by name and
reverse edges are computed once, when first asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any, overload

from exir_viz.snapshot.format import plural

from .arguments import resolve
from .columns import NONE, OPS, GraphColumns, GraphDetail
from .payload import Payload
from .program import Delegate, Signature
from .records import (
    Call,
    Extra,
    Frame,
    MemorySpec,
    Origin,
    Scope,
    SourceFn,
    Target,
    Value,
)

if TYPE_CHECKING:
    from .snapshot import Snapshot


class Node:
    """One node: a position in a graph; every property is looked up when asked for."""

    __slots__ = ("graph", "position")

    def __init__(self, graph: Graph, position: int) -> None:
        self.graph = graph
        self.position = position

    # -- what it is ---------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self.graph.columns.names[self.position]

    @property
    def id(self) -> str:
        """Its name within the whole Snapshot: "forward/true_graph_0/sin"."""
        return f"{self.graph.path}/{self.name}"

    @property
    def op(self) -> str:
        return OPS[self.graph.columns.ops[self.position]]

    @property
    def target(self) -> Target:
        return self.graph.snapshot.targets[self.graph.columns.targets[self.position]]

    @property
    def value(self) -> Value | None:
        """What the node yields; None if the program does not say (Python's None is a Literal)."""
        number = self.graph.columns.values[self.position]
        return None if number == NONE else self.graph.snapshot.values[number]

    # -- whom it knows ------------------------------------------------------------------------------------

    @property
    def input_positions(self) -> tuple[int, ...]:
        start, stop = self.graph.input_span(self.position)
        return tuple(self.position - back for back in self.graph.columns.inputs[start:stop])

    @property
    def inputs(self) -> tuple[Node, ...]:
        """The nodes among its arguments, in order, a node used twice named twice."""
        return tuple(Node(self.graph, position) for position in self.input_positions)

    @property
    def users(self) -> tuple[Node, ...]:
        """The nodes that use it, each once, in execution order."""
        return tuple(Node(self.graph, position) for position in self.graph.user_positions(self.position))

    @property
    def call(self) -> Call:
        return self.graph.snapshot.detail.calls[self.graph.detail.calls[self.position]]

    @property
    def args(self) -> tuple[object, ...]:
        """The positional arguments as Python has them, nodes as Nodes."""
        inputs = self.inputs
        return tuple(resolve(arg, inputs) for arg in self.call.args)

    @property
    def kwargs(self) -> dict[str, object]:
        """The keyword arguments as Python has them, nodes as Nodes."""
        inputs, call = self.inputs, self.call
        pairs = zip(call.names, call.values, strict=True)
        return {name: resolve(arg, inputs) for name, arg in pairs}

    @property
    def subgraphs(self) -> tuple[Graph, ...]:
        """The graphs this node holds: a branch, a loop body, a delegate."""
        return self.graph.subgraphs_of(self.position)

    # -- where it came from -------------------------------------------------------------------------------

    @property
    def scope(self) -> Scope | None:
        """The innermost module call it belongs to."""
        number = self.graph.columns.scopes[self.position]
        return None if number == NONE else self.graph.snapshot.scopes[number]

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """The module calls around it, outermost first."""
        return self.graph.snapshot.scope_chain(self.graph.columns.scopes[self.position])

    @property
    def frames(self) -> tuple[Frame, ...]:
        """Its stack trace, outermost first; the last is the line that made it."""
        detail = self.graph.snapshot.detail
        number = self.graph.detail.traces[self.position]
        return () if number == NONE else tuple(detail.frames[frame] for frame in detail.traces[number])

    @property
    def torch_fn(self) -> tuple[str, ...] | None:
        number = self.graph.detail.torch_fns[self.position]
        return None if number == NONE else self.graph.snapshot.detail.torch_fns[number]

    @property
    def source_fns(self) -> tuple[SourceFn, ...]:
        number = self.graph.detail.source_fns[self.position]
        return () if number == NONE else self.graph.snapshot.detail.source_fns[number]

    @property
    def origins(self) -> tuple[Origin, ...]:
        """from_node: what each earlier pass made it of; an Origin's `parents` are numbers of origins."""
        detail = self.graph.snapshot.detail
        number = self.graph.detail.origins[self.position]
        return (
            () if number == NONE else tuple(detail.origins[origin] for origin in detail.origin_lists[number])
        )

    @property
    def debug_handle(self) -> int | None:
        handle = self.graph.detail.handles[self.position]
        return None if handle == NONE else handle

    @property
    def specs(self) -> tuple[MemorySpec, ...]:
        """Where the memory plan put its values."""
        number = self.graph.detail.specs[self.position]
        return () if number == NONE else self.graph.snapshot.detail.spec_lists[number]

    @property
    def extras(self) -> tuple[Extra, ...]:
        """Meta fields that have no place of their own."""
        number = self.graph.detail.extras[self.position]
        return () if number == NONE else self.graph.snapshot.detail.extras[number]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return self.graph is other.graph and self.position == other.position

    def __hash__(self) -> int:
        return hash((id(self.graph), self.position))

    def __repr__(self) -> str:
        return f"<Node {self.id}>"


def _graph(snapshot: Snapshot, number: int) -> Graph:
    return snapshot.graphs[number]


class Graph(Sequence[Node]):
    """One graph of a Snapshot: a list of nodes in execution order, also reached by name."""

    def __init__(self, snapshot: Snapshot, number: int) -> None:
        self.snapshot = snapshot
        self.number = number
        self.columns: GraphColumns = snapshot.skeleton.graphs[number]
        self.detail: GraphDetail = snapshot.detail.graphs[number]

    @property
    def name(self) -> str:
        return self.columns.name

    @property
    def type(self) -> str:
        """ "method", "subgraph" or "delegate"."""
        return self.columns.type

    @property
    def signature(self) -> Signature | None:
        return self.columns.signature

    @property
    def delegate(self) -> Delegate | None:
        return self.columns.delegate

    @property
    def payload(self) -> Payload | None:
        """What the backend made of a delegate's graph; None where it is unknown, or no delegate."""
        return self.detail.payload

    @property
    def parent(self) -> Graph | None:
        """The graph that holds this one."""
        return None if self.columns.parent == NONE else self.snapshot.graphs[self.columns.parent]

    @cached_property
    def holder(self) -> Node | None:
        """The node that it runs for: the user of the attribute that names it, or what names it itself."""
        parent = self.parent
        if parent is None:
            return None
        node = next(parent[ref.node] for ref in parent.columns.subgraphs if ref.graph == self.number)
        return next(iter(node.users), node) if node.op == "get_attr" else node

    @cached_property
    def path(self) -> str:
        """Its name within the whole Snapshot: "forward/true_graph_0"."""
        parent = self.parent
        return self.name if parent is None else f"{parent.path}/{self.name}"

    @property
    def nodes(self) -> Graph:
        """The nodes in execution order (the graph itself is their sequence)."""
        return self

    def walk(self) -> Iterator[Graph]:
        """This graph and every graph nested in it, outermost first, each once."""
        yield self
        seen: set[int] = set()
        for ref in self.columns.subgraphs:
            if ref.graph not in seen:
                seen.add(ref.graph)
                yield from self.snapshot.graphs[ref.graph].walk()

    # -- positions ----------------------------------------------------------------------------------------

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return (0, *accumulate(self.columns.arity))

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: position for position, name in enumerate(self.columns.names)}

    @cached_property
    def _users(self) -> list[list[int]]:
        users: list[list[int]] = [[] for _ in self.columns.names]
        inputs, starts = self.columns.inputs, self._starts
        for position in range(len(users)):
            for entry in range(starts[position], starts[position + 1]):
                of = users[position - inputs[entry]]
                if not of or of[-1] != position:
                    of.append(position)
        return users

    @cached_property
    def _subgraphs_by_node(self) -> dict[int, list[int]]:
        graphs: dict[int, list[int]] = {}
        for ref in self.columns.subgraphs:
            graphs.setdefault(ref.node, []).append(ref.graph)
        return graphs

    def input_span(self, position: int) -> tuple[int, int]:
        """The range of a node's inputs in `columns.inputs`."""
        return self._starts[position], self._starts[position + 1]

    def user_positions(self, position: int) -> Sequence[int]:
        return self._users[position]

    def subgraphs_of(self, position: int) -> tuple[Graph, ...]:
        return tuple(self.snapshot.graphs[graph] for graph in self._subgraphs_by_node.get(position, ()))

    # -- as a sequence ------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.columns.names)

    def __iter__(self) -> Iterator[Node]:
        for position in range(len(self)):
            yield Node(self, position)

    @overload
    def __getitem__(self, key: int | str) -> Node: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Node, ...]: ...
    def __getitem__(self, key: int | str | slice) -> Node | tuple[Node, ...]:
        if isinstance(key, slice):
            return tuple(Node(self, position) for position in range(*key.indices(len(self))))
        if isinstance(key, str):
            position = self._positions.get(key)
            if position is None:
                raise KeyError(f"no node named {key!r} in graph {self.path!r}")
            return Node(self, position)
        if not -len(self) <= key < len(self):
            raise IndexError(f"graph {self.path!r} has {plural(len(self), 'node')}, not one at {key}")
        return Node(self, key % len(self))

    def __contains__(self, key: object) -> bool:
        if isinstance(key, str):
            return key in self._positions
        return isinstance(key, Node) and key.graph is self

    def __reduce__(self) -> tuple[Any, ...]:
        return _graph, (self.snapshot, self.number)

    def __repr__(self) -> str:
        return f"<Graph {self.path}, {plural(len(self), 'node')}>"
