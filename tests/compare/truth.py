"""Exact lineage between two stages: the ground truth for the matcher.

A stage's nodes keep their sources (`from_node`): a source whose `graph_id` is the id() of the parent's graph,
and whose name is in it, is the ancestor. This needs live programs, so the pairs are computed once and stored
beside the Snapshots, which are stripped of lineage before a matcher sees them.

An item of a tuple (`getitem`) descends from the op that yields the tuple; if both stages take the same item
of tuples of the same descent, the two items are the pair.
"""

from __future__ import annotations

import functools
import json
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import torch
from torch.export import ExportedProgram

import exir_viz
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.columns import NONE
from tests.corpus import programs
from tests.corpus.folder import COMPARED, discard_outdated

if TYPE_CHECKING:
    from executorch.exir import EdgeProgramManager

STAGES = ("aten", "core", "edge", "executorch")


class Truth(NamedTuple):
    """Two stages with no trace of lineage, and the pairs of calls (positions in the main graphs)."""

    a: Snapshot
    b: Snapshot
    pairs: frozenset[tuple[int, int]]


def truth(name: str, a: str, b: str) -> Truth:
    """Read two neighbouring stages of a program, made first if they do not exist (edge takes minutes)."""
    discard_outdated()
    if not _pairs_file(name, a, b).exists():
        _make(name, STAGES[: STAGES.index(b) + 1])
    pairs = frozenset((i, j) for i, j in json.loads(_pairs_file(name, a, b).read_text()))
    return Truth(*(hidden(exir_viz.load(_file(name, stage))) for stage in (a, b)), pairs)


def hidden(snapshot: Snapshot) -> Snapshot:
    """The Snapshot without its record of earlier stages: `from_node` and debug handles."""
    graphs = tuple(
        msgspec.structs.replace(
            graph, origins=(NONE,) * len(graph.origins), handles=(NONE,) * len(graph.handles)
        )
        for graph in snapshot.detail.graphs
    )
    detail = msgspec.structs.replace(snapshot.detail, graphs=graphs, origins=(), origin_lists=())
    return Snapshot(snapshot.skeleton, detail)


def exact_pairs(a: ExportedProgram, b: ExportedProgram) -> set[tuple[int, int]]:
    """The pairs of calls of two live stages, `b` made from `a`: positions of ancestor and descendant."""
    before, found = {node.name: at for at, node in enumerate(a.graph.nodes)}, set()
    calls = {at for at, node in enumerate(a.graph.nodes) if node.op == "call_function"}
    for at, node in enumerate(b.graph.nodes):
        if node.op != "call_function":
            continue
        names = {
            source.name for source in _sources(node.meta.get("from_node")) if source.graph_id == id(a.graph)
        }
        found |= {(before[name], at) for name in names if name in before and before[name] in calls}
    return _items(a, b, found)


def calls_by_name(program: ExportedProgram) -> dict[str, int]:
    """The positions of calls, by name."""
    nodes = enumerate(program.graph.nodes)
    return {node.name: at for at, node in nodes if node.op == "call_function"}


def named_pairs(before: Mapping[str, int], program: ExportedProgram) -> set[tuple[int, int]]:
    """The pairs of calls of edge and ExecuTorch, which keeps the names of nodes that stay.

    `before` are the calls of edge, recorded before ExecuTorch changes the program in place.
    """
    after = calls_by_name(program)
    return {(at, after[name]) for name, at in before.items() if name in after}


def _sources(sources: Iterable[Any] | None) -> Iterator[Any]:
    for source in sources or ():
        yield source
        yield from _sources(source.from_node)


def _items(a: ExportedProgram, b: ExportedProgram, pairs: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Pair an item of a tuple with the same item of the tuple before, not with the op that yields it."""
    before = list(a.graph.nodes)
    places = {node: at for at, node in enumerate(before)}
    items = {(places[node.args[0]], node.args[1]): places[node] for node in before if _is_item(node)}
    after = list(b.graph.nodes)
    return {(items.get((i, after[j].args[1]), i) if _is_item(after[j]) else i, j) for i, j in pairs}


def _is_item(node: torch.fx.Node) -> bool:
    return getattr(node.target, "__name__", "") == "getitem"


def _make(name: str, stages: tuple[str, ...]) -> None:
    before: ExportedProgram | None = None
    names: dict[str, int] = {}
    _edge.cache_clear()  # lowering to ExecuTorch changed it
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        for at, stage in enumerate(stages):
            program = _lower(name, stage)
            exir_viz.load(program).save(_file(name, stage), absolute_paths=True)
            if before is not None:
                part = _pairs_file(name, stages[at - 1], stage).with_suffix(f".{os.getpid()}.part")
                by_name = stage == "executorch"
                pairs = named_pairs(names, program) if by_name else exact_pairs(before, program)
                part.write_text(json.dumps(sorted(pairs)))
                part.replace(_pairs_file(name, stages[at - 1], stage))
            before, names = program, calls_by_name(program)


def _lower(name: str, stage: str) -> ExportedProgram:
    if stage == "aten":
        return programs.exported(name)
    if stage == "core":
        return programs.core(name)
    if stage == "edge":
        return _edge(name).exported_program()
    return _edge(name).to_executorch().exported_program()


@functools.cache
def _edge(name: str) -> EdgeProgramManager:
    from executorch.exir import to_edge

    return to_edge(programs.core(name))


def _file(name: str, stage: str) -> Path:
    return COMPARED / f"{name}.{stage}.exirviz"


def _pairs_file(name: str, a: str, b: str) -> Path:
    return COMPARED / f"{name}.{a}-{b}.json"
