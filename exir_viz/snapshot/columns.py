"""The Snapshot as it is kept and sent: columns of small numbers into tables of records.

The skeleton is all that a picture needs; the detail is what a selected node needs. Both are frozen. A node is
a position in its graph; positions of inputs are earlier positions (a graph is a list in execution order).
"""

from __future__ import annotations

from .program import Delegate, MethodDetail, MethodRecord, Notice, OriginOfSnapshot, Signature
from .records import (
    Call,
    Extra,
    Frame,
    MemorySpec,
    Origin,
    Record,
    Scope,
    SourceFn,
    SourceText,
    Target,
    Value,
)

SCHEMA = 1

# Node.op, by number: FX's six and the instruction of a .pte.
OPS = ("placeholder", "call_function", "call_method", "call_module", "get_attr", "output", "instruction")

# In a column of numbers into a table: this node has none.
NONE = -1


class SubgraphRef(Record, frozen=True):
    """A node that holds a graph: a get_attr of a branch or of a lowered module, or a delegate call."""

    node: int
    graph: int


class GraphColumns(Record, frozen=True):
    """One graph. `inputs` holds, node by node, how far back each input stands; `arity` how many there are.

    `type` is "method", "subgraph" or "delegate"; `parent` the graph that holds it (NONE for a method's).
    """

    name: str
    type: str
    parent: int
    names: tuple[str, ...]
    ops: tuple[int, ...]
    targets: tuple[int, ...]
    values: tuple[int, ...]
    scopes: tuple[int, ...]
    arity: tuple[int, ...]
    inputs: tuple[int, ...]
    subgraphs: tuple[SubgraphRef, ...] = ()
    signature: Signature | None = None
    delegate: Delegate | None = None


class GraphDetail(Record, frozen=True):
    """The columns of a graph that only a selected node needs; NONE where a node has no such field."""

    calls: tuple[int, ...]
    traces: tuple[int, ...]
    torch_fns: tuple[int, ...]
    source_fns: tuple[int, ...]
    origins: tuple[int, ...]
    handles: tuple[int, ...]
    specs: tuple[int, ...]
    extras: tuple[int, ...]
    meta: tuple[str, ...] = ()


class Skeleton(Record, frozen=True):
    """Everything that drawing and searching a program needs."""

    schema: int
    origin: OriginOfSnapshot
    methods: tuple[MethodRecord, ...]
    graphs: tuple[GraphColumns, ...]
    targets: tuple[Target, ...]
    values: tuple[Value, ...]
    scopes: tuple[Scope, ...]
    notices: tuple[Notice, ...] = ()


class Detail(Record, frozen=True):
    """The rest: parallel to the skeleton's methods and graphs, with tables of its own.

    `traces`, `torch_fns`, `origin_lists`, `source_fns`, `spec_lists` and `extras` are tables of tuples;
    a trace is numbers of frames, outermost first, and an origin list numbers of origins.
    """

    methods: tuple[MethodDetail, ...]
    graphs: tuple[GraphDetail, ...]
    calls: tuple[Call, ...] = ()
    frames: tuple[Frame, ...] = ()
    traces: tuple[tuple[int, ...], ...] = ()
    torch_fns: tuple[tuple[str, ...], ...] = ()
    source_fns: tuple[tuple[SourceFn, ...], ...] = ()
    origins: tuple[Origin, ...] = ()
    origin_lists: tuple[tuple[int, ...], ...] = ()
    spec_lists: tuple[tuple[MemorySpec, ...], ...] = ()
    extras: tuple[tuple[Extra, ...], ...] = ()
    sources: tuple[SourceText, ...] = ()
