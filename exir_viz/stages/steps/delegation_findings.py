"""Findings of a backend step: its delegates, why the rest was not delegated, and by which config."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from exir_viz.snapshot.format import plural
from exir_viz.stages.live import method_of
from exir_viz.stages.records import Finding, FindingTopic

from .failures import frame_of, op_text
from .partitioner_decisions import WatchedPartitioner

if TYPE_CHECKING:
    from torch import fx

    from exir_viz.stages.lineage.live_graphs import LiveGraph, LiveGraphs
    from exir_viz.stages.live import LivePrograms


def findings(live: LivePrograms, watched: Iterable[WatchedPartitioner]) -> tuple[Finding, ...]:
    """The findings of a program after partitioning. They name nodes of the resulting program."""
    from exir_viz.stages.lineage.live_graphs import LiveGraphs  # it imports torch

    graphs = LiveGraphs.of(live.programs)
    titles = list(dict.fromkeys(one.title for one in watched))
    return (_summary(graphs, " and ".join(titles)), *_left(graphs, watched), *_delegated(graphs))


def _summary(graphs: LiveGraphs, title: str) -> Finding:
    """The stage's record has the share of ops that the backend runs: see `snapshot.delegation.share_of`."""
    delegates = sum(place.lowered is not None for place in graphs.places)
    return Finding(f"{title} runs {plural(delegates, 'delegate')}." if delegates else f"{title} runs no op.")


def _left(graphs: LiveGraphs, watched: Iterable[WatchedPartitioner]) -> Iterator[Finding]:
    """Every call outside the delegates, with each partitioner's reason."""
    reasons: dict[fx.Node, dict[str, str]] = {}
    found = _Found(graphs)
    for one in dict.fromkeys(watched):
        for verdict in one.verdicts:
            rejection = verdict.rejection
            node = None if rejection is None else found(verdict.node)
            if rejection is not None and node is not None:
                reasons.setdefault(node, {})[rejection.text] = rejection.remedy(one.title)
    for node in graphs.nodes:
        if node in reasons and graphs.place_of[node].lowered is None:
            text = f"{'; '.join(reasons[node])}."
            remedy = " ".join(dict.fromkeys(reasons[node].values()))
            left = _finding(node, graphs.place_of[node], text, topic=FindingTopic.NOT_DELEGATED)
            yield replace(left, remedy=remedy)


def _delegated(graphs: LiveGraphs) -> Iterator[Finding]:
    """One finding per op and method, with the backend that runs it."""
    groups: dict[tuple[str, str, str], list[fx.Node]] = {}
    for place in graphs.places:
        if place.lowered is not None:
            for node in filter(_is_call, place.nodes):
                key = (method_of(place.path), op_text(node), _by(node, place))
                groups.setdefault(key, []).append(node)
    for (_, _, by), nodes in groups.items():
        yield _finding(nodes[0], graphs.place_of[nodes[0]], f"Delegated to {by}.", len(nodes))


def _by(node: fx.Node, place: LiveGraph) -> str:
    """The backend, and the partitioner's config if it is known."""
    configs = list(dict.fromkeys(map(str, node.meta.get("xnn_partitioner_config") or ())))
    return f"{place.lowered.backend_id}{' (' + ', '.join(configs) + ')' if configs else ''}"


def _finding(
    node: fx.Node, place: LiveGraph, text: str, count: int = 1, topic: FindingTopic = FindingTopic.OTHER
) -> Finding:
    where = f"{place.path}/{node.name}"
    return Finding(text, where, op_text(node), frame_of(node), count=count, topic=topic)


def _is_call(node: fx.Node) -> bool:
    """Whether a node is an op: no delegate, control flow or getitem."""
    from exir_viz.torch_internals.operators import schema_of

    return node.op == "call_function" and schema_of(node.target) is not None


class _Found:
    """Maps a node of the graph that a partitioner saw to the node of the resulting program.

    Lowering moves nodes to other graphs and renames some, but passes their values on by reference.
    """

    def __init__(self, graphs: LiveGraphs) -> None:
        self._by: dict[int, list[fx.Node]] = {}
        self._named = {node.name: node for node in reversed(graphs.nodes) if node.op == "call_function"}
        for node in graphs.nodes:
            if node.op == "call_function" and node.meta.get("val") is not None:
                self._by.setdefault(id(node.meta["val"]), []).append(node)

    def __call__(self, node: fx.Node) -> fx.Node | None:
        among = [one for one in self._by.get(id(node.meta.get("val")), ()) if one.target == node.target]
        among = [one for one in among if one.name == node.name] or among
        named = self._named.get(node.name)
        if among:
            return among[0]
        return named if named is not None and named.target == node.target else None
