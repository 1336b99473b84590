"""A program in bytes, to be measured in another process: as torch saves it, or as ExecuTorch does.

Only ExecuTorch's own format keeps edge ops, and what a backend took.
"""

from __future__ import annotations

import importlib
import io
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch.export import ExportedProgram

from exir_viz.errors import MeasureError, MissingImport
from exir_viz.measure.live import resolved
from exir_viz.readers.live import capture_programs
from exir_viz.readers.trust import explained, torch_load
from exir_viz.snapshot import Snapshot, wire
from exir_viz.snapshot.program import Dialect

from .needs import modules_of

# Of these torch.export.save keeps no ops that it can load again.
_OF_EXECUTORCH = (Dialect.EDGE, Dialect.BACKEND, Dialect.EXECUTORCH)


@dataclass(frozen=True)
class Parcel:
    """A program, its Snapshot, and the modules to import for it: those asked for, and those known here."""

    program: bytes
    by_torch: bool
    snapshot: bytes
    method: str
    imports: tuple[str, ...]
    known: tuple[str, ...]


class Unpacked(NamedTuple):
    """A program that came in a parcel, as `profile` takes a stage.

    Its Snapshot is the sender's, where saving and loading kept the names of all nodes.
    """

    snapshot: Snapshot
    programs: Mapping[str, ExportedProgram]
    live: None = None


def pack(
    x: Any, inputs: Any, kwargs: Any, method: str | None, imports: Iterable[str]
) -> tuple[Parcel, Snapshot]:
    """Anything that `profile` takes as a parcel; raises an ExirVizError where it cannot be one."""
    program, snapshot, name = resolved(x, inputs, kwargs, method)
    by_torch = snapshot.methods[name].dialect not in _OF_EXECUTORCH
    try:
        data = _saved(program, by_torch)
    except Exception as error:
        raise MeasureError(
            f"It cannot be sent to another process, as {'torch' if by_torch else 'ExecuTorch'} cannot save "
            f"it ({_first_line(error)}). profile() measures it in this process."
        ) from error
    known = modules_of(program)
    return Parcel(data, by_torch, wire.encode(snapshot), name, tuple(imports), known), snapshot


def unpack(parcel: Parcel) -> Unpacked:
    """The program, live; raises MeasureError that says what is missing in this process."""
    for name in parcel.imports:
        try:
            importlib.import_module(name)
        except ImportError as error:
            raise MeasureError(f"Cannot import {name!r}, which imports= asks for: {error}.") from error
    absent = _import_known(parcel.known)
    try:
        program = _loaded(parcel)
    except MissingImport as error:
        module = repr(error.module) if error.module else "…"
        raise MeasureError(
            f"The process that measures cannot load it: {error.reason}. Name the module that registers it: "
            f"imports=[{module}].{absent}"
        ) from error
    snapshot = wire.decode(parcel.snapshot, "the parcel")
    names = set(snapshot.methods[parcel.method].graph.columns.names)
    if not all(node.name in names for node in program.graph.nodes):
        snapshot = capture_programs(type(program).__name__, {parcel.method: program}, None)
    return Unpacked(snapshot, {parcel.method: program})


def _import_known(names: Iterable[str]) -> str:
    """Import what the program needs if it is there; loading says whether it could do without."""
    absent = []
    for name in names:
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001  a module raises what it likes
            absent.append(f" Importing {name} failed there: {_first_line(error)}.")
    return "".join(absent)


def _saved(program: ExportedProgram, by_torch: bool) -> bytes:
    buffer = io.BytesIO()
    if by_torch:
        torch.export.save(program, buffer)
    else:
        from executorch.exir.serde.serialize import save

        save(program, buffer)
    return buffer.getvalue()


def _loaded(parcel: Parcel) -> ExportedProgram:
    buffer = io.BytesIO(parcel.program)
    if parcel.by_torch:
        return torch_load(buffer, "the program")
    _import_executorch()
    from executorch.exir.serde.serialize import load

    try:
        program: ExportedProgram = load(buffer)
    except Exception as error:
        raise explained("the program", error, "ExecuTorch") from error
    return program


def _import_executorch() -> None:
    """What its libraries log when they are imported is not about the program."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        import executorch.exir.serde.serialize  # noqa: F401  imported for the classes it registers
    finally:
        logging.disable(before)


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:300]}" if lines else type(error).__name__
