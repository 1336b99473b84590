"""Export a module with its lines watched, and capture the program with what was seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.frames import is_users
from exir_viz.snapshot.program import FileRuns

from .line_watch import LineWatch, watched_lines
from .seen_values import seen_values

if TYPE_CHECKING:
    import torch


def watched_snapshot(module: torch.nn.Module, args: tuple[Any, ...], export: Mapping[str, Any]) -> Snapshot:
    """The Snapshot of an exported module, which keeps the lines that ran and the values that were seen.

    With strict=True, torch reads the code instead of running it: then there is nothing to watch.
    """
    from exir_viz.readers.exporting import export as exported
    from exir_viz.readers.live import capture_programs
    from exir_viz.torch_internals.full_stack_traces import full_stack_traces

    paths = {id(one): path for path, one in module.named_modules()}
    with full_stack_traces(), watched_lines(paths) as watch:
        program, dims = exported(module, args, **export)
    snapshot = capture_programs(type(module).__name__, {"forward": program}, None, dims=dims)
    if export.get("strict"):
        return snapshot
    watch.keep({frame.file for frame in snapshot.detail.frames if is_users(frame.file)})
    detail = msgspec.structs.replace(
        snapshot.detail,
        traces=_users_traces(snapshot),
        runs=_runs(watch),
        python_values=seen_values(module, watch, snapshot),
    )
    return snapshot.reworded(snapshot.skeleton, detail)


def _users_traces(snapshot: Snapshot) -> tuple[tuple[int, ...], ...]:
    """The stack traces without functions of torch, which torch.export leaves out too."""
    frames = snapshot.detail.frames
    kept = [is_users(frame.file) or frame.function == "forward" for frame in frames]
    return tuple(tuple(one for one in trace if kept[one]) or trace for trace in snapshot.detail.traces)


def _runs(watch: LineWatch) -> tuple[FileRuns, ...]:
    return tuple(
        FileRuns(file, tuple(one for one, _ in arcs), tuple(one for _, one in arcs), tuple(arcs.values()))
        for file, arcs in watch.arcs.items()
    )
