"""Cases of node traces: in small trees of stages, the levels of every node of every stage."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import msgspec

from exir_viz.snapshot.lineage import Evidence, Lineage, LineageIndex, lineage_of
from exir_viz.stages.node_trace import Level, trace_levels

_FROM, _SAME, _NAME = Evidence.FROM_NODE, Evidence.IDENTITY, Evidence.NAME
_NODES = range(5)


@dataclass(eq=False)
class Tree:
    """Stages by name, each added after its parent."""

    stages: dict[str, Branch] = field(default_factory=dict)

    def add(
        self,
        name: str,
        parent: str | None = None,
        links: dict[tuple[int, int], Evidence] | None = None,
        reasons: dict[int, str] | None = None,
        *,
        failed: bool = False,
    ) -> Tree:
        before = None if parent is None else self.stages[parent]
        self.stages[name] = Branch(self, name, before, lineage_of(links or {}, reasons or {}), failed)
        return self


@dataclass(eq=False)
class Branch:
    """A stage, as far as a trace reads it."""

    tree: Tree
    name: str
    parent: Branch | None
    lineage: Lineage
    failed: bool

    @property
    def children(self) -> list[Branch]:
        return [one for one in self.tree.stages.values() if one.parent is self]

    @cached_property
    def lineage_index(self) -> LineageIndex:
        return LineageIndex(self.lineage)


def _trees() -> list[Tree]:
    straight = (
        Tree()
        .add("export")
        # 0 becomes two nodes, 1 and 2 become one, 3 is removed, 4 is new.
        .add(
            "edge",
            "export",
            {(0, 0): _FROM, (1, 0): _FROM, (2, 1): _NAME, (2, 2): _FROM},
            {4: "the copy that writes to x"},
        )
        .add("executorch", "edge", {(0, 0): _SAME, (1, 1): _SAME, (2, 2): _SAME, (3, 4): _FROM})
    )
    branches = (
        Tree()
        .add("export")
        .add("core", "export", {(0, 0): _FROM, (1, 0): _FROM, (2, 1): _FROM})
        .add("edge", "core", {(0, 1): _FROM, (3, 2): _FROM}, {1: "memory"})
        .add("refused", "core", {(0, 0): _FROM}, failed=True)
        .add("xnnpack", "edge", {(0, 0): Evidence.DELEGATE_MAP, (0, 3): Evidence.DELEGATE_MAP})
        .add("portable", "edge", {(0, 0): _SAME, (1, 1): _SAME, (2, 3): _NAME})
        .add("functional", "export", {(1, 1): _SAME})
        .add("again", "functional", {(1, 1): Evidence.STRUCTURE})
    )
    return [Tree().add("export"), straight, branches]


def cases() -> dict[str, list[Any]]:
    return {
        "traces": [
            [
                [_record(stage) for stage in tree.stages.values()],
                [
                    [stage.name, node, [_level(level) for level in trace_levels(stage, node)]]
                    for stage in tree.stages.values()
                    if not stage.failed
                    for node in _NODES
                ],
            ]
            for tree in _trees()
        ]
    }


def _record(stage: Branch) -> dict[str, Any]:
    return {
        "id": stage.name,
        "parent": stage.parent and stage.parent.name,
        "state": "failed" if stage.failed else "ready",
        "lineage": msgspec.to_builtins(stage.lineage),
    }


def _level(level: Level[Branch]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "stage": level.stage.name,
        "nodes": list(level.nodes),
        "evidence": [kind.value for kind in level.evidence],
        "branch": level.branch,
    }
    return {**found, "reason": level.reason} if level.reason else found
