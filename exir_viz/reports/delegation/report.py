"""Assemble the report `delegation`: a headline, sections about a delegated program, and operators."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from exir_viz.errors import CaptureError
from exir_viz.options import refuse, several
from exir_viz.readers.files import recorded
from exir_viz.reports.report import Category, Cell, Column, Fact, Outcome, Report, Row, Section, Unit, worst
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.delegation import (
    OpsOnCpu,
    Share,
    delegate_bytes,
    module_of,
    ops_on_cpu,
    share_of,
    total_bytes,
)
from exir_viz.snapshot.format import byte_text, percent, plural, share_text
from exir_viz.snapshot.graph import Graph, Node
from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.placement import delegate_names, working
from exir_viz.snapshot.program import Dialect
from exir_viz.snapshot.sizes import Sizes, moved_bytes

from .backends import Trials, try_backends
from .operators import Operator, Runs, operators_of

if TYPE_CHECKING:
    from exir_viz.measure.profile import Profile

# Kinds of op that are named as those to fix first.
_FIX_FIRST: Final = 3
# Reasons that a row says of nodes that differ; with more of them, each node says its own.
_MOST_REASONS: Final = 3
_TIME: Final = Column("time", Unit.SHARE)


def delegation(
    snapshot: Snapshot,
    *,
    backends: Sequence[object] | str | None = None,
    profile: Profile | None = None,
    live: object = None,
) -> Report:
    """What could run where, what blocks lowering, and what to fix first.

    A live program is lowered to edge, and the partitioner of each backend says which calls it would run. The
    program is not changed. Of a lowered program, it says what the backends run, what they do not and why,
    and which bytes cross. For a file, the recorded facts about operators are used, without torch.

    Parameters
    ----------
    snapshot
        The program.
    backends
        The backends to ask, by name ("xnnpack") or as partitioners. Where calls run, gain and order are for
        the first. By default all that are installed, XNNPACK first; () asks none.
    profile
        A profile of the same program. Operators are then ordered by time, otherwise by bytes moved.
    live
        The live program or stage.
    """
    if profile is None and hasattr(type(live), "hottest"):
        profile = cast("Profile", live)
    shares = None
    if profile is not None:
        from exir_viz.measure.time_shares import time_shares

        shares = time_shares("reports.run", profile, snapshot)
    tried = _tried(snapshot, backends, live)
    operators = operators_of(tried.snapshot, tried.edge, tried.trials, shares)
    unexamined = [*tried.notes]
    is_delegated = bool(delegate_names(snapshot))
    has_gain = is_delegated or bool(tried.trials and not tried.trials[0].failure)
    sections = [
        *(_delegated(snapshot, shares, unexamined) if is_delegated else ()),
        _operators(operators, tried, is_timed=shares is not None, has_gain=has_gain),
    ]
    unknown = sum(operator.status is Runs.UNKNOWN for operator in operators)
    if unknown and not tried.is_live:
        unexamined.append(
            f"Where {plural(unknown, 'operator')} run is not known, because only lowering shows which "
            "kernels are needed. Pass the live program instead: the report lowers a copy of it."
        )
    by_run: dict[Runs, list[str]] = {run: [] for run in Runs}
    for operator in operators:
        for node, run in operator.runs.items():
            by_run[run].append(node)
    return Report(
        _headline(share_of(snapshot), operators, tried),
        Outcome.ERROR if tried.failure else worst(row for section in sections for row in section.rows),
        tuple(_facts(snapshot)),
        tuple(section for section in sections if section.rows),
        tuple(Category(run.value, tuple(nodes)) for run, nodes in by_run.items() if nodes),
        tuple(unexamined),
    )


def _tried(snapshot: Snapshot, backends: Sequence[object] | str | None, live: object) -> Trials:
    """What backends say, where there is a live program."""
    if not (backends is None or isinstance(backends, str) or several(backends)):
        refuse("reports.run", "backends", backends, "names of backends, such as ['xnnpack'], or partitioners")
    wanted = [backends] if isinstance(backends, str) else backends
    program = live
    if live is not None and recorded(live) is not None:  # a stage, a profile
        kept: Any = getattr(live, "live", None)
        program = None if kept is None else kept.manager or dict(kept.programs)
    if program is None:
        if wanted:
            refuse(
                "reports.run",
                "backends",
                backends,
                "no backends, because partitioners need a live program",
                "Pass the program, a stage of a session, or exir_viz.load(path, trust=True).program.",
            )
        return Trials(snapshot, is_live=False)
    try:
        return try_backends(program, wanted)
    except CaptureError as error:  # a program that a session does not start from
        if wanted:
            raise
        return Trials(snapshot, notes=[str(error)])


# --- The head --------------------------------------------------------------------------------------------


def _headline(share: Share, operators: Sequence[Operator], tried: Trials) -> str:
    """The outcome: "1 operator blocks lowering. XNNPACK would run 137 of 198 calls (69.2%)."."""
    blocked = sum(operator.status is Runs.BLOCKED for operator in operators)
    calls = sum(len(operator.runs) for operator in operators)
    taken = sum(
        operator.facts.is_taken_by_backend and operator.status is not Runs.BLOCKED for operator in operators
    )
    unknown = sum(operator.count(Runs.UNKNOWN) for operator in operators)
    removed = sum(operator.count(Runs.REMOVED) for operator in operators)
    sentences = [f"Lowering to edge fails: {tried.failure.rstrip('.')}."] if tried.failure else []
    is_emitted = tried.snapshot.method.dialect is Dialect.EXECUTORCH
    if blocked:
        verb = (
            "may fail in the runtime" if is_emitted else f"{'blocks' if blocked == 1 else 'block'} lowering"
        )
        sentences.append(f"{plural(blocked, 'operator')} {verb}.")
    elif not tried.failure and not share.backends and not taken:
        known = "No known operator blocks lowering." if unknown else "No operator blocks lowering."
        sentences.append("No operator is known to fail in the runtime." if is_emitted else known)
    if taken:
        sentences.append(f"edge() refuses {plural(taken, 'operator')}, backend() does not.")
    if unknown:
        verb = "is" if unknown == 1 else "are"
        sentences.append(f"{unknown:,} of {plural(calls, 'call')} {verb} not known.")
    sentences += _by_backend(share, operators, tried.answered, calls - removed)
    if removed and tried.answered:
        sentences.append(f"Lowering removes {plural(removed, 'other call')}.")
    return " ".join(sentences)


def _by_backend(
    share: Share, operators: Sequence[Operator], answered: Sequence[str], calls: int
) -> Iterator[str]:
    """What each backend would run; of a delegated program, what it runs, and of the other ops would run."""
    for name in dict.fromkeys((*share.backends, *answered)):
        count = share.backends.get(name, 0)
        if count:
            part = percent(count, share.ops)
            yield f"{name} runs {count:,} of {plural(share.ops, 'op')} ({part}%)."
        if name not in answered:
            continue
        more = sum(operator.delegated.get(name, 0) for operator in operators) - count
        if not share.backends:
            text = f" ({share_text(more / calls)})" if calls else ""  # a program may only return its inputs
            yield f"{name} would run {more:,} of {plural(calls, 'call')}{text}."
        elif more or not count:
            yield f"{name} would run {more:,} of the other {share.on_cpu:,}."


def _facts(snapshot: Snapshot) -> Iterator[Fact]:
    """How much is delegated, and what crosses."""
    numbers = delegate_names(snapshot)
    if not numbers:
        return
    share = share_of(snapshot)
    part = f"{share.delegated:,} of {plural(share.ops, 'op')} ({percent(share.delegated, share.ops)}%)"
    yield Fact("delegated", part if share.is_known else "unknown: the file does not list delegated ops")
    yield Fact("delegates", f"{len(numbers):,}")
    crossing = total_bytes(_transferred(snapshot.graphs[number]) for number in numbers)
    yield Fact("transferred", "depends on symbolic sizes" if crossing is None else byte_text(crossing))
    if share.is_known and not share.on_cpu:
        yield Fact("on the CPU", "none: every op is delegated")


# --- A delegated program ---------------------------------------------------------------------------------


def _delegated(
    snapshot: Snapshot, shares: Mapping[str, float] | None, problems: list[str]
) -> Iterator[Section]:
    """What is on the CPU, what to fix first, and the delegates."""
    rows = ops_on_cpu(snapshot, problems)
    fixable = [row for row in rows if not row.is_write_back][:_FIX_FIRST]
    others = [row for row in rows if row not in fixable]
    has_reasons = any(row.reason and not row.is_write_back for row in rows)
    notes = ["These ops touch the most delegates."] if others else []
    if not has_reasons:
        notes.append("No reasons recorded. Lower the model in a Session to see why.")
    timed = () if shares is None else (_TIME,)
    columns = (
        Column("touched delegates", Unit.COUNT),
        Column("transferred", Unit.BYTES),
        Column("bytes", Unit.BYTES),
        *timed,
    )
    sizes = Sizes.by_graph(snapshot)

    def cpu(row: OpsOnCpu) -> Row:
        moved = sum(moved_bytes(node, sizes[node.graph.number]) for node in row.nodes)
        missing = "No reason recorded." if has_reasons else ""
        return Row(
            row.op,
            row.reason or missing,
            row.remedy,
            Outcome.FINE if row.is_write_back else Outcome.NOTE,
            tuple(node.id for node in row.nodes),
            values=(len(row.calls), row.bytes, moved, *_time(row.nodes, shares)),
        )

    yield Section("Fix first", tuple(map(cpu, fixable)), columns, " ".join(notes))
    yield Section("Other ops on the CPU", tuple(map(cpu, others)), columns)
    delegates = [_delegate(snapshot.graphs[number], str(name), shares)
                 for number, name in delegate_names(snapshot).items()]  # fmt: skip
    small = sum(row.values[1] == 1 for row in delegates)
    note = f"{plural(small, 'delegate')} {'has' if small == 1 else 'have'} only one op." if small else ""
    columns = (
        Column("module"),
        Column("ops", Unit.COUNT),
        Column("payload", Unit.BYTES),
        Column("transferred", Unit.BYTES),
        *timed,
    )
    yield Section("Delegates", tuple(delegates), columns, note)


def _delegate(inner: Graph, name: str, shares: Mapping[str, float] | None) -> Row:
    """A delegate: its nodes are its call, which a runtime may time as a whole, and its ops."""
    call = [] if inner.holder is None else [inner.holder]
    graphs = list(inner.walk())
    ops = [graph[position] for graph in graphs for position in working(graph)]
    time = _time([*call, *(node for graph in graphs for node in graph)], shares)
    values = module_of(inner), len(ops), delegate_bytes(inner), _transferred(inner), *time
    return Row(name, nodes=tuple(node.id for node in (*call, *ops)), values=values)


def _transferred(inner: Graph) -> int | None:
    """The bytes of the tensors that a delegate takes, without state, and returns; None if one is symbolic."""
    call = inner.holder
    if call is None:
        return None
    outer = index_of(call.graph)
    state = {position for position, role in outer.roles.items() if role not in ("user_input", "input")}
    passed = [position for position in dict.fromkeys(call.input_positions) if position not in state]
    values = [position for position in passed if call.graph[position].op != "get_attr"]
    return total_bytes([*(outer.bytes[position] for position in values), outer.bytes[call.position]])


def _time(nodes: Sequence[Node], shares: Mapping[str, float] | None) -> tuple[Cell, ...]:
    """The cell of the part of a run; None where no node has a time."""
    if shares is None:
        return ()
    known = [shares[node.id] for node in nodes if node.id in shares]
    return (sum(known) if known else None,)


# --- Operators -------------------------------------------------------------------------------------------


def _operators(operators: Sequence[Operator], tried: Trials, *, is_timed: bool, has_gain: bool) -> Section:
    """A row per operator: what blocks first, then what a fix gains most."""
    backends = tuple(dict.fromkeys(name for operator in operators for name in operator.delegated))
    columns = (
        Column("calls", Unit.COUNT),
        *((_TIME,) if is_timed else ()),
        Column("bytes", Unit.BYTES),
        *((Column("gain", Unit.SHARE),) if has_gain else ()),
        *map(Column, ("runs on", "Core ATen", "dtypes", "kernel")),
        *(Column(name, Unit.COUNT) for name in backends),
        *((Column("becomes"),) if tried.edge is not None else ()),
    )
    cost = "measured run" if is_timed else "bytes moved"
    note = f"Gain: the part of the {cost} by calls that no backend runs." if has_gain else ""

    def row(operator: Operator) -> Row:
        facts = operator.facts
        is_left = operator.status in (Runs.CPU, Runs.PARTLY) and has_gain
        severity = Outcome.ERROR if operator.status is Runs.BLOCKED else Outcome.NOTE
        reasons = tuple(dict.fromkeys(reason for several in operator.reasons.values() for reason in several))
        is_short = len(reasons) <= _MOST_REASONS or len({*operator.reasons.values()}) == 1
        words = (operator.status.value, facts.core or None, facts.dtypes or None, facts.kernel or None)
        becomes = "; ".join(operator.becomes) if operator.becomes != (operator.op,) else "itself"
        return Row(
            operator.op,
            " ".join(reasons) if is_short else f"{len(reasons)} different reasons.",
            " ".join(operator.remedies),
            severity if operator.status is Runs.BLOCKED or is_left else Outcome.FINE,
            tuple(operator.runs),
            () if is_short else tuple(" ".join(operator.reasons[node]) for node in operator.runs),
            values=(
                len(operator.runs),
                *((operator.time,) if is_timed else ()),
                operator.bytes,
                *((operator.gain,) if has_gain else ()),
                *words,
                *(operator.delegated.get(name, 0) for name in backends),
                *((becomes or None,) if tried.edge is not None else ()),
            ),
        )

    return Section("Operators", tuple(map(row, operators)), columns, note)
