"""The Snapshot as it is kept and sent: columns of small numbers into tables of records.

The skeleton is all that a picture needs; the detail is what a selected node needs. Both are frozen. A node is
a position in its graph; positions of inputs are earlier positions (a graph is a list in execution order).
"""

from __future__ import annotations

from .payload import Payload
from .program import (
    Delegate,
    FileRuns,
    MethodDetail,
    MethodRecord,
    Notice,
    OriginOfSnapshot,
    PythonValue,
    Signature,
)
from .records import (
    Call,
    Extra,
    Frame,
    GraphNumber,
    MemorySpec,
    NodeNumber,
    Origin,
    Record,
    Scope,
    ScopeNumber,
    SourceFn,
    SourceText,
    Target,
    Value,
)

SCHEMA = 1

# The version of the page data (see `PageData`): raise it when a record of them changes.
PAGE_VERSION = 5

# Node.op, by number: FX's six and the instruction of a .pte.
OPS = ("placeholder", "call_function", "call_method", "call_module", "get_attr", "output", "instruction")

# In a column of numbers into a table: this node has none.
NONE = -1


class SubgraphRef(Record, frozen=True):
    """A node that holds a graph: a get_attr of a branch or of a lowered module, or a delegate call."""

    node: int
    graph: GraphNumber


class GraphColumns(Record, frozen=True):
    """One graph. `inputs` holds, node by node, how far back each input is; `arity` how many there are.

    `type` is "method", "subgraph" or "delegate"; `parent` the graph that holds it (NONE for a method's).
    """

    name: str
    type: str
    parent: GraphNumber
    names: tuple[str, ...]
    ops: tuple[int, ...]
    targets: tuple[int, ...]
    values: tuple[int, ...]
    scopes: tuple[ScopeNumber, ...]
    arity: tuple[int, ...]
    inputs: tuple[int, ...]
    subgraphs: tuple[SubgraphRef, ...] = ()
    signature: Signature | None = None
    delegate: Delegate | None = None


class GraphDetail(Record, frozen=True):
    """The columns of a graph that only a selected node needs; NONE where a node has no such field.

    `payload` is what the backend made of a delegate, where its format is known.
    """

    calls: tuple[int, ...]
    traces: tuple[int, ...]
    torch_fns: tuple[int, ...]
    source_fns: tuple[int, ...]
    origins: tuple[int, ...]
    handles: tuple[int, ...]
    specs: tuple[int, ...]
    extras: tuple[int, ...]
    meta: tuple[str, ...] = ()
    payload: Payload | None = None


class DelegatePart(Record, frozen=True):
    """What a delegate runs of one module: the module's number, and positions of ops in the delegate."""

    owner: ScopeNumber
    nodes: tuple[int, ...]


class DelegateCall(Record, frozen=True):
    """A call of a delegate: its name ("XNNPACK 3"), backend and number, and how its graph is connected.

    `inputs` pairs inputs of the delegate with the nodes that the call passes; `outputs` pairs items of the
    call with the nodes that they read in the delegate: by position, only if `is_linked`. A
    delegate that runs only some ops of a module has `parts`, in the order in which they end: one for each
    such module.
    """

    call: int
    graph: GraphNumber
    name: str
    backend: str
    number: int
    is_linked: bool
    inputs: tuple[tuple[int, int], ...] = ()
    outputs: tuple[tuple[int, int], ...] = ()
    parts: tuple[DelegatePart, ...] = ()


class Placement(Record, frozen=True):
    """Where the picture puts the nodes of a graph. Derived (see `placement`).

    Nodes `inferred` name no module, or one too far out: `owners` are the module calls they belong to. Nodes
    `folded` are part of the work of the ops `into`. The output names those `written` only to write them back.
    `order` holds the numbers, through all graphs, of the graph's ops and those of its delegates in the order
    that they had before lowering; empty where that is the order of the graph.
    """

    inferred: tuple[int, ...] = ()
    owners: tuple[ScopeNumber, ...] = ()
    folded: tuple[int, ...] = ()
    into: tuple[int, ...] = ()
    written: tuple[int, ...] = ()
    delegates: tuple[DelegateCall, ...] = ()
    order: tuple[NodeNumber, ...] = ()


class DelegateRow(Record, frozen=True):
    """A delegate: its content. `module` contains all its ops.

    `bytes` is the size of its payload, with its weights.
    """

    graph: GraphNumber
    module: str
    ops: int
    bytes: int | None = None


class CpuRow(Record, frozen=True):
    """Ops outside all delegates that share operator and reason; `nodes` are numbered through all graphs.

    `is_write_back`: to_executorch added them to write results to state or inputs; no backend can run them.
    """

    op: str
    reason: str
    nodes: tuple[NodeNumber, ...]
    is_write_back: bool = False


class Delegation(Record, frozen=True):
    """What runs where: `delegated` of `ops` calls run on a backend, each of the rest in one row of `cpu`.
    `percent` is their share, None where a file does not say what its delegates hold; `share` says it in words
    (see `delegation.Share`).

    The rows of `cpu` come first that touch most delegates: delegating them would join most. Ops that only
    compute sizes come last, and after them those that write results back. The report `delegation` says more.
    """

    ops: int
    delegated: int
    percent: int | None
    delegates: tuple[DelegateRow, ...]
    cpu: tuple[CpuRow, ...]
    share: str = ""


class PlannedArena(Record, frozen=True):
    """One arena of a memory plan: the values in it as columns, in execution order.

    `nodes`, `first` and `last` are execution steps (see `MethodMemory`), ends included. `peak` bytes are
    alive at once, first at the step `peak_at`. `size` is that of the plan, or the highest end of a value.
    """

    number: int
    size: int
    peak: int
    peak_at: int
    nodes: tuple[int, ...]
    texts: tuple[str, ...]
    offsets: tuple[int, ...]
    bytes: tuple[int, ...]
    first: tuple[int, ...]
    last: tuple[int, ...]


class MethodMemory(Record, frozen=True):
    """Memory while a method runs. Derived (see `memory`), never read from a file.

    `live` holds the bytes alive at each execution step: as planned where there are arenas, else computed from
    the shapes of values and their last uses, without state and inputs. Symbols have the sizes of the example
    inputs, which `sizes` states ("batch = 4"). `unknown` counts the values that are not in it because no
    example decides their size.

    A step is a position in the method's graph, unless `steps` holds the number of its node, through all
    graphs: the nodes of a branch or of a loop body are steps right after the node that runs it.
    """

    live: tuple[int, ...] = ()
    unknown: int = 0
    arenas: tuple[PlannedArena, ...] = ()
    sizes: str = ""
    steps: tuple[int, ...] = ()


class EdgeDtypes(Record, frozen=True):
    """The dtypes that the edge dialect allows for some calls of one operator, and those that they have.

    `names` are its tensors, `found` their dtypes in these calls, and `allowed` every dtype that each may have
    in some combination. `refused` is a combination that the dialect does not allow, in words: this one, and
    `remedy` is what helps; or if this one is allowed, an example near it.
    """

    nodes: tuple[int, ...]
    names: tuple[str, ...]
    found: tuple[str, ...]
    allowed: tuple[tuple[str, ...], ...]
    is_allowed: bool = True
    refused: str = ""
    remedy: str = ""


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


class ProgramState(Record, frozen=True):
    """What a program keeps between runs. Memory that several methods or tensors share counts once.

    `bytes` are of the `tensors` outside delegates, `delegate_bytes` of the payloads of `delegates` with the
    weights stored beside them; None if a size is unknown.
    """

    tensors: int
    bytes: int
    delegates: int = 0
    delegate_bytes: int | None = None


class PageData(Record, frozen=True):
    """What only a page needs, derived from the program so that the page derives nothing.

    A file has it as a separate section, which Python never reads. A page ignores sections of other versions,
    and draws without. `memory` is parallel to `methods`. `dtypes` is of edge programs. Of a program that
    `is_large`, reports are made only when the user opens one, and where there is no kernel not at all.
    """

    version: int
    placements: tuple[Placement, ...] = ()
    delegation: Delegation | None = None
    memory: tuple[MethodMemory, ...] = ()
    dtypes: tuple[EdgeDtypes, ...] = ()
    state: ProgramState | None = None
    is_large: bool = False


class PageSkeleton(Skeleton, frozen=True):
    """A skeleton as a kernel sends it: with what only a page needs."""

    page: PageData | None = None


class DelegationReason(Record, frozen=True):
    """Why a partitioner left nodes out of its delegates, and what would make it accept them.

    `nodes` are numbered through all graphs.
    """

    text: str
    nodes: tuple[int, ...]
    remedy: str = ""


class Detail(Record, frozen=True):
    """The rest: parallel to the skeleton's methods and graphs, with its own tables.

    `traces`, `torch_fns`, `origin_lists`, `source_fns`, `spec_lists` and `extras` are tables of tuples;
    a trace is numbers of frames, outermost first, and an origin list numbers of origins. `runs` and
    `python_values` are known where a module was exported with its lines watched, `delegation_reasons` where a
    session lowered the program.
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
    runs: tuple[FileRuns, ...] = ()
    python_values: tuple[PythonValue, ...] = ()
    delegation_reasons: tuple[DelegationReason, ...] = ()
