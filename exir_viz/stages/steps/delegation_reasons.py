"""Why a call is not delegated, from the partitioner to the Snapshot.

1. The partitioner runs as ExecuTorch runs it, and is not changed. Its log messages are recorded meanwhile,
   and each call of the program is examined afterwards: a `Decision`, with a `Rejection` that says why not and
   what helps.
2. `findings` says so of the nodes of the resulting program.
3. `with_delegation_reasons` writes the findings into the stage's Snapshot, so that every file and view of it
   has the reasons. `exir_viz.snapshot.delegation` reads them there, for the report "delegation".
"""

from __future__ import annotations

import copy
import operator
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from exir_viz.errors import as_clause
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.columns import DelegationReason
from exir_viz.snapshot.format import plural
from exir_viz.snapshot.lineage import Lineage
from exir_viz.snapshot.numbering import Numbering
from exir_viz.stages.live import method_of
from exir_viz.stages.records import Finding, FindingTopic
from exir_viz.torch_internals.logs import PartitionerLog, captured_partitioner_logs

from . import PhaseCallback
from .failures import frame_of, op_text
from .remedies import Remedy

if TYPE_CHECKING:
    from torch import fx
    from torch.export import ExportedProgram

    from exir_viz.stages.lineage.live_graphs import LiveGraph, LiveGraphs
    from exir_viz.stages.live import LivePrograms


# --- What the partitioner decided ------------------------------------------------------------------------

# How Python prints a class; the group is its name.
_CLASS: Final = re.compile(r"<class '(?:\w+\.)*(\w+)'>")


class Cause(Enum):
    """Why a call was not taken."""

    STATED = auto()  # the partitioner says why
    NO_CONFIG = auto()
    CONTROL_FLOW = auto()
    SUBGRAPH = auto()  # accepted alone, but not with its neighbors
    UNKNOWN = auto()


@dataclass(frozen=True)
class Rejection:
    """Why a call was not taken. `text` is a sentence without its full stop, that names the partitioner."""

    cause: Cause
    text: str
    # What the partitioner says itself; "" where it says nothing.
    stated: str = ""
    is_float32: bool = False

    def remedy(self, title: str) -> str:
        """What would make the backend of this title accept the call."""
        found = (remedy for word, remedy in _STATED_REMEDIES.items() if word in self.stated)
        remedy = next(found, _REMEDIES[self.cause])
        if remedy is Remedy.FLOAT and self.is_float32:
            remedy = Remedy.COMPARE_LIMITS  # XNNPACK says so of calls with symbolic sizes too
        return remedy.format(title=title)


_REMEDIES: Final = {
    Cause.NO_CONFIG: Remedy.SUPPORTED_OPS,
    Cause.CONTROL_FLOW: Remedy.OUT_OF_BRANCH,
    Cause.SUBGRAPH: Remedy.SECOND_BACKEND,
    Cause.UNKNOWN: Remedy.COMPARE_LIMITS,
    Cause.STATED: Remedy.AS_STATED,
}
# A word of what ExecuTorch's partitioners say, and what helps; the first that is found counts.
_STATED_REMEDIES: Final = {
    "no operator implementation": Remedy.SUPPORTED_OPS,
    "static": Remedy.PARAMETER,
    "dtype": Remedy.FLOAT,
    "precision": Remedy.PRECISION,
    "ynamic": Remedy.STATIC,
    "ymbolic": Remedy.STATIC,
}


@dataclass(frozen=True)
class Decision:
    """What was decided about one call of the graph that the partitioner saw. `rejection`: why not."""

    node: fx.Node
    rejection: Rejection | None = None


@dataclass(eq=False)
class WatchedPartitioner:
    """A partitioner with a name to show; `verdicts` is filled while it runs."""

    partitioner: Any
    title: str
    verdicts: list[Decision] = field(default_factory=list)

    def recording_copy(self, report: PhaseCallback) -> Any:
        """A copy of the partitioner, of the same class, that records its decisions and reports when it
        works.
        """
        recording_copy = copy.copy(self.partitioner)
        recording_copy.partition = partial(self._partition, report)
        return recording_copy

    def _partition(self, report: PhaseCallback, program: ExportedProgram) -> Any:
        report(f"partitioning for {self.title}")
        with captured_partitioner_logs() as log:
            result = self.partitioner.partition(program)
        self.verdicts += self._judged(result.tagged_exported_program, log)
        report(f"lowering to {self.title}")
        return result

    def _judged(self, program: ExportedProgram, log: PartitionerLog) -> Iterator[Decision]:
        for path, module in program.graph_module.named_modules():
            for node in getattr(getattr(module, "graph", None), "nodes", ()):
                if node.op != "call_function" or not _is_op(node):
                    continue
                if "delegation_tag" in node.meta:
                    yield Decision(node)
                else:
                    yield Decision(node, self._rejection(program, node, bool(path), log))

    def _rejection(
        self, program: ExportedProgram, node: fx.Node, inner: bool, log: PartitionerLog
    ) -> Rejection:
        stated = log.of(node, "" if inner else op_text(node))
        if stated:
            why = as_clause(_CLASS.sub(r"\1", stated))
            text = f"{self.title}: {why}{_dtypes(node) if 'dtype' in stated else ''}"
            return Rejection(Cause.STATED, text, stated, _is_float32(node))
        configs = getattr(self.partitioner, "target_partitioner_configs", None)
        if isinstance(configs, dict):
            return self._by_config(configs, program, node, inner)
        text = f"{self.title} gives no reason"
        if inner:
            return Rejection(Cause.CONTROL_FLOW, f"{text}, and may not support branches and loops")
        return Rejection(Cause.UNKNOWN, text)

    def _by_config(
        self, configs: dict[str, Any], program: ExportedProgram, node: fx.Node, inner: bool
    ) -> Rejection:
        """Reasons that ExecuTorch's config-based partitioner (XNNPACK's) does not report itself."""
        if inner:
            return Rejection(Cause.CONTROL_FLOW, f"{self.title} does not support branches and loops")
        name = op_text(node).split(".")
        config = configs.get(".".join(name[1:] if len(name) > 2 else name))
        if config is None:
            return Rejection(Cause.NO_CONFIG, f"{self.title} has no config for {op_text(node)}")
        kind = type(config).__name__
        if config.check_constraints(node, program):
            text = f"{self.title}'s {kind} accepts it alone, but not in this subgraph"
            return Rejection(Cause.SUBGRAPH, text)
        return Rejection(Cause.UNKNOWN, f"{self.title}'s {kind} rejects this call and gives no reason")


def _is_op(node: fx.Node) -> bool:
    """Whether a partitioner can accept a node: not delegates, control flow or getitem."""
    from exir_viz.torch_internals.operators import schema_of

    return schema_of(node.target) is not None and node.target is not operator.getitem


def _is_float32(node: fx.Node) -> bool:
    """Whether all inputs and outputs of a call are float32 already."""
    return {dtype for one in (*node.all_input_nodes, node) if (dtype := _dtype(one))} == {"float32"}


def _dtypes(node: fx.Node) -> str:
    """The input and output dtypes that a reason is about."""
    given = dict.fromkeys(_dtype(one) or _symbol_type(one) for one in node.all_input_nodes)
    inputs = ", ".join(one for one in given if one)
    return f" (from {inputs or 'nothing'} to {_dtype(node) or 'no tensor'})"


def _dtype(node: fx.Node) -> str:
    value: Any = node.meta.get("val")
    values = value if isinstance(value, (list, tuple)) else [value]
    found = dict.fromkeys(str(one.dtype).removeprefix("torch.") for one in values if hasattr(one, "dtype"))
    return "/".join(found)


def _symbol_type(node: fx.Node) -> str:
    """The type of an input that is no tensor, such as the SymInt of a dynamic size; "" for others."""
    import torch

    value = node.meta.get("val")
    return type(value).__name__ if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)) else ""


# --- Findings of the step --------------------------------------------------------------------------------


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


# --- Reasons in the Snapshot -----------------------------------------------------------------------------


def with_delegation_reasons(
    snapshot: Snapshot, findings: Iterable[Finding], parent: Snapshot, lineage: Lineage | None
) -> Snapshot:
    """The Snapshot with the reasons among the findings; without any, with those of its nodes' ancestors."""
    texts = {one.node: (one.text, one.remedy) for one in findings if one.topic is FindingTopic.NOT_DELEGATED}
    if texts:
        numbering = Numbering(snapshot)
        nodes = (node for graph in snapshot.graphs for node in graph)
        by_node = {numbering.number(node): texts[node.id] for node in nodes if node.id in texts}
    elif lineage is not None:
        before = {
            node: (one.text, one.remedy) for one in parent.detail.delegation_reasons for node in one.nodes
        }
        links = zip(lineage.nodes, lineage.ancestors, strict=True)
        by_node = {node: before[ancestor] for node, ancestor in links if ancestor in before}
    else:
        by_node = {}
    if not by_node:
        return snapshot
    by_text: dict[tuple[str, str], list[int]] = {}
    for number, text in sorted(by_node.items()):
        by_text.setdefault(text, []).append(number)
    reasons = tuple(
        DelegationReason(text, tuple(numbers), remedy) for (text, remedy), numbers in by_text.items()
    )
    return snapshot.reworded(snapshot.skeleton, replace(snapshot.detail, delegation_reasons=reasons))
