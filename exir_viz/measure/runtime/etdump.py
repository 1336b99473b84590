"""An ETDump that a user brings → a Profile: what another build of the runtime measured, by instruction.

ExecuTorch's own Inspector reads the file. An event names an instruction of the `.pte`; the nodes of an
executorch-stage program carry its number as their debug handle, and an ETRecord leads from it to edge nodes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from exir_viz.errors import FileError, MeasureError
from exir_viz.measure.columns import columns
from exir_viz.measure.profile import Profile
from exir_viz.measure.records import (
    SCHEMA,
    Basis,
    Conditions,
    Executor,
    ProfileRecord,
    Remark,
    Times,
)
from exir_viz.measure.statistic import quiet_runs, times_of
from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.program import Dialect

from .instructions import by_instruction

# Around an instruction's own time, which is that of these; the kernel's event within is part of it.
_CALLS = ("OPERATOR_CALL", "DELEGATE_CALL")
_WHOLE = "Method::execute"


@dataclass
class _Found:
    """The runs of one node, in nanoseconds."""

    node: Node
    runs: list[int] = field(default_factory=list)


def from_etdump(
    etdump: str | os.PathLike[str] | bytes,
    snapshot: Snapshot,
    *,
    etrecord: str | os.PathLike[str] | None = None,
    method: str | None = None,
) -> Profile:
    """Read an ETDump and put its times on the nodes of a Snapshot.

    snapshot: of the executorch-stage program that was run (`capture(to_executorch())`), whose instructions
       are found by number; or, with the `etrecord` that was made with the program, of its edge program.

    Raises FileError where the file is no ETDump, MeasureError where no event is of a node of the Snapshot.
    """
    name = method or snapshot.method.name
    chosen = snapshot.methods[name]
    if chosen.dialect is not Dialect.EXECUTORCH and etrecord is None:
        raise MeasureError(
            f"The Snapshot is of {chosen.dialect.value}, and an ETDump names instructions: pass a Snapshot "
            "of the executorch-stage program, or the ETRecord that was made with it as etrecord=…"
        )
    events = _events(etdump, etrecord)
    found, lost = _by_node(events, by_instruction(chosen), chosen.dialect is Dialect.EXECUTORCH)
    if not found:
        raise MeasureError("No event of the ETDump is of a node of this Snapshot: is it of another program?")
    wholes = next((_runs(event) for event in events if event.name == _WHOLE and event.perf_data), [])
    return Profile(_record(name, chosen.dialect.value, found, wholes, lost), snapshot)


def _events(etdump: Any, etrecord: Any) -> list[Any]:
    from executorch.devtools import Inspector
    from executorch.devtools.inspector import TimeScale

    given = {"etdump_data": etdump} if isinstance(etdump, bytes) else {"etdump_path": os.fspath(etdump)}
    record = None if etrecord is None else os.fspath(etrecord)
    file = "the ETDump" if isinstance(etdump, bytes) else Path(etdump).name
    scale = {"source_time_scale": TimeScale.NS, "target_time_scale": TimeScale.NS}
    try:
        inspector = Inspector(**given, etrecord=record, **scale)
    except OSError:
        raise
    except Exception as error:  # Inspector raises what flatc, JSON and its own asserts raise
        raise FileError(str(file), f"ExecuTorch's Inspector cannot read it: {error}") from error
    return [event for block in inspector.event_blocks for event in block.events]


def _by_node(
    events: Sequence[Any], by_handle: dict[int, Node], by_instruction: bool
) -> tuple[dict[str, _Found], int]:
    """Times by node, and how many instructions are of no node that is known."""
    found: dict[str, _Found] = {}
    lost = 0
    for event in _instructions(events):
        handles = event._instruction_id if by_instruction else event.debug_handles
        handles = [handles] if isinstance(handles, int) else list(handles or ())
        node = next((by_handle[handle] for handle in handles if handle in by_handle), None)
        if node is None:
            lost += 1
            continue
        runs = _runs(event)
        kept = found.setdefault(node.id, _Found(node))
        kept.runs = [a + b for a, b in zip(kept.runs, runs, strict=False)] if kept.runs else runs
    return found, lost


def _instructions(events: Sequence[Any]) -> Iterator[Any]:
    """One event an instruction: the call as a whole where it is there, else what is."""
    chosen: dict[int, Any] = {}
    for event in events:
        if event.perf_data is None or event._instruction_id is None or event.is_delegated_op:
            continue
        if event.name == _WHOLE or event._instruction_id < 0:
            continue
        if event.name in _CALLS or event._instruction_id not in chosen:
            chosen[event._instruction_id] = event
    yield from chosen.values()


def _runs(event: Any) -> list[int]:
    return [round(time) for time in event.perf_data.raw]


def _record(
    method: str, dialect: str, found: dict[str, _Found], wholes: list[int], lost: int
) -> ProfileRecord:
    longest = max(len(one.runs) for one in found.values())
    quiet = quiet_runs(wholes) if len(wholes) == longest else list(range(longest))
    times = [
        times_of(one.runs, quiet if len(one.runs) == longest else range(len(one.runs)))
        for one in found.values()
    ]
    rest: Times | None = None
    if len(wholes) == longest and all(len(one.runs) == longest for one in found.values()):
        sums = [sum(one.runs[run] for one in found.values()) for run in range(longest)]
        rest = times_of([whole - known for whole, known in zip(wholes, sums, strict=True)], quiet)
    remarks = [Remark("etdump", "Read from an ETDump: on which machine it was made, the file does not say.")]
    if lost:
        remarks.append(Remark("lost", f"{lost} instructions of the ETDump are of no node of this Snapshot."))
    return ProfileRecord(
        schema=SCHEMA,
        method=method,
        dialect=dialect,
        conditions=Conditions(Executor.ETDUMP, threads=0, repeats=longest, warmup=0),
        columns=columns([*found], [Basis.MEASURED] * len(times), times),
        whole=times_of(wholes, quiet) if len(wholes) == longest else None,
        overhead=rest,
        remarks=tuple(remarks),
    )
