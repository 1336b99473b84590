"""Trace a node through all stages, from the user's source line to the instructions of the runtime.

What enters: a stage and one of its nodes. What leaves: entries, plain data: the source line first,
then the stages from the root to this one, then all stages made from it. Only Snapshots and lineages are read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from exir_viz.snapshot import Node
from exir_viz.snapshot.frames import users_frame
from exir_viz.snapshot.lineage import EXACT, Evidence
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
    of the links to the next entry towards the node; empty for the node itself. delegates: the backends that
    run them. instructions: their indices in the ExecuTorch program. reason: why there are no nodes, or why
    the next stage towards the user's program has none.
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


class NodeTrace(Record, frozen=True):
    """The entries of one node, with the stage and the node that were traced."""

    stage: str
    node: str
    entries: tuple[TraceEntry, ...] = ()

    def __str__(self) -> str:
        return "\n".join(map(_line, self.entries))


def trace_node(stage: Stage, node: str | Node) -> NodeTrace:
    """Trace a node backward to the source line and forward to every later stage."""
    chosen = stage.node(node)
    number = stage.numbering.number(chosen)
    back = list(_back(stage, {number}))
    here = _entry(stage, {number}, reason=stage.kin.reason(number))
    lines = map(_source, (chosen, *_oldest(stage, back)))
    source = next((entry for entry in lines if entry is not None), None)
    entries = [*([source] if source else []), *(entry for entry, _ in reversed(back)), here]
    return NodeTrace(stage.id, chosen.id, (*entries, *_forward(stage, {number})))


def _back(stage: Stage, numbers: set[int]) -> Iterator[tuple[TraceEntry, set[int]]]:
    """The ancestor stages, nearest first, as long as the node has ancestors in them."""
    while stage.parent is not None:
        links = [link for number in numbers for link in stage.kin.ancestors(number)]
        if not links:
            return
        numbers, stage = {link.node for link in links}, stage.parent
        yield _entry(stage, numbers, (link.evidence for link in links)), numbers


def _forward(stage: Stage, numbers: set[int]) -> Iterator[TraceEntry]:
    """Every stage made from this one, each before those made from it."""
    for child in stage.children:
        if child.failed:
            continue
        links = [link for number in numbers for link in child.kin.descendants(number)]
        found = {link.node for link in links}
        gone = "" if found else "No counterpart here: the step removed it, or another node does its work."
        yield _entry(child, found, (link.evidence for link in links), gone)
        if found:
            yield from _forward(child, found)


def _oldest(stage: Stage, back: list[tuple[TraceEntry, set[int]]]) -> Iterator[Node]:
    """The furthest ancestors, which may have the source line if the node does not."""
    for _ in back:
        assert stage.parent is not None
        stage = stage.parent
    yield from (stage.numbering.node(number) for number in sorted(back[-1][1])) if back else ()


def _entry(
    stage: Stage, numbers: set[int], evidence: Iterable[Evidence] = (), reason: str = ""
) -> TraceEntry:
    nodes = [stage.numbering.node(number) for number in sorted(numbers)]
    by = set(evidence)
    return TraceEntry(
        stage=stage.id,
        name=stage.name,
        nodes=tuple(node.id for node in nodes[:MAX_NODES]),
        ops=tuple(op_name(node.target) for node in nodes[:MAX_NODES]),
        count=len(nodes),
        evidence=tuple(kind for kind in Evidence if kind in by),
        delegates=tuple(dict.fromkeys(filter(None, map(_delegate, nodes)))),
        instructions=tuple(sorted(_instructions(stage, nodes))),
        reason=reason,
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
    parts = [f"{entry.stage} {entry.name}: {some}{more}" if some else f"{entry.stage} {entry.name}:"]
    parts += [f"inferred by {', '.join(inferred)}"] if inferred else []
    parts += [f"in {', '.join(entry.delegates)}"] if entry.delegates else []
    parts += [f"instruction {', '.join(map(str, entry.instructions))}"] if entry.instructions else []
    return "  ".join([*parts, *([entry.reason] if entry.reason else [])])
