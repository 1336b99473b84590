"""The `.pte` reader: ExecuTorch's flatbuffer → Snapshot.

Enters: the bytes of a `.pte`, or its path. Leaves: a Snapshot, a method for each execution plan. torch,
ExecuTorch and backends are not used: nothing that the file could make run. Of the weights, constants of up to
64 elements are kept; the others are read for checksums, within an allowance.

Kept: methods, instructions, operators, values, delegates (backend, size, options), constants (size, dtype,
shape, data when small), arenas and places in them, containers of inputs and outputs, stack traces where the
program was emitted with them. The Snapshot's notices say what was inferred.

The flow: `container` (header, segments) → `table_reader` (bounds-checked, by `schema`) → `plan` (a method
each: `values`, `dataflow`, `instructions`, `instruction_nodes`, `node_writer`, `constants`, `signature`).
What backends wrote is read by `payloads`.
"""

from __future__ import annotations

from pathlib import Path

from exir_viz.errors import MalformedFile, UnsupportedVersion
from exir_viz.readers.checksums import MAX_BYTES, Allowance
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.build import SnapshotBuilder
from exir_viz.snapshot.program import OriginOfSnapshot
from exir_viz.upgrade_hint import upgrade_hint

from .bundle import unbundled
from .container import Container, Source
from .corrupt import Corrupt
from .notices import explain_file
from .plan import PlanReader

__all__ = ["read"]


def read(
    data: bytes | bytearray | memoryview | str | Path, file: str = "", *, whole: bool = False
) -> Snapshot:
    """Read a `.pte`, given as bytes or as a path; `file` names it in errors and in the Snapshot.

    whole: checksums of all constants and delegates, however large.

    Raises a FileError that names the file, the member and the reason.
    """
    if isinstance(data, (str, Path)):
        path = Path(data)
        with path.open("rb") as handle:

            def read_at(offset: int, size: int) -> bytes:
                handle.seek(offset)
                return handle.read(size)

            return _read(Source(path.stat().st_size, read_at), file or path.name, whole=whole)
    view = memoryview(data)
    source = Source(len(view), lambda offset, size: bytes(view[offset : offset + size]))
    return _read(source, file or "bytes", whole=whole)


def _read(source: Source, file: str, *, whole: bool) -> Snapshot:
    from exir_viz.readers.payloads.reader import PayloadReader  # payloads are flatbuffers too

    # what is shared is read once: more than the file has is never read
    allowance = Allowance(max(source.size, MAX_BYTES) if whole else MAX_BYTES)
    container = None
    try:
        container = Container(unbundled(source))
        version = f"ET12, schema {container.program.version}"
        builder = SnapshotBuilder(OriginOfSnapshot("pte", file, file_version=version))
        plans = container.program.execution_plan
        _check_names([plan.name for plan in plans])
        reader = PlanReader(builder, container, allowance, PayloadReader(builder))
        for number, plan in enumerate(plans):
            try:
                reader.read(plan)
            except Corrupt as error:
                raise error.within(f"execution_plan[{number}]") from None
        explain_file(builder, container)
        allowance.add_notice(builder)
    except Corrupt as error:
        raise (error if container is None else _as_newer(error, container)).error(file) from None
    return builder.finish()


def _as_newer(error: Corrupt, container: Container) -> Corrupt:
    """The error of a file that a newer ExecuTorch wrote: it may well be sound."""
    if error.type is MalformedFile and (container.program.version or container.unknown):
        error.type, error.hint = UnsupportedVersion, upgrade_hint()
        error.reason += ". A newer ExecuTorch may have written the file"
    return error


def _check_names(names: list[str]) -> None:
    if not names:
        raise Corrupt("it has no methods").within("execution_plan")
    if len(set(names)) != len(names):
        raise Corrupt(f"two methods have the same name, among {names[:20]}").within("execution_plan")
