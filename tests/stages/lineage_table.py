"""python -m tests.stages.lineage_table [PROGRAM …]: how much of each stage is linked, and by what.

Every program goes through all stages: functional, core, edge, a backend from edge and from ATen, ExecuTorch
from both. Printed as Markdown. Tests hold the same rows for programs that are quick to lower.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from exir_viz import Session
from exir_viz.snapshot import Node
from exir_viz.snapshot.lineage import EXACT
from exir_viz.stages.records import StageState
from exir_viz.stages.stage import Stage
from tests.corpus.programs import exported
from tests.stages.failing import outcome

PROGRAMS = ("training_mode", "mobilenetv2", "resnet50", "bert", "vit", "llama32")

# What exists for the sake of memory: it has no ancestor and must say why.
MEMORY = ("alloc", "copy_")


@dataclass(frozen=True)
class Row:
    """One stage. calls: nodes that compute, a delegate's members too. memory: those that serve memory."""

    stage: Stage
    calls: int
    exact: int
    inferred: int
    memory: int
    evidence: Counter[str]

    @property
    def unlinked(self) -> int:
        return self.calls - self.exact - self.inferred - self.memory


def stages(session: Session) -> Iterator[Stage]:
    """Every stage that can be reached; a failed one where ExecuTorch refuses."""
    functional = session.root.decompose("functional")
    core = functional.decompose()
    edge = checked_or_not(core.edge)
    yield from (functional.rename("functional"), core.rename("core"), edge.rename("edge"))
    for start, name in ((edge, "edge"), (session.root, "aten")):
        lowered = checked_or_not(start.backend)
        yield lowered.rename(f"backend from {name}")
        if not lowered.failed:
            yield outcome(lowered.executorch).rename(f"executorch from backend from {name}")
    yield outcome(edge.executorch).rename("executorch from edge")


def checked_or_not(step: Callable[..., Stage]) -> Stage:
    """A step by the rules; where they refuse a program, as they do in training, without them."""
    stage = outcome(step)
    if stage.failed:
        stage.drop()
        stage = outcome(step, check_ir=False)
    return stage


def calls(stage: Stage) -> list[Node]:
    """The nodes that compute, in all graphs."""
    return [node for graph in stage.snapshot.graphs for node in graph if node.op == "call_function"]


def row(stage: Stage) -> Row:
    """Count one stage."""
    nodes = calls(stage)
    links = [stage.ancestors(node) for node in nodes]
    memory = [node for node, of in zip(nodes, links, strict=True) if not of and node.target.name in MEMORY]
    exact = sum(bool(of) and all(one.evidence in EXACT for one in of) for of in links)
    kinds = Counter(of[0].evidence.value for of in links if of)
    return Row(stage, len(nodes), exact, sum(map(bool, links)) - exact, len(memory), kinds)


def main(names: list[str]) -> None:
    warnings.filterwarnings("ignore")
    print("| program | stage | calls | exact | inferred | memory | unlinked | by |")
    print("|---|---|---|---|---|---|---|---|")
    for name in names or PROGRAMS:
        session = Session(exported(name), name=name)
        for stage in stages(session):
            if stage.state is StageState.FAILED:
                assert stage.failure is not None
                print(f"| {name} | {stage.name} | refused: {stage.failure.reason} | | | | | |", flush=True)
                continue
            found = row(stage)
            by = ", ".join(f"{kind} {count:,}" for kind, count in found.evidence.most_common())
            numbers = (found.calls, found.exact, found.inferred, found.memory, found.unlinked)
            cells = " | ".join(f"{number:,}" for number in numbers)
            print(f"| {name} | {stage.name} | {cells} | {by} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
