"""Live programs → Snapshot: what can be captured, and how each is read.

The program, its shape environment and the user's module are not changed.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import torch
from torch.export import ExportedProgram

from exir_viz.options import by_name, flag, one_of, refuse
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.build import SnapshotBuilder
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.gc_pause import paused
from exir_viz.snapshot.program import Arena, Dialect, MethodDetail, MethodRecord, OriginOfSnapshot
from exir_viz.snapshot.utf8 import writable
from exir_viz.torch_internals.edge import constant_methods, training_methods
from exir_viz.torch_internals.features import collecting

from .accepted_inputs import arguments_of, check_inputs_unused, exporting_verb, not_captured
from .constant_methods import read_constant_method
from .exported import Emission, read_program
from .graphs import GraphReader, SharedReaders, graph_of
from .source_lines import read_sources
from .symbols import SymbolReader
from .watched_export import export_watched, with_watched

_NO_OPTIONS: Final[Mapping[str, Any]] = MappingProxyType({})


def capture(
    x: object,
    args: tuple[Any, ...] = (),
    export_options: Mapping[str, Any] = _NO_OPTIONS,
    *,
    dialect: Dialect | None = None,
    whole: bool = False,
    watch: bool = False,
) -> Snapshot:
    """Freeze a live program as a Snapshot; see `exir_viz.load`.

    args, export_options: how to export an nn.Module. whole: compute checksums of all weights and delegates,
       half a second per gigabyte. Otherwise only of those that take no noticeable time.

    Raises CaptureError for anything else, and ExportFailed if an nn.Module cannot be exported.
    """
    promised = None if dialect is None else Dialect(one_of("load", "dialect", dialect, tuple(Dialect)))
    flag("load", "whole", whole)
    if flag("load", "watch", watch) and export_options.get("strict"):
        hint = "Leave out strict=True: with it torch reads your code instead of running it."
        refuse("load", "watch", watch, "False, because strict=True", hint)
    options = {**export_options, "kwargs": by_name("load", "kwargs", export_options.get("kwargs"))}
    for name in ("strict", "prefer_deferred_runtime_asserts_over_guards"):
        flag("load", name, options.get(name, False))
    given = {name: one for name, one in {"args": args, **options}.items() if not _is_default(one)}
    if isinstance(x, torch.nn.Module):
        if graph_of(x) is not None and not given and not watch:
            return _graph_module(x, promised or Dialect.FX)
        from .exporting import export  # exporting imports more of torch than reading does

        given.pop("args", None)
        args = arguments_of(x, args, options["kwargs"])
        if watch:
            program, dims, seen = export_watched(x, args, given)
            snapshot = capture_programs(
                type(x).__name__, {"forward": program}, promised, dims=dims, whole=whole
            )
            return with_watched(snapshot, x, seen)
        program, dims = export(x, args, **given)
        return capture_programs(type(x).__name__, {"forward": program}, promised, dims=dims, whole=whole)
    kind = type(x).__name__
    is_manager = kind in ("EdgeProgramManager", "ExecutorchProgramManager", "ExecutorchProgram")
    if not isinstance(x, ExportedProgram) and not is_manager:
        raise not_captured(x)
    check_inputs_unused(exporting_verb(), x, {**given, "watch": watch})
    if isinstance(x, ExportedProgram):
        return capture_programs(kind, {"forward": x}, promised, whole=whole)
    return _manager(x, promised if kind == "EdgeProgramManager" else Dialect.EXECUTORCH, whole=whole)


def _is_default(value: object) -> bool:
    """Whether an option has its default. Not `not value`: a tensor has no truth value."""
    return value is None or value is False or (isinstance(value, tuple | dict) and not value)


def start(kind: str) -> SnapshotBuilder:
    """An empty builder that says what is captured, and with which torch and ExecuTorch."""
    return SnapshotBuilder(OriginOfSnapshot(kind, "", str(torch.__version__), _version("executorch")))


def finish(builder: SnapshotBuilder) -> Snapshot:
    """The Snapshot, with the source lines that its frames name."""
    snapshot = writable(builder.finish(read_sources(builder.frames)))
    snapshot.is_captured = True
    return snapshot


@paused
def capture_programs(
    kind: str,
    programs: Mapping[str, ExportedProgram],
    dialect: Dialect | None,
    emissions: Mapping[str, Emission] | None = None,
    dims: Mapping[tuple[str, str], str] | None = None,
    constants: Mapping[str, Any] | None = None,
    *,
    whole: bool = False,
) -> Snapshot:
    """Freeze programs, and then constant methods, as the methods of one Snapshot."""
    builder = start(kind)
    shared = SharedReaders(builder, whole=whole)
    with collecting(builder.notice):
        for name, program in programs.items():
            read_program(builder, shared, name, program, dialect, (emissions or {}).get(name), dims)
        for name in sorted(constants or {}):
            read_constant_method(builder, name, (constants or {})[name], dialect or Dialect.EDGE)
    shared.checksums.allowance.add_notice(builder)
    return finish(builder)


def _manager(manager: Any, dialect: Dialect | None, *, whole: bool) -> Snapshot:
    names = sorted(manager.methods, key=lambda name: (name != "forward", name))
    programs = {name: manager.exported_program(name) for name in names}
    emissions = {
        name: Emission(_arenas(program), _edge_handles(manager, name)) for name, program in programs.items()
    }
    added = training_methods(programs) if dialect is Dialect.EXECUTORCH else {}
    constants = {**constant_methods(manager), **added}
    return capture_programs(
        type(manager).__name__, programs, dialect, emissions, constants=constants, whole=whole
    )


def _arenas(program: ExportedProgram) -> tuple[Arena, ...]:
    sizes = program.graph_module.meta.get("non_const_buffer_sizes", ())
    # arena 0 is reserved for constants
    return tuple(Arena(number, int(size)) for number, size in enumerate(sizes) if number)


def _edge_handles(manager: Any, method: str) -> tuple[int, ...]:
    """By instruction of an ExecuTorch program: the debug handle that its node had in the edge program."""
    by_instruction = getattr(manager, "debug_handle_map", {}).get(method, {})
    handles = [NONE] * (max(by_instruction, default=-1) + 1)
    for instruction, handle in by_instruction.items():
        if isinstance(handle, int):  # a delegate has a list, one for each of its nodes
            handles[instruction] = handle
    return tuple(handles)


def _graph_module(module: torch.nn.Module, dialect: Dialect) -> Snapshot:
    builder = start(type(module).__name__)
    symbols = SymbolReader()
    with collecting(builder.notice):
        graph = GraphReader(builder, SharedReaders(builder), symbols).read(module, "forward")
        found, _ = symbols.finish({})
    builder.method(MethodRecord("forward", graph.number, dialect, symbols=found), MethodDetail())
    builder.notice("fx", "A GraphModule alone has no signature, state or range constraints.")
    return finish(builder)


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""
