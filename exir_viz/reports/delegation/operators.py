"""Where the calls of each operator run or would run, and why: blocked, on a backend, on the CPU.

The facts about operators are those of `snapshot.operators`, the decisions of backends those of
`stages.backend_trial`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Final

from exir_viz.reports.rules.edge import dtypes_of_calls, remedy_of
from exir_viz.reports.rules.rule import Subject
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.graph import Node
from exir_viz.snapshot.index import delegate_around
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.operators import (
    CORE,
    CUSTOM,
    DECOMPOSES,
    NO_KERNEL,
    NOT_CORE,
    RUNTIME,
    WHILE,
    core_status,
    dtypes_refused,
    kernel_of,
    not_core,
)
from exir_viz.snapshot.opkind import ASSERTS, op_name
from exir_viz.snapshot.placement import delegate_names, working
from exir_viz.snapshot.program import Dialect
from exir_viz.snapshot.records import Target, TargetType
from exir_viz.snapshot.runtime_instructions import REMOVED, primitive_of
from exir_viz.snapshot.sizes import Sizes, moved_bytes
from exir_viz.stages.steps.remedies import Remedy
from exir_viz.stages.steps.rule_violations import op_remedy

if TYPE_CHECKING:
    from exir_viz.stages.backend_trial import BackendTrial
    from exir_viz.stages.stage import Stage

ALLOWED: Final = "allowed"
NOT_ALLOWED: Final = "not allowed"
_LOWERED: Final = (Dialect.EDGE, Dialect.BACKEND, Dialect.EXECUTORCH)


class Runs(StrEnum):
    """Where calls run or would run, with the first backend; the worst first.

    blocked: the program cannot be lowered, or not be run, because of one of them. CPU: ExecuTorch's own
    kernels run them. partly: the backend runs some of them, or of what they become. removed: lowering leaves
    no op to run. not known: only lowering would tell, or the backend could not be asked.
    """

    BLOCKED = "blocked"
    CPU = "CPU"
    UNKNOWN = "not known"
    PARTLY = "partly"
    BACKEND = "backend"
    REMOVED = "removed"


_ORDER: Final = tuple(Runs)


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts about a call, or about all calls that it becomes; `says` pairs reasons with remedies.

    is_taken_by_backend: only to_edge refuses it, which also checks the program before lowering. The function
    to_edge_transform_and_lower checks only the lowered program.
    """

    core: str = ""
    dtypes: str = ""
    kernel: str = ""
    is_removed: bool = False
    is_taken_by_backend: bool = False
    says: tuple[tuple[str, str], ...] = ()

    @property
    def is_blocked(self) -> bool:
        """Whether the program cannot be lowered, or not be run, because of it."""
        is_refused = self.core == NOT_CORE and not self.is_taken_by_backend
        return is_refused or self.dtypes == NOT_ALLOWED or self.kernel == NO_KERNEL


# The worst of several answers comes first.
_CORE_RANKS: Final = (NOT_CORE, CUSTOM, DECOMPOSES, CORE, "")
_DTYPE_RANKS: Final = (NOT_ALLOWED, ALLOWED, "")
_KERNEL_RANKS: Final = (NO_KERNEL, "optimized", "quantized", "portable", RUNTIME, "")


def _worst(several: Sequence[Facts]) -> Facts:
    """The facts about several calls as those of one."""
    return Facts(
        min((facts.core for facts in several), key=_CORE_RANKS.index, default=""),
        min((facts.dtypes for facts in several), key=_DTYPE_RANKS.index, default=""),
        min((facts.kernel for facts in several), key=_KERNEL_RANKS.index, default=""),
        all(facts.is_removed for facts in several),
        any(facts.is_taken_by_backend for facts in several),
        tuple(dict.fromkeys(pair for facts in several for pair in facts.says)),
    )


class _Known:
    """The recorded facts about the calls of a Snapshot. `trial`: its stage, lowered without edge's rules."""

    def __init__(self, snapshot: Snapshot, trial: Stage | None = None) -> None:
        self._trial = trial
        self._is_lowered = snapshot.method.dialect in _LOWERED
        self._is_emitted = snapshot.method.dialect is Dialect.EXECUTORCH
        self._is_verified = trial is not None or not self._is_lowered
        self._by_target: dict[Target, Facts] = {}
        # By node whose dtypes edge limits: what it says where it refuses them.
        self._dtypes: dict[str, tuple[str, str] | None] = {}
        for method in snapshot.methods.values() if self._is_lowered else ():
            for node, rule, dtypes in dtypes_of_calls(Subject(method, Dialect.EDGE)):
                refused = dtypes_refused(dtypes, op_name(node.target)), remedy_of(rule, dtypes)
                self._dtypes[node.id] = None if rule.allows(dtypes) else refused

    def of(self, node: Node) -> Facts:
        """The facts about a call as it is."""
        if delegate_around(node.graph) is not None:  # a backend has its own rules, and needs no kernel
            return Facts(CORE, is_removed=True) if self._removes(node.target) else Facts()
        facts = self._by_target.get(node.target)
        if facts is None:
            facts = self._by_target[node.target] = self._of_target(node)
        if node.id not in self._dtypes or facts.is_removed:
            return facts
        refused = self._dtypes[node.id]
        says = facts.says if refused is None else (*facts.says, refused)
        return replace(facts, dtypes=NOT_ALLOWED if refused else ALLOWED, says=says)

    def _of_target(self, node: Node) -> Facts:
        target = node.target
        if self._removes(target):
            return Facts(CORE, is_removed=True)
        core = core_status(target, is_lowered=self._is_lowered, is_verified=self._is_verified)
        if core == DECOMPOSES and not self._is_lowered:
            return Facts(core)
        core = "" if self._is_emitted else core  # out variants are not of Core ATen
        kernel = kernel_of(target, is_lowered=self._is_lowered)
        remedy = self._not_core_remedy(node) if core == NOT_CORE and target.type is TargetType.OP else ""
        return Facts(core, "", kernel, says=tuple(_says(target, core, kernel, remedy)))

    def _not_core_remedy(self, node: Node) -> str:
        """What helps with an operator that edge refuses: the step edge says the same."""
        live = None if self._trial is None else self._trial.live
        for path, graph in () if live is None else live.graphs():
            if path == node.graph.path:
                return op_remedy(next(call for call in graph.nodes if call.name == node.name))
        return Remedy.NOT_CORE

    def _removes(self, target: Target) -> bool:
        """Whether lowering removes it: checks at run time."""
        if self._is_lowered:
            return op_name(target) in REMOVED and not self._is_emitted
        return target.name in ASSERTS


def _says(target: Target, core: str, kernel: str, not_core_remedy: str) -> Iterable[tuple[str, str]]:
    """Why a call blocks, and what helps."""
    name, is_op = op_name(target), target.type is TargetType.OP
    if core == NOT_CORE and is_op:
        yield not_core(name), not_core_remedy
    elif core == NOT_CORE:
        remedy = Remedy.RUNTIME_HAS_IT if primitive_of(target) else Remedy.WITHOUT_IT
        yield f"The rules of the edge dialect do not allow {name}.", remedy
    if kernel == NO_KERNEL and not is_op:
        remedy = Remedy.LOOP if target.name == WHILE else Remedy.WITHOUT_IT
        yield f"ExecuTorch's runtime has no instruction for {name}.", remedy
    elif kernel == NO_KERNEL and core != NOT_CORE:
        yield f"ExecuTorch's libraries have no kernel for {name}.", Remedy.KERNEL


@dataclass(frozen=True)
class Operator:
    """One operator of a program.

    Attributes
    ----------
    runs
        By node: where it runs.
    facts
        The worst of its nodes.
    reasons
        By node: what keeps it from being delegated, or blocks it.
    remedies
        What helps.
    gain
        The part of the run, or of the bytes, of the calls that the first backend would not run: of all calls
        if no backend is known.
    time
        The part of a measured run, 0 to 1.
    bytes
        What its calls read and write.
    delegated
        By backend: how many calls it runs, or would run as a whole.
    becomes
        The edge operators that it becomes.
    """

    op: str
    runs: Mapping[str, Runs]
    facts: Facts
    reasons: Mapping[str, tuple[str, ...]]
    remedies: tuple[str, ...]
    gain: float | None
    time: float | None
    bytes: int
    delegated: Mapping[str, int]
    becomes: tuple[str, ...]

    @cached_property
    def status(self) -> Runs:
        """The worst of its calls, but "partly" where a backend runs some of them."""
        places = set(self.runs.values())
        lowest = min(places, key=_ORDER.index)
        is_mixed = lowest in (Runs.CPU, Runs.UNKNOWN) and places & {Runs.BACKEND, Runs.PARTLY}
        return Runs.PARTLY if is_mixed else lowest

    def count(self, runs: Runs) -> int:
        """How many of its calls run there."""
        return sum(run is runs for run in self.runs.values())

    @property
    def rank(self) -> tuple[bool, float, int, int, str]:
        """What blocks comes first, then what a fix gains most."""
        order = _ORDER.index(self.status)
        return self.status is not Runs.BLOCKED, -(self.gain or 0.0), order, -len(self.runs), self.op


def operators_of(
    snapshot: Snapshot,
    edge: Stage | None = None,
    trials: Sequence[BackendTrial] = (),
    shares: Mapping[str, float] | None = None,
) -> list[Operator]:
    """The operators of a program: what blocks first, then by what a fix gains.

    edge: the program lowered without checks. trials: what backends decided. shares: of a run, by node.
    """
    groups: dict[str, list[Node]] = {}
    for graph in snapshot.graphs:
        for position in working(graph):
            node = graph[position]
            groups.setdefault(op_name(node.target), []).append(node)
    assessor = _Assessor(snapshot, edge, trials, shares)
    operators = [assessor.operator(op, nodes) for op, nodes in groups.items()]
    return sorted(operators, key=lambda operator: operator.rank)


class _Assessor:
    def __init__(
        self,
        snapshot: Snapshot,
        edge: Stage | None,
        trials: Sequence[BackendTrial],
        shares: Mapping[str, float] | None,
    ) -> None:
        self._trials = [trial for trial in trials if not trial.failure]
        self._first = trials[0] if trials else None
        self._edge, self._shares = edge, shares
        self._known = _Known(snapshot)
        self._later = None if edge is None else _Known(edge.snapshot, edge)
        self._numbering, self._names = Numbering(snapshot), delegate_names(snapshot)
        sizes = Sizes.by_graph(snapshot)
        self._bytes = {
            graph[position].id: moved_bytes(graph[position], sizes[graph.number])
            for graph in snapshot.graphs
            for position in working(graph)
        }
        self._total = sum(self._bytes.values())

    def operator(self, op: str, nodes: Sequence[Node]) -> Operator:
        """The facts about an operator."""
        facts: dict[str, Facts] = {}
        becomes: dict[str, None] = {}
        for node in nodes:
            facts[node.id], names = self._facts(node)
            becomes |= dict.fromkeys(names)
        runs = {node.id: self._run(node, facts[node.id]) for node in nodes}
        is_blocked = Runs.BLOCKED in runs.values()
        says: dict[str, list[tuple[str, str]]] = {node.id: [] for node in nodes}
        for node in nodes:
            if is_blocked:  # what a backend runs needs no kernel
                says[node.id] += facts[node.id].says
            elif facts[node.id].is_taken_by_backend:
                says[node.id].append((f"edge() refuses {op}, backend() does not.", ""))
            for call in (call for trial in self._trials for call in trial.by_node.get(node.id, ())):
                if call.reason:
                    says[node.id].append((call.reason, "" if is_blocked else call.remedy))
        done = (Runs.BACKEND, Runs.REMOVED)
        return Operator(
            op,
            runs,
            _worst(list(facts.values())),
            {node: tuple(dict.fromkeys(reason for reason, _ in pairs)) for node, pairs in says.items()},
            tuple(dict.fromkeys(fix for pairs in says.values() for _, fix in pairs if fix)),
            self._share([node for node, run in runs.items() if run not in done]),
            None if self._shares is None else sum(self._shares.get(node, 0.0) for node in runs),
            sum(self._bytes[node] for node in runs),
            self._delegated(nodes),
            tuple(becomes),
        )

    def _facts(self, node: Node) -> tuple[Facts, tuple[str, ...]]:
        """The facts about a node and what it becomes, and these operators."""
        own = self._known.of(node)
        if self._later is None or self._edge is None:
            return own, ()
        numbers = [link.node for link in self._edge.lineage_index.descendants(self._numbering.number(node))]
        later = [self._edge.numbering.node(number) for number in numbers]
        calls = [
            call for call in later if call.op == "call_function" and call.position in working(call.graph)
        ]
        facts = _worst([self._later.of(call) for call in calls])
        if facts.core != NOT_CORE:  # edge's rules are checked on what is there before, too
            facts = replace(facts, core=own.core)
            if own.core == NOT_CORE:
                says = (*own.says, *facts.says)
                facts = replace(facts, is_taken_by_backend=bool(self._trials), says=says)
        return facts, tuple(dict.fromkeys(op_name(call.target) for call in calls))

    def _run(self, node: Node, facts: Facts) -> Runs:
        """Where a node would run, with the first of the backends."""
        part = self._part(self._first, node) if self._first else 0.0
        if delegate_around(node.graph) is not None or part == 1.0:
            return Runs.BACKEND
        if facts.is_removed:
            return Runs.REMOVED
        if facts.is_blocked:
            return Runs.BLOCKED
        if part:
            return Runs.PARTLY
        is_known = facts.kernel and not (self._first and self._first.failure)
        return Runs.CPU if is_known else Runs.UNKNOWN

    def _part(self, trial: BackendTrial, node: Node) -> float:
        """The part of what becomes of a node that a backend would run."""
        calls = trial.by_node.get(node.id, ())
        return sum(not call.reason for call in calls) / len(calls) if calls else 0.0

    def _delegated(self, nodes: Sequence[Node]) -> dict[str, int]:
        """By backend: the calls that it runs already, or would run."""
        counts = {
            trial.title: sum(self._part(trial, node) == 1.0 for node in nodes) for trial in self._trials
        }
        around = [delegate_around(node.graph) for node in nodes]
        delegated = Counter(self._names[graph.number].backend for graph in around if graph is not None)
        for name in {delegate.backend: None for delegate in self._names.values()}:
            counts[name] = counts.get(name, 0) + delegated[name]
        return counts

    def _share(self, nodes: Sequence[str]) -> float | None:
        """The part of the measured run, else of the bytes, of some nodes; None where none moves any."""
        if self._shares is not None:
            return sum(self._shares.get(node, 0.0) for node in nodes)
        return sum(self._bytes[node] for node in nodes) / self._total if self._total else None
