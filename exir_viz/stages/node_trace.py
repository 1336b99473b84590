"""Trace a node through all stages, from the user's source line to the instructions of the runtime.

What enters: a stage and one of its nodes. What leaves: entries, plain data: the source line first,
then the stages from the root to this one, then all stages made from it. Only Snapshots and lineages are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, Self, TypeVar

from exir_viz.snapshot import Node
from exir_viz.snapshot.frames import users_frame
from exir_viz.snapshot.lineage import EXACT, Evidence, LineageIndex, Link
from exir_viz.snapshot.opkind import is_instruction, op_name
from exir_viz.snapshot.program import Dialect
from exir_viz.snapshot.records import Frame, Record

if TYPE_CHECKING:
    from exir_viz.stages.stage import Stage

# A delegate may contain thousands of nodes: `count` has their number, `nodes` the first of them.
MAX_NODES = 100


class TraceEntry(Record, frozen=True):
    """The node in one stage. The first entry has no stage: it is the user's source line.

    nodes, ops: their ids and targets, in the order of the program. count: how many nodes there are. evidence:
    of the links to their ancestors in the stage before. delegates: the backends that run them. instructions:
    their indices in the ExecuTorch program. reason: why they have no ancestors. branch: how many branches of
    the tree of stages are between it and the first child.
    """

    stage: str = ""
    name: str = ""
    nodes: tuple[str, ...] = ()
    ops: tuple[str, ...] = ()
    count: int = 0
    evidence: tuple[Evidence, ...] = ()
    delegates: tuple[str, ...] = ()
    instructions: tuple[int, ...] = ()
    frame: Frame | None = None
    reason: str = ""
    branch: int = 0


class NodeTrace(Record, frozen=True):
    """The entries of one node, with the stage and the node that were traced."""

    stage: str
    node: str
    entries: tuple[TraceEntry, ...] = ()

    def __str__(self) -> str:
        return "\n".join(map(_line, self.entries))


class StageLinks(Protocol):
    """What a trace needs of a stage."""

    @property
    def parent(self) -> Self | None: ...
    @property
    def children(self) -> Sequence[Self]: ...
    @property
    def failed(self) -> bool: ...
    @property
    def lineage_index(self) -> LineageIndex: ...


S = TypeVar("S", bound=StageLinks)


class Level(NamedTuple, Generic[S]):
    """The node in one stage, by number. See TraceEntry for evidence, branch and reason."""

    stage: S
    nodes: tuple[int, ...]
    evidence: tuple[Evidence, ...]
    branch: int = 0
    reason: str = ""


def trace_node(stage: Stage, node: str | Node) -> NodeTrace:
    """Trace a node backward to the source line and forward to every later stage."""
    chosen = stage.node(node)
    levels = list(trace_levels(stage, stage.numbering.number(chosen)))
    oldest = (levels[0].stage.numbering.node(number) for number in levels[0].nodes)
    lines = map(_source, (chosen, *oldest))
    source = next((entry for entry in lines if entry is not None), None)
    return NodeTrace(stage.id, chosen.id, (*([source] if source else []), *map(_entry, levels)))


def trace_levels(stage: S, number: int) -> Iterator[Level[S]]:
    """A level per stage: the earliest that has the node first, then all that were made from this one.

    `stages/node_trace.ts` does the same for pages; both are tested with tests/cases/traces.json.
    """
    levels = [_level(stage, {number}, stage.lineage_index.ancestors(number))]
    while levels[-1].evidence and levels[-1].stage.parent is not None:
        last = levels[-1]
        nodes = {link.node for each in last.nodes for link in last.stage.lineage_index.ancestors(each)}
        before = levels[-1].stage.parent
        levels.append(
            _level(before, nodes, [link for each in nodes for link in before.lineage_index.ancestors(each)])
        )
    top = levels.pop()
    reasons = map(top.stage.lineage_index.reason, top.nodes)
    yield top._replace(reason=next(filter(None, reasons), ""))
    yield from reversed(levels)
    yield from _below(stage, (number,), 0)


def _below(stage: S, numbers: Iterable[int], branch: int) -> Iterator[Level[S]]:
    """Every stage made from this one, each before those made from it."""
    made = [child for child in stage.children if not child.failed]
    for at, child in enumerate(made):
        links = [link for number in numbers for link in child.lineage_index.descendants(number)]
        level = _level(child, {link.node for link in links}, links, branch + (at > 0))
        yield level
        if level.nodes:
            yield from _below(child, level.nodes, level.branch)


def _level(stage: S, nodes: set[int], links: Iterable[Link], branch: int = 0) -> Level[S]:
    by = {link.evidence for link in links}
    return Level(stage, tuple(sorted(nodes)), tuple(kind for kind in Evidence if kind in by), branch)


def _entry(level: Level[Stage]) -> TraceEntry:
    stage = level.stage
    nodes = [stage.numbering.node(number) for number in level.nodes]
    return TraceEntry(
        stage=stage.id,
        name=stage.name,
        nodes=tuple(node.id for node in nodes[:MAX_NODES]),
        ops=tuple(op_name(node.target) for node in nodes[:MAX_NODES]),
        count=len(nodes),
        evidence=level.evidence,
        delegates=tuple(dict.fromkeys(filter(None, map(_delegate, nodes)))),
        instructions=tuple(sorted(_instructions(stage, nodes))),
        reason=level.reason,
        branch=level.branch,
    )


def _delegate(node: Node) -> str:
    """The backend that runs a node, and the graph that contains it."""
    graph = node.graph
    while graph.delegate is None and graph.parent is not None:
        graph = graph.parent
    return "" if graph.delegate is None else f"{graph.delegate.backend}: {graph.path}"


def _instructions(stage: Stage, nodes: Iterable[Node]) -> set[int]:
    """Instruction indices. to_executorch overwrites a call's debug handle with the index of its instruction.

    In branches it counts from the start of the branch.
    """
    if stage.dialect is not Dialect.EXECUTORCH:
        return set()
    return {
        node.debug_handle
        for node in nodes
        if node.debug_handle is not None and node.graph.type == "method" and is_instruction(node.target)
    }


def _source(node: Node) -> TraceEntry | None:
    frames = [frame for frame in node.frames if frame.file]
    return TraceEntry(frame=users_frame(frames)) if frames else None


def _line(entry: TraceEntry) -> str:
    if entry.frame is not None:
        return f"{entry.frame.file}:{entry.frame.line}  {entry.frame.code}".rstrip()
    some = ", ".join(f"{node} ({op})" for node, op in zip(entry.nodes[:3], entry.ops, strict=False))
    more = f" and {entry.count - 3} more" if entry.count > 3 else ""
    inferred = [kind.value for kind in entry.evidence if kind not in EXACT]
    indent = "  " * entry.branch
    parts = [f"{indent}{entry.stage} {entry.name}: {some or 'no counterpart here'}{more}"]
    parts += [f"inferred by {', '.join(inferred)}"] if inferred else []
    parts += [f"in {', '.join(entry.delegates)}"] if entry.delegates else []
    parts += [f"instruction {', '.join(map(str, entry.instructions))}"] if entry.instructions else []
    return "  ".join([*parts, *([f"no counterpart before: {entry.reason}"] if entry.reason else [])])
