"""The live graphs of a stage, numbered as its Snapshot numbers them (see `readers.graphs`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import fx
from torch.export import ExportedProgram

from exir_viz.readers.graphs import graph_of


@dataclass(frozen=True, eq=False)
class LiveGraph:
    """One graph: its path, and the nodes that contain it.

    path: "forward/true_graph_0". program: of a method or a delegate. lowered: the LoweredBackendModule.
    holders: the get_attr nodes that name it, in the graph around it.
    """

    path: str
    graph: fx.Graph
    base: int
    program: ExportedProgram | None = None
    lowered: Any = None
    holders: tuple[fx.Node, ...] = ()

    @property
    def nodes(self) -> Iterator[fx.Node]:
        return iter(self.graph.nodes)


@dataclass(frozen=True, eq=False)
class LiveGraphs:
    """All graphs of a stage's methods, outer graphs before nested ones."""

    places: tuple[LiveGraph, ...]
    nodes: tuple[fx.Node, ...]
    numbers: Mapping[fx.Node, int]
    place_of: Mapping[fx.Node, LiveGraph]
    submodules: Mapping[fx.Node, LiveGraph] = field(default_factory=dict)

    @classmethod
    def of(cls, programs: Mapping[str, ExportedProgram]) -> LiveGraphs:
        """Read the programs of a stage, in their order."""
        walk = _Walk()
        for name, program in programs.items():
            walk.read(program.graph_module, name, program=program)
        places = tuple(walk.places)
        return cls(
            places,
            tuple(walk.nodes),
            {node: number for number, node in enumerate(walk.nodes)},
            {node: place for place in places for node in place.nodes},
            {holder: place for place in places for holder in place.holders},
        )

    def holding(self, node: fx.Node) -> Iterator[fx.Node]:
        """The calls that a node is in a body of, the innermost first."""
        for holder in self.place_of[node].holders:
            for call in holder.users:
                yield call
                yield from self.holding(call)


class _Walk:
    def __init__(self) -> None:
        self.places: list[LiveGraph] = []
        self.nodes: list[fx.Node] = []

    def read(
        self,
        module: torch.nn.Module,
        path: str,
        holders: tuple[fx.Node, ...] = (),
        program: ExportedProgram | None = None,
        lowered: Any = None,
    ) -> None:
        graph = graph_of(module)
        if graph is None:
            return
        self.places.append(LiveGraph(path, graph, len(self.nodes), program, lowered, holders))
        self.nodes += graph.nodes
        nodes_by_target: dict[str, list[fx.Node]] = {}
        for node in graph.nodes:
            if node.op in ("get_attr", "call_module"):
                nodes_by_target.setdefault(str(node.target), []).append(node)
        for target, by in nodes_by_target.items():
            inner = attribute(module, target)
            where = f"{path}/{target}"
            if graph_of(inner) is not None:
                self.read(inner, where, tuple(by))
            elif type(inner).__name__ == "LoweredBackendModule":
                program = inner.original_module
                self.read(program.graph_module, where, tuple(by), program, inner)


def attribute(module: object, target: str) -> Any:
    """The attribute that a get_attr node names; None if it does not exist."""
    found: Any = module
    for part in target.split("."):
        found = getattr(found, part, None)
    return found
