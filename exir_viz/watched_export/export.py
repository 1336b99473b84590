"""Export a module with its lines watched, and capture the program with what was seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from exir_viz.readers.source_lines import read_sources
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.build import Interner
from exir_viz.snapshot.frames import assigned_variable, is_users
from exir_viz.snapshot.program import FileRuns
from exir_viz.snapshot.records import Frame

from .line_watch import LineWatch, watched_lines
from .recorded import last_generated
from .seen_values import seen_values

if TYPE_CHECKING:
    import torch
    from torch.export import ExportedProgram

    from exir_viz.readers.exporting import DimNames


def watched_snapshot(module: torch.nn.Module, args: tuple[Any, ...], export: Mapping[str, Any]) -> Snapshot:
    """The Snapshot of an exported module, which keeps the lines that ran and the values that were seen.

    With strict=True, torch reads the code instead of running it: then there is nothing to watch.
    """
    from exir_viz.readers.accepted_inputs import arguments_of
    from exir_viz.readers.exporting import export as exported
    from exir_viz.readers.live import capture_programs
    from exir_viz.torch_internals.export import full_stack_traces
    from exir_viz.torch_internals.process_state import Interruption, undisturbed

    args = arguments_of(module, args, export.get("kwargs"))
    paths = {id(one): path for path, one in module.named_modules()}

    def watched(_interruption: Interruption) -> tuple[ExportedProgram, DimNames, LineWatch]:
        with full_stack_traces(), watched_lines(paths) as watch:
            return *exported(module, args, **export), watch

    program, dims, watch = undisturbed(watched)
    snapshot = capture_programs(type(module).__name__, {"forward": program}, None, dims=dims)
    if export.get("strict"):
        return snapshot
    snapshot = _with_users_traces(snapshot, watch)
    watch.keep({frame.file for frame in snapshot.detail.frames if is_users(frame.file)})
    detail = msgspec.structs.replace(
        snapshot.detail, runs=_runs(watch), python_values=seen_values(module, watch, snapshot)
    )
    return snapshot.reworded(snapshot.skeleton, detail)


def _with_users_traces(snapshot: Snapshot, watch: LineWatch) -> Snapshot:
    """The stack traces without functions of torch, which torch.export leaves out too.

    Generated code is followed by the user's lines that it comes from.
    """
    frames = Interner[Frame]({frame: number for number, frame in enumerate(snapshot.detail.frames)})
    traces = []
    for trace in snapshot.detail.traces:
        named = [snapshot.detail.frames[one] for one in trace]
        kept = [one for one in named if is_users(one.file) or one.function == "forward"] or named
        traces.append(tuple(frames[one] for one in (*kept, *_generated_from(kept, watch))))
    detail = msgspec.structs.replace(
        snapshot.detail, frames=tuple(frames), traces=tuple(traces), sources=tuple(read_sources(frames))
    )
    return snapshot.reworded(snapshot.skeleton, detail)


def _generated_from(frames: list[Frame], watch: LineWatch) -> tuple[Frame, ...]:
    """The user's lines from which the innermost line of a trace was generated: "sin = x.sin();"."""
    at = last_generated(frames)
    if at is None or at + 1 < len(frames):
        return ()
    variable = assigned_variable(frames[at].code)
    return watch.generated.get(frames[at].file, {}).get(variable, ())


def _runs(watch: LineWatch) -> tuple[FileRuns, ...]:
    return tuple(
        FileRuns(file, tuple(one for one, _ in arcs), tuple(one for _, one in arcs), tuple(arcs.values()))
        for file, arcs in watch.arcs.items()
    )
