"""Convert an ETDump to a Profile: the times that another build of the runtime recorded, by instruction.

An event names an instruction of the `.pte`; the nodes of an ExecuTorch program have its number as their debug
handle, and an ETRecord, which is read as data, maps it to edge nodes.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from exir_viz.errors import MeasureError
from exir_viz.measure.columns import columns
from exir_viz.measure.conditions import elsewhere
from exir_viz.measure.profile import Profile
from exir_viz.measure.records import SCHEMA, Basis, Executor, ProfileRecord, Remark
from exir_viz.measure.statistic import fastest_half, times_of
from exir_viz.options import wrong_argument
from exir_viz.readers.etrecord import read_maps
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.format import plural
from exir_viz.snapshot.program import Dialect

from .events import Dump, read
from .places import Found, Instructions, Recorded


def from_etdump(
    etdump: str | os.PathLike[str] | bytes,
    snapshot: Snapshot,
    *,
    etrecord: str | os.PathLike[str] | None = None,
    method: str | None = None,
) -> Profile:
    """Read an ETDump, which a runtime with the event tracer wrote, as a Profile of a Snapshot.

    Parameters
    ----------
    etdump
        The file, or its bytes. They are read as data.
    snapshot
        The ExecuTorch program that ran (`session["executorch"].snapshot`); or, with `etrecord`, its edge
        program.
    etrecord
        The file made with the program. With it, the times that a backend recorded inside its delegates are
        used too.
    method
        The method that ran, if there are several.

    Returns
    -------
    Profile
        The recorded time of each node.

    Raises
    ------
    FileError
        If the file is no ETDump, or truncated.
    MeasureError
        If it was recorded for another program.
    WrongArgument
        If the Snapshot is of neither program, or the ETRecord has no such method.

    Examples
    --------
    >>> (folder / "run.etdp").write_bytes(b"not recorded")
    12
    >>> exir_viz.measure.from_etdump(folder / "run.etdp", session.edge().executorch().snapshot)
    Traceback (most recent call last):
        ...
    exir_viz.errors.FileError: ...
    """
    dump = read(etdump)
    name = method or snapshot.method.name
    chosen = snapshot.methods[name]
    is_last = chosen.dialect is Dialect.EXECUTORCH
    if not is_last and etrecord is None:
        raise wrong_argument(
            f"The Snapshot is of {chosen.dialect.value}, and an ETDump names instructions: pass a Snapshot "
            "of the executorch-stage program, or the ETRecord that was made with it as etrecord=…"
        )
    handles, delegates = ({}, {}) if etrecord is None else read_maps(Path(etrecord))
    if etrecord is not None and name not in handles:
        raise wrong_argument(f"The ETRecord has no method {name!r}. It has: {', '.join(handles) or 'none'}.")
    within = delegates.get(name, {})
    places = Instructions(chosen, within) if is_last else Recorded(chosen, handles[name], within)
    found = places.place(dump.calls)
    if not found.nodes:
        raise MeasureError(
            f"The ETDump has {plural(len(dump.calls), 'instruction')}, none of a node of this Snapshot: "
            "it is of another program. Pass the executorch-stage program that wrote the .pte that was run."
        )
    return Profile(_record(name, chosen.dialect.value, dump, found), snapshot)


def _record(method: str, dialect: str, dump: Dump, found: Found) -> ProfileRecord:
    placed = list(found.nodes.values())
    fastest = fastest_half(dump.wholes) if dump.wholes else list(range(dump.runs))
    sums = [sum(one.runs[run] for one in placed) for run in range(dump.runs)]
    rest = [whole - known for whole, known in zip(dump.wholes, sums, strict=False)]
    return ProfileRecord(
        schema=SCHEMA,
        method=method,
        dialect=dialect,
        conditions=elsewhere(Executor.ETDUMP, dump.runs),
        columns=columns(
            [*found.nodes],
            [Basis.MEASURED if one.is_sure else Basis.ESTIMATED for one in placed],
            [times_of(one.runs, fastest) for one in placed],
            calls=[one.calls for one in placed],
        ),
        whole=times_of(dump.wholes, fastest) if dump.wholes else None,
        overhead=times_of(rest, fastest) if dump.wholes else None,
        remarks=tuple(Remark(code, text) for code, text in _remarks(dump, found)),
    )


def _remarks(dump: Dump, found: Found) -> Iterator[tuple[str, str]]:
    yield "etdump", "Read from an ETDump, which does not record the machine that it was made on."
    shared = sum(not one.is_sure for one in found.nodes.values())
    if shared:
        nodes = plural(shared, "node shares", "nodes share")
        text = f"{nodes} measured times evenly (several became one): these times are estimates."
        yield "estimated", text
    if found.lost:
        some = ", ".join(map(str, found.lost[:5])) + (", …" if found.lost[5:] else "")
        text = "Instructions of the ETDump that match no node of this Snapshot"
        yield "lost", f"{text}: {len(found.lost)} (number {some})."
    if found.unnamed:
        text = "Times inside delegates that match no known node"
        yield "unnamed", f"{text}: {found.unnamed}. The time of the delegate includes them."
    if found.faster:
        text = "Delegates whose parts were left out, because they took longer than the delegate"
        yield "parts", f"{text}: {found.faster}."
    if dump.left_out:
        text = "Runs that were left out, because they took another path through the program"
        yield "left out", f"{text}: {dump.left_out}."
