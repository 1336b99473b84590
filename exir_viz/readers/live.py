"""Live programs → Snapshot: what can be captured, and how each is taken apart.

Nothing is changed: neither the program nor its shape environment nor the user's module.
"""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from typing import Any

import torch
from torch.export import ExportedProgram

from exir_viz.errors import CaptureError
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.build import SnapshotBuilder
from exir_viz.snapshot.collector import paused
from exir_viz.snapshot.program import Arena, Dialect, MethodDetail, MethodRecord, OriginOfSnapshot
from exir_viz.snapshot.utf8 import writable
from exir_viz.torch_internals.constant_methods import constant_methods
from exir_viz.torch_internals.features import collecting

from .constant_methods import read_constant_method
from .exported import read_program
from .graphs import GraphReader, SharedReaders, graph_of
from .sources import read_sources
from .symbols import SymbolReader
from .values import type_name


def capture(
    x: object, *args: Any, dialect: Dialect | None = None, whole: bool = False, **options: Any
) -> Snapshot:
    """Freeze a live program as a Snapshot.

    x: an ExportedProgram at any dialect; an EdgeProgramManager or ExecutorchProgramManager (all its
       methods); a torch.fx.GraphModule, or what torch.export.unflatten made; or an nn.Module, which is
       exported with `args` as example inputs (`kwargs=`, `dynamic_shapes=`, `strict=` as for
       torch.export.export).
    dialect: what the step that made the program promises, where its verifiers do not say it
       (`Dialect.ATEN_CORE` after run_decompositions).
    whole: take checksums of all weights and delegates, which is half a second for each gigabyte, and not
       of as many as take no time.

    Raises CaptureError for anything else, and ExportFailed if an nn.Module cannot be exported.
    """
    if isinstance(x, ExportedProgram):
        return capture_programs(type(x).__name__, {"forward": x}, dialect, whole=whole)
    if isinstance(x, torch.nn.Module) and graph_of(x) is not None and not args and not options:
        return _graph_module(x, dialect or Dialect.FX)
    if isinstance(x, torch.nn.Module):
        from .exporting import export  # exporting imports more of torch than reading does

        program, dims = export(x, args, **options)
        return capture_programs(type(x).__name__, {"forward": program}, dialect, dims=dims, whole=whole)
    kind = type(x).__name__
    if kind == "EdgeProgramManager":
        return _manager(x, dialect, whole=whole)
    if kind in ("ExecutorchProgramManager", "ExecutorchProgram"):
        return _manager(x, Dialect.EXECUTORCH, whole=whole)
    what = f"the class {type_name(x)} itself" if isinstance(x, type) else f"a {type_name(x)}"
    raise CaptureError(
        f"Cannot capture {what}. Pass an ExportedProgram, an EdgeProgramManager, an "
        "ExecutorchProgramManager, a torch.fx.GraphModule, or an nn.Module with its example inputs: "
        "capture(module, x). For a file, use exir_viz.load(path)."
    )


def start(kind: str) -> SnapshotBuilder:
    """An empty builder that says what is captured, and with which torch and ExecuTorch."""
    return SnapshotBuilder(OriginOfSnapshot(kind, "", str(torch.__version__), _version("executorch")))


def finish(builder: SnapshotBuilder) -> Snapshot:
    """The Snapshot, with the source lines that its frames name."""
    return writable(builder.finish(read_sources(builder.frames)))


def capture_programs(
    kind: str,
    programs: Mapping[str, ExportedProgram],
    dialect: Dialect | None,
    arenas: Mapping[str, tuple[Arena, ...]] | None = None,
    dims: Mapping[tuple[str, str], str] | None = None,
    constants: Mapping[str, Any] | None = None,
    *,
    whole: bool = False,
) -> Snapshot:
    """Freeze programs, and then constant methods, as the methods of one Snapshot."""
    builder = start(kind)
    shared = SharedReaders(builder, whole=whole)
    with paused(), collecting(builder.notice):
        for name, program in programs.items():
            read_program(builder, shared, name, program, dialect, (arenas or {}).get(name, ()), dims)
        for name in sorted(constants or {}):
            read_constant_method(builder, name, (constants or {})[name], dialect or Dialect.EDGE)
    shared.checksums.allowance.explain(builder)
    return finish(builder)


def _manager(manager: Any, dialect: Dialect | None, *, whole: bool) -> Snapshot:
    names = sorted(manager.methods, key=lambda name: (name != "forward", name))
    programs = {name: manager.exported_program(name) for name in names}
    arenas = {
        name: tuple(
            Arena(number, int(size))
            for number, size in enumerate(program.graph_module.meta.get("non_const_buffer_sizes", ()))
            if number  # arena 0 is reserved for constants
        )
        for name, program in programs.items()
    }
    constants = constant_methods(manager)
    return capture_programs(
        type(manager).__name__, programs, dialect, arenas, constants=constants, whole=whole
    )


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
