"""A program as bytes, to be measured in another process: in torch's format, or in ExecuTorch's.

Only ExecuTorch's own format keeps edge ops and delegates. It keeps only tensors as example inputs, and does
not distinguish the constants True and 1: these are sent separately.
"""

from __future__ import annotations

import dataclasses
import importlib
import io
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch.export import ExportedProgram
from torch.export.graph_signature import ConstantArgument, InputKind

from exir_viz.errors import MeasureError, MissingImport, as_clause
from exir_viz.measure.cpu.check import symbols_of
from exir_viz.measure.cpu.describe import first_line
from exir_viz.measure.cpu.inputs import places
from exir_viz.measure.cpu.real import check_state
from exir_viz.measure.cpu.structure import examples
from exir_viz.measure.cpu.symbols import user_names
from exir_viz.measure.live import resolved
from exir_viz.measure.records import Executor
from exir_viz.readers.live import capture_programs
from exir_viz.readers.trusted_loading import loading_error, torch_load
from exir_viz.snapshot import Snapshot, wire
from exir_viz.snapshot.program import Dialect
from exir_viz.torch_internals.export import set_example_inputs, without_example_inputs
from exir_viz.torch_internals.pytrees import pytree

from .needs import modules_of

if TYPE_CHECKING:
    from exir_viz.measure.runtime.measuring import Lowered

# torch.export.save writes ops of these dialects in a form that it cannot load.
_OF_EXECUTORCH = (Dialect.EDGE, Dialect.BACKEND, Dialect.EXECUTORCH)


class NotSent(MeasureError):
    """Raised for a program that can be measured here, but not sent to another process; `reason` says why."""

    def __init__(self, saver: str, error: Exception, symbols: Mapping[str, str]) -> None:
        reason = f"It cannot be sent to another process, as {saver} cannot save it ({first_line(error)})."
        super().__init__(f"{reason} Without on=, a sweep measures it in this process.")
        self.reason = reason
        self.symbols = symbols


@dataclass(frozen=True)
class PackedProgram:
    """A program, its Snapshot, and the modules to import for it, requested or found.

    `examples` are its example inputs, flat, and `constants` the specialized inputs, if its format does not
    keep them. `pte` is the program for the ExecuTorch runtime; None if eager torch runs it. `symbols` are
    torch's names of its symbols by the names that users know, which files do not keep.
    """

    program: bytes
    by_torch: bool
    snapshot: bytes
    method: str
    imports: tuple[str, ...]
    known: tuple[str, ...]
    examples: tuple[Any, ...] | None
    constants: tuple[Any, ...]
    pte: bytes | None
    symbols: Mapping[str, str]


class Unpacked(NamedTuple):
    """An unpacked program, in the form of a stage for `profile`.

    Its Snapshot is the sender's, if saving and loading kept the names of all nodes.
    """

    snapshot: Snapshot
    programs: Mapping[str, ExportedProgram]
    live: None = None


def pack(
    x: Any, inputs: Any, kwargs: Any, method: str | None, imports: Iterable[str], executor: str = Executor.CPU
) -> tuple[PackedProgram, Snapshot]:
    """Pack anything that `profile` accepts; raises an ExirVizError if it cannot be packed."""
    program, snapshot, pte, name = _resolved(x, inputs, kwargs, method, executor)
    check_state(program)
    by_torch = snapshot.methods[name].dialect not in _OF_EXECUTORCH
    named = user_names(program)
    symbols = {named.get(name, name): name for name in symbols_of(program)}
    try:
        data = _saved(program, by_torch)
    except Exception as error:
        raise NotSent("torch" if by_torch else "ExecuTorch", error, symbols) from error
    examples_and_constants = (None, ()) if by_torch else _examples(program)
    packed = PackedProgram(
        *(data, by_torch, wire.encode(snapshot), name, tuple(imports), modules_of(program)),
        *examples_and_constants,
        pte,
        symbols,
    )
    return packed, snapshot


def _resolved(
    x: Any, inputs: Any, kwargs: Any, method: str | None, executor: str
) -> tuple[ExportedProgram, Snapshot, bytes | None, str]:
    if executor == Executor.CPU:
        program, snapshot, name = resolved(x, inputs, kwargs, method)
        return program, snapshot, None, name
    from exir_viz.measure.runtime.measuring import lowered  # ExecuTorch takes seconds to import

    return lowered(x, method)


def _examples(program: ExportedProgram) -> tuple[tuple[Any, ...] | None, tuple[Any, ...]]:
    kept = examples(program)
    return None if kept is None else tuple(kept), tuple(place.constant for place in places(program))


def unpack(packed: PackedProgram) -> Unpacked | Lowered:
    """The live program; raises MeasureError that says what this process lacks."""
    for name in packed.imports:
        try:
            importlib.import_module(name)
        except ImportError as error:
            raise MeasureError(
                f"Cannot import {name!r}, which imports= asks for: {as_clause(error)}."
            ) from error
    absent = _import_known(packed.known)
    try:
        program = _loaded(packed)
    except MissingImport as error:
        module = repr(error.module) if error.module else "…"
        raise MeasureError(
            f"The process that measures cannot load it: {error.reason}. Name the module that registers it: "
            f"imports=[{module}].{absent}"
        ) from error
    snapshot = wire.decode(packed.snapshot, "the packed program")
    names = set(snapshot.methods[packed.method].graph.columns.names)
    if not all(node.name in names for node in program.graph.nodes):
        snapshot = capture_programs(type(program).__name__, {packed.method: program}, None)
    if packed.pte is None:
        return Unpacked(snapshot, {packed.method: program})
    from exir_viz.measure.runtime.measuring import Lowered

    return Lowered(program, snapshot, packed.pte, packed.method)


def _import_known(names: Iterable[str]) -> str:
    """Import the modules that exist; loading shows whether a missing one was needed."""
    absent = []
    for name in names:
        try:
            importlib.import_module(name)
        except Exception as error:  # noqa: BLE001  a module raises what it likes
            absent.append(f" Importing {name} failed there: {first_line(error)}.")
    return "".join(absent)


def _saved(program: ExportedProgram, by_torch: bool) -> bytes:
    buffer = io.BytesIO()
    if by_torch:
        torch.export.save(program, buffer)
    else:
        from executorch.exir.serde.serialize import save

        save(without_example_inputs(program), buffer)
    return buffer.getvalue()


def _loaded(packed: PackedProgram) -> ExportedProgram:
    buffer = io.BytesIO(packed.program)
    if packed.by_torch:
        return torch_load(buffer, "the program")
    _import_executorch()
    from executorch.exir.serde.serialize import load

    try:
        program: ExportedProgram = load(buffer)
    except Exception as error:
        raise loading_error("the program", error, "ExecuTorch") from error
    _restore(program, packed)
    return program


def _restore(program: ExportedProgram, packed: PackedProgram) -> None:
    """Restore what ExecuTorch's format does not keep."""
    specs = (one for one in program.graph_signature.input_specs if one.kind is InputKind.USER_INPUT)
    for spec, constant in zip(specs, packed.constants, strict=True):
        if isinstance(spec.arg, ConstantArgument):
            spec.arg = dataclasses.replace(spec.arg, value=constant)
    spec = program.call_spec.in_spec
    if packed.examples is not None and spec is not None:
        set_example_inputs(program, pytree.tree_unflatten(packed.examples, spec))


def _import_executorch() -> None:
    """Import ExecuTorch's libraries; their log messages are not about the program."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        import executorch.exir.serde.serialize  # noqa: F401  imported for the classes it registers
    finally:
        logging.disable(before)
