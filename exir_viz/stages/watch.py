"""What a long step is doing, seen from outside: ExecuTorch itself reports nothing while it works.

A thread looks at the call stack of the step's thread a few times a second and names the pass that it finds
there, and how far an interpreter has come in its graph. It changes nothing and costs the step nothing.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Final

_EVERY: Final = 0.25
# The calls of torch and ExecuTorch that take their time and are no pass, by qualified name.
_CALLS: Final = {
    "ExportedProgram.run_decompositions": "decomposing",
    "_generate_edge_program": "making edge operators",
    "EdgeOpArgValidator.run": "checking dtypes",
    "emit_program": "emitting instructions",
    "serialize_for_executorch": "writing bytes",
    "partition": "partitioning",
}
_PASS_FILES: Final = ("passes", "transforms", "pass_base", "_passes")

Seen = Callable[[str, float | None], None]


@contextmanager
def watching(seen: Seen) -> Iterator[None]:
    """Tell `seen` what the calling thread is doing, whenever that changes."""
    done = threading.Event()
    thread = threading.get_ident()
    watcher = threading.Thread(
        target=_watch, args=(thread, done, seen), name="exir_viz progress", daemon=True
    )
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _watch(thread: int, done: threading.Event, seen: Seen) -> None:
    last: tuple[str, float | None] = ("", None)
    while not done.wait(_EVERY):
        frame = sys._current_frames().get(thread)
        now = _doing(frame)
        del frame
        if now[0] and now != last:
            last = now
            seen(*now)


def _doing(frame: FrameType | None) -> tuple[str, float | None]:
    """The innermost thing with a name on a stack, and how far the interpreter around it has come."""
    fraction: float | None = None
    while frame is not None:
        name = frame.f_code.co_qualname
        if fraction is None and name == "Interpreter.run":
            fraction = _fraction(frame.f_locals)
        if name in _CALLS:
            return _CALLS[name], fraction
        if name.endswith((".call", ".__call__")) and any(
            part in frame.f_code.co_filename for part in _PASS_FILES
        ):
            owner = type(frame.f_locals.get("self")).__name__
            if owner.endswith("Pass") or "Pass" in owner:
                return owner, fraction
        frame = frame.f_back
    return "", None


def _fraction(local: dict[str, Any]) -> float | None:
    """How much of its graph an fx.Interpreter has run, by the variables of its `run`."""
    graph, node = getattr(local.get("self"), "graph", None), local.get("node")
    total = 0 if graph is None else len(graph.nodes)
    if node is None or not total:
        return None
    before = 0
    while node.op != "root" and before < total:
        node = node.prev
        before += 1
    return round(before / total, 2)
