"""Build the record of a Profile from the results of rounds: a row per delegate, the total, the difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from exir_viz.errors import as_clause
from exir_viz.measure.columns import NO_TIMES, columns
from exir_viz.measure.conditions import finished
from exir_viz.measure.cpu.measuring import Options
from exir_viz.measure.disturbance import away, uneven
from exir_viz.measure.records import NOT_MEASURABLE, SCHEMA, Basis, Conditions, ProfileRecord, Remark
from exir_viz.snapshot import Snapshot

from .rounds import RoundResults

# Default number of repeats: minimum and quartiles of 20 runs of an op are stable.
REPEATS = 20


class Row(NamedTuple):
    """A node by its name in the whole Snapshot, its part, and its target.

    A delegate in a branch or a loop has no part.
    """

    node: str
    part: str | None
    target: str


def record(
    snapshot: Snapshot,
    method: str,
    conditions: Conditions,
    options: Options,
    rows: Sequence[Row],
    found: RoundResults,
) -> ProfileRecord:
    """The record; equal calls of one delegate have the time of its part."""
    times = [None if row.part is None else found.parts.get(row.part) for row in rows]
    return ProfileRecord(
        schema=SCHEMA,
        method=method,
        dialect=snapshot.methods[method].dialect.value,
        conditions=finished(conditions, found.rounds, options.warmup),
        columns=columns(
            [row.node for row in rows],
            [Basis.ESTIMATED] * len(rows),
            [one or NO_TIMES for one in times],
        ),
        whole=found.whole,
        complete=not found.is_interrupted,
        remarks=(*_remarks(rows, found), *_disturbed(conditions, found)),
    )


def _remarks(rows: Sequence[Row], found: RoundResults) -> Iterator[Remark]:
    if found.whole is not None and any(row.part in found.parts for row in rows):
        yield Remark(
            "estimated",
            "The whole run is measured. The time of each delegate is estimated by running it alone.",
        )
    failed: dict[str, list[str]] = {}
    for row in rows:
        if row.part in found.failed:
            failed.setdefault(found.failed[row.part], []).append(row.target)
    for reason, targets in failed.items():
        why = reason[:1].upper() + as_clause(reason[1:])
        yield Remark(
            NOT_MEASURABLE,
            f"Could not be timed separately: {_counted(targets)}. {why}. executor='cpu' times "
            "all ops, also inside delegates.",
        )
    faint = _counted(row.target for row in rows if row.part in found.faint)
    if faint:
        yield Remark(NOT_MEASURABLE, f"Too fast to time (no slower than an empty program): {faint}.")
    nested = _counted(row.target for row in rows if row.part is None)
    if nested:
        yield Remark(
            NOT_MEASURABLE,
            "Delegates in branches and loops are not timed separately, because it is unknown how often they "
            f"run: {nested}.",
        )
    if found.is_interrupted:
        yield Remark("interrupted", "Interrupted: only the runs before that were measured.")


def _disturbed(conditions: Conditions, found: RoundResults) -> Iterator[Remark]:
    """The disturbance of the whole; parts run separately, and have their own processor times."""
    if found.whole is not None and found.mean_runs is not None:
        yield from away(
            found.disturbed, found.whole, conditions, "the whole run, and from its parts by their CPU times"
        )
        yield from uneven(found.mean_runs.long, found.whole, is_own=found.mean_runs.is_own)


def _counted(names: Iterable[str]) -> str:
    return ", ".join(f"{name} ×{count}" for name, count in Counter(names).most_common())
