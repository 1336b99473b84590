"""The lines that a Snapshot keeps of a watched export, and those that were read instead of run."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final

from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.frames import is_graph_code, is_users
from exir_viz.snapshot.records import Frame

# How often a line was reached from another; -1 is the line from which a call begins, and to which it ends.
Arcs = Counter[tuple[int, int]]
# The line from which the first line of a call is reached, and to which its last one leads.
OUTSIDE: Final = -1


def arcs_of(snapshot: Snapshot) -> dict[str, Arcs]:
    """The lines that were watched, by file; empty where none were."""
    return {
        one.file: Arcs(dict(zip(zip(one.sources, one.lines, strict=False), one.counts, strict=False)))
        for one in snapshot.detail.runs
    }


def last_generated(frames: Sequence[Frame]) -> int | None:
    """The last frame of generated code that the user's code called; None if there is none."""
    first = next((at for at, one in enumerate(frames) if is_users(one.file)), len(frames))
    found = [at for at in range(first, len(frames)) if is_graph_code(frames[at].file)]
    return found[-1] if found else None


def unwatched_lines(snapshot: Snapshot) -> dict[str, set[int]] | None:
    """The lines of functions that TorchDynamo read instead of running, and that ops name, by file.

    Such functions are the bodies of torch.cond, while_loop and scan, and what they call. None: it read none.
    """
    every = snapshot.detail.frames
    found: dict[str, set[int]] | None = None
    for trace in snapshot.detail.traces:
        frames = [every[one] for one in trace]
        at = last_generated(frames)
        if at is None:
            continue
        found = defaultdict(set) if found is None else found
        for frame in frames[at + 1 :]:
            if is_users(frame.file) and frame.function.isidentifier():  # a lambda's line is its function's
                found[frame.file].add(frame.line)
    return found
