"""Assess a program: its own facts, what lowering it to edge shows, and what each backend would run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec.structs import replace

from exir_viz.extras import missing, needs_extra
from exir_viz.options import refuse
from exir_viz.progress_display import progress_display
from exir_viz.readers.accepted_inputs import check_inputs_unused
from exir_viz.readers.files import recorded
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.format import plural
from exir_viz.snapshot.graph import Node
from exir_viz.snapshot.index import delegate_around
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.placement import delegate_names, working
from exir_viz.snapshot.program import Dialect
from exir_viz.snapshot.sizes import Sizes, moved_bytes

from .op_facts import NONE, NOT_CORE, FactsOfNodes, OpFacts, worst
from .readiness import Readiness
from .records import OpReadiness, Status

if TYPE_CHECKING:
    from exir_viz.measure.profile import Profile
    from exir_viz.stages.backend_trial import BackendTrial
    from exir_viz.stages.stage import Stage

_ATEN: Final = (Dialect.ATEN_TRAINING, Dialect.ATEN, Dialect.ATEN_CORE)
_ORDER: Final = tuple(Status)


def readiness(
    x: object,
    args: tuple[Any, ...],
    export: Mapping[str, Any],
    backends: Sequence[object] | str | None,
    profile: Profile | None,
) -> Readiness:
    """Assess a program; see `exir_viz.readiness`. `export`: how to export a module."""
    kept = recorded(x)
    if kept is not None:
        check_inputs_unused("readiness", x, {"args": args, **export})
        if profile is None and hasattr(type(x), "hottest"):  # a Profile
            profile = cast("Profile", x)
        live = getattr(x, "live", None)
        if live is None:
            return _of_snapshot(kept, profile, backends)
        return _of_live(live.manager or dict(live.programs), (), {}, profile, backends)
    return _of_live(x, args, export, profile, backends)


def _of_snapshot(snapshot: Snapshot, profile: Profile | None, backends: object) -> Readiness:
    if backends:
        refuse(
            "readiness",
            "backends",
            backends,
            "no backends, because partitioners need a live program",
            "Pass the program, a stage of a session, or exir_viz.open_program(path, trust=True).",
        )
    return readiness_of(snapshot, profile)


def readiness_of(snapshot: Snapshot, profile: Profile | None = None) -> Readiness:
    """The readiness of operators as far as a Snapshot shows it; no backend is asked."""
    rows = _rows(snapshot, profile)
    unknown = sum(row.status is Status.UNKNOWN for row in rows)
    notes = []
    if unknown:
        notes.append(
            f"Not known of {plural(unknown, 'operator')}: only lowering shows which kernels are needed. "
            "exir_viz.readiness(program) lowers a copy of a live program."
        )
    return Readiness(snapshot, rows, (), notes)


def _of_live(
    x: object,
    args: tuple[Any, ...],
    export: Mapping[str, Any],
    profile: Profile | None,
    backends: Sequence[object] | str | None,
) -> Readiness:
    needs_extra("readiness() of a live program", "torch")
    from exir_viz.stages.session import Session

    session = Session(x, *args, **export)
    root = session.root
    names = () if backends is not None else _installed()
    wanted = [backends] if isinstance(backends, str) else list(names if backends is None else backends)
    if missing("executorch"):
        if backends:
            needs_extra("readiness(backends=…)", "executorch")
        note = "Install executorch to ask its backends: pip install 'exir-viz[executorch]'."
        return Readiness(root.snapshot, _rows(root.snapshot, profile), (), [note])
    return _of_stage(root, wanted, profile)


def _installed() -> tuple[str, ...]:
    from exir_viz.stages.steps.partitioners import offered

    return offered() if not missing("executorch") else ()


def _of_stage(root: Stage, backends: Iterable[object], profile: Profile | None) -> Readiness:
    from exir_viz.stages.backend_trial import try_backend
    from exir_viz.stages.records import StepKind

    notes: list[str] = []
    trials: list[BackendTrial] = []
    edge: Stage | None = None
    failure = ""
    assert root.live is not None
    dialect = root.snapshot.method.dialect
    if dialect in _ATEN:
        made = root.session.do(root, StepKind.EDGE, {"check_ir": False})
        if made.failure is None:
            edge = made
        else:
            failure = made.failure.reason
    tried: list[object] = []
    if dialect is not Dialect.EXECUTORCH and not failure:
        began = perf_counter()
        with progress_display() as update:
            for backend in backends:
                if update is not None:
                    title = backend if isinstance(backend, str) else type(backend).__name__
                    update(f"asking {title}", None, perf_counter() - began)
                tried.append(backend)
                trials.append(try_backend(root.live, dialect, backend))
    for one, backend in zip(trials, tried, strict=True):
        if one.failure:
            notes.append(f"{one.title} could not be asked: {one.failure}{_way_out(edge, backend)}")
    rows = _rows(root.snapshot, profile, edge, trials)
    answered = tuple(one.title for one in trials if not one.failure)
    return Readiness(root.snapshot, rows, answered, notes, failure)


def _way_out(edge: Stage | None, backend: object) -> str:
    """What helps where a backend cannot be asked about an exported program."""
    from exir_viz.stages.backend_trial import try_backend

    if edge is None or edge.live is None or try_backend(edge.live, Dialect.EDGE, backend).failure:
        return ""
    return ". Lower to edge first, then it answers: exir_viz.readiness(stage.edge())."


def _rows(
    snapshot: Snapshot,
    profile: Profile | None = None,
    edge: Stage | None = None,
    trials: Sequence[BackendTrial] = (),
) -> list[OpReadiness]:
    """A row per operator: what blocks first, then by what a fix gains, or by share if no backend is known."""
    groups: dict[str, list[Node]] = {}
    for graph in snapshot.graphs:
        for at in working(graph):
            groups.setdefault(op_name(graph[at].target), []).append(graph[at])
    assessor = _Assessor(snapshot, edge, trials, _shares(snapshot, profile))
    rows = sorted((assessor.row(op, nodes) for op, nodes in groups.items()), key=_rank)
    return rows if assessor.knows_backend else [replace(row, gain=None) for row in rows]


def _together(statuses: Collection[Status]) -> Status:
    """The status of an operator: the worst of its calls, but "partly" where a backend runs some of them."""
    lowest = min(statuses, key=_ORDER.index)
    is_mixed = lowest in (Status.CPU, Status.UNKNOWN) and not {Status.DELEGATED, Status.PARTLY}.isdisjoint(
        statuses
    )
    return Status.PARTLY if is_mixed else lowest


def _rank(row: OpReadiness) -> tuple[bool, float, int, int, str]:
    order = _ORDER.index(row.status)
    return row.status is not Status.BLOCKED, -(row.gain or 0.0), order, -row.calls, row.op


def _shares(snapshot: Snapshot, profile: Profile | None) -> Mapping[str, float] | None:
    """By node: its part of a measured run."""
    if profile is None:
        return None
    from exir_viz.measure.time_shares import time_shares

    return time_shares("readiness", profile, snapshot)


class _Assessor:
    """Makes the rows. Shares are of time with a profile, else of bytes read and written."""

    def __init__(
        self,
        snapshot: Snapshot,
        edge: Stage | None,
        trials: Sequence[BackendTrial],
        shares: Mapping[str, float] | None,
    ) -> None:
        self._trials = [one for one in trials if not one.failure]
        self._first = trials[0] if trials else None
        self._shares, self._edge = shares, edge
        self._own = FactsOfNodes(snapshot)
        self._later = None if edge is None else FactsOfNodes(edge.snapshot, is_trial=True)
        self._numbering = Numbering(snapshot)
        self._names = delegate_names(snapshot)
        self.knows_backend = bool(self._names) or bool(self._first and not self._first.failure)
        sizes = {graph.number: Sizes.hinted(method) for method in snapshot.methods.values()
                 for graph in method.graphs()}  # fmt: skip
        self._bytes = {
            graph.path + "/" + graph[at].name: moved_bytes(graph[at], sizes[graph.number])
            for graph in snapshot.graphs
            for at in working(graph)
        }
        self._total = sum(self._bytes.values())

    def row(self, op: str, nodes: list[Node]) -> OpReadiness:
        """The record of an operator."""
        facts = {node.id: self._facts(node) for node in nodes}
        runs = {node.id: self._run(node, facts[node.id][0]) for node in nodes}
        status = _together(runs.values())
        left = [node for node in nodes if runs[node.id] not in (Status.DELEGATED, Status.REMOVED)]
        merged = worst(found for found, _ in facts.values())
        if status is not Status.BLOCKED:  # what a backend runs needs no kernel
            merged.reasons, merged.fixes = [], []
        for trial in self._trials:
            for one in (one for node in nodes for one in trial.by_node.get(node.id, ())):
                if one.reason:
                    merged.add(one.reason, "" if status is Status.BLOCKED else one.remedy)
        return OpReadiness(
            op,
            len(nodes),
            tuple(node.id for node in nodes),
            status,
            self._share(left),
            None if self._shares is None else sum(self._shares.get(node.id, 0.0) for node in nodes),
            self._moved_by(nodes),
            merged.core,
            merged.dtypes,
            merged.kernel,
            self._delegated(nodes),
            list(runs.values()).count(Status.REMOVED),
            tuple(dict.fromkeys(one for _, becomes in facts.values() for one in becomes)),
            tuple(merged.reasons),
            tuple(merged.fixes),
            list(runs.values()).count(Status.UNKNOWN),
        )

    def _facts(self, node: Node) -> tuple[OpFacts, tuple[str, ...]]:
        """The facts about a node and what it becomes, and these operators."""
        own = self._own.of(node)
        if self._later is None or self._edge is None:
            return own, ()
        numbers = [link.node for link in self._edge.lineage_index.descendants(self._numbering.number(node))]
        later = [self._edge.numbering.node(number) for number in numbers]
        calls = [one for one in later if one.op == "call_function" and one.position in working(one.graph)]
        several = [self._later.of(one) for one in calls]
        found = worst(several)
        found.core = found.core if found.core == NOT_CORE else own.core
        found.is_removed = all(one.is_removed for one in several)
        return found, tuple(dict.fromkeys(op_name(one.target) for one in calls))

    def _run(self, node: Node, facts: OpFacts) -> Status:
        """Where a node would run, with the first of the backends."""
        part = self._part(self._first, node) if self._first else 0.0
        if delegate_around(node.graph) is not None or part == 1.0:
            return Status.DELEGATED
        if facts.is_removed:
            return Status.REMOVED
        if facts.is_blocked or facts.kernel == NONE:
            return Status.BLOCKED
        if part:
            return Status.PARTLY
        is_known = facts.kernel and not (self._first and self._first.failure)
        return Status.CPU if is_known else Status.UNKNOWN

    def _part(self, trial: BackendTrial, node: Node) -> float:
        """The part of what becomes of a node that a backend would run."""
        calls = trial.by_node.get(node.id, ())
        return sum(not one.reason for one in calls) / len(calls) if calls else 0.0

    def _delegated(self, nodes: list[Node]) -> dict[str, int]:
        """By backend: the calls that it runs already, or would run."""
        found = {one.title: sum(self._part(one, node) == 1.0 for node in nodes) for one in self._trials}
        around = [delegate_around(node.graph) for node in nodes]
        delegated = Counter(self._names[one.number].backend for one in around if one is not None)
        for name in {one.backend: None for one in self._names.values()}:
            found[name] = found.get(name, 0) + delegated[name]
        return found

    def _share(self, nodes: list[Node]) -> float | None:
        if self._shares is not None:
            return sum(self._shares.get(node.id, 0.0) for node in nodes)
        return sum(self._bytes[node.id] for node in nodes) / self._total if self._total else None

    def _moved_by(self, nodes: list[Node]) -> int:
        return sum(self._bytes[node.id] for node in nodes)
