"""The line of sight of a node: its story through all stages, from the user's line to what the runtime runs.

What enters: a stage and one of its nodes. What leaves: rungs, plain data: the source line first, then the
stages from the root to this one, then all that were made from it. Only Snapshots and lineages are read.
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

# A delegate may stand for thousands of nodes: `count` says how many, `nodes` names the first.
MOST = 100


class Rung(Record, frozen=True):
    """What the node is in one stage; the first rung, without a stage, is the line of the user's program.

    nodes, ops: their ids and what they call, in the order of the program. count: how many nodes there are.
    evidence: what the links from the next rung towards the node rest on; empty for the node itself.
    delegates: the backends that took them. instructions: their places in the ExecuTorch program.
    reason: why there are no nodes, or why the next stage towards the user's program has none.
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


class Sight(Record, frozen=True):
    """All rungs, and which stage and node they are about."""

    stage: str
    node: str
    rungs: tuple[Rung, ...] = ()

    def __str__(self) -> str:
        return "\n".join(map(_line, self.rungs))


def sight(stage: Stage, node: str | Node) -> Sight:
    """The line of sight of a node."""
    chosen = stage.node(node)
    number = stage.numbering.number(chosen)
    back = list(_back(stage, {number}))
    here = _rung(stage, {number}, reason=stage.kin.reason(number))
    source = next((rung for rung in map(_source, (chosen, *_oldest(stage, back))) if rung is not None), None)
    rungs = [*([source] if source else []), *(rung for rung, _ in reversed(back)), here]
    return Sight(stage.id, chosen.id, (*rungs, *_forward(stage, {number})))


def _back(stage: Stage, numbers: set[int]) -> Iterator[tuple[Rung, set[int]]]:
    """The parent, its parent, …, for as long as there are ancestors."""
    while stage.parent is not None:
        links = [link for number in numbers for link in stage.kin.ancestors(number)]
        if not links:
            return
        numbers, stage = {link.node for link in links}, stage.parent
        yield _rung(stage, numbers, (link.evidence for link in links)), numbers


def _forward(stage: Stage, numbers: set[int]) -> Iterator[Rung]:
    """Every stage made from this one, each before those made from it."""
    for child in stage.children:
        if child.failed:
            continue
        links = [link for number in numbers for link in child.kin.descendants(number)]
        found = {link.node for link in links}
        gone = (
            "" if found else "Nothing came of it here: the step left it out, or another node does its work."
        )
        yield _rung(child, found, (link.evidence for link in links), gone)
        if found:
            yield from _forward(child, found)


def _oldest(stage: Stage, back: list[tuple[Rung, set[int]]]) -> Iterator[Node]:
    """The ancestors furthest back, which may know the line where the node does not."""
    for _ in back:
        assert stage.parent is not None
        stage = stage.parent
    yield from (stage.numbering.node(number) for number in sorted(back[-1][1])) if back else ()


def _rung(stage: Stage, numbers: set[int], evidence: Iterable[Evidence] = (), reason: str = "") -> Rung:
    nodes = [stage.numbering.node(number) for number in sorted(numbers)]
    by = set(evidence)
    return Rung(
        stage=stage.id,
        name=stage.name,
        nodes=tuple(node.id for node in nodes[:MOST]),
        ops=tuple(op_name(node.target) for node in nodes[:MOST]),
        count=len(nodes),
        evidence=tuple(kind for kind in Evidence if kind in by),
        delegates=tuple(dict.fromkeys(filter(None, map(_delegate, nodes)))),
        instructions=tuple(sorted(_instructions(stage, nodes))),
        reason=reason,
    )


def _delegate(node: Node) -> str:
    """The backend that took a node, and the graph that it stands in."""
    graph = node.graph
    while graph.delegate is None and graph.parent is not None:
        graph = graph.parent
    return "" if graph.delegate is None else f"{graph.delegate.backend}: {graph.path}"


def _instructions(stage: Stage, nodes: Iterable[Node]) -> set[int]:
    """to_executorch writes an instruction's place over the debug handle of the call that it is of.

    In branches it counts from the branch's own beginning.
    """
    if stage.dialect is not Dialect.EXECUTORCH:
        return set()
    return {
        node.debug_handle
        for node in nodes
        if node.debug_handle is not None and node.graph.type == "method" and is_instruction(node.target)
    }


def _source(node: Node) -> Rung | None:
    frames = [frame for frame in node.frames if frame.file]
    return Rung(frame=users_frame(frames)) if frames else None


def _line(rung: Rung) -> str:
    if rung.frame is not None:
        return f"{rung.frame.file}:{rung.frame.line}  {rung.frame.code}".rstrip()
    some = ", ".join(f"{node} ({op})" for node, op in zip(rung.nodes[:3], rung.ops, strict=False))
    more = f" and {rung.count - 3} more" if rung.count > 3 else ""
    inferred = [kind.value for kind in rung.evidence if kind not in EXACT]
    parts = [f"{rung.stage} {rung.name}: {some}{more}" if some else f"{rung.stage} {rung.name}:"]
    parts += [f"inferred by {', '.join(inferred)}"] if inferred else []
    parts += [f"in {', '.join(rung.delegates)}"] if rung.delegates else []
    parts += [f"instruction {', '.join(map(str, rung.instructions))}"] if rung.instructions else []
    return "  ".join([*parts, *([rung.reason] if rung.reason else [])])
