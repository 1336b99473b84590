"""What a long step is doing, read from the call stack of its thread.

Why: ExecuTorch reports no progress. The stack shows the pass that runs, and the local variables of
`torch.fx.Interpreter.run` how far it is in its graph. Reading them changes nothing and does not slow the step
down. Names that are not on the stack any more are not reported; the step itself does not need them.
"""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any, Final

from .features import Feature

FEATURE: Final = Feature(
    name="call_stack",
    purpose="Show which pass runs during a step, and how far it is",
    without="A running step does not show which pass runs.",
    uses=("sys._current_frames()",),
    attributes=(
        "torch.export.ExportedProgram.run_decompositions",
        "torch.fx.Interpreter.run",
        "executorch.exir.program._program._generate_edge_program",
        "executorch.exir.verification.arg_validator.EdgeOpArgValidator.run",
        "executorch.exir.emit.emit_program",
        "executorch.exir._serialize._serialize.serialize_for_executorch",
    ),
)

# Slow functions of torch and ExecuTorch that are no pass, by qualified name.
_CALLS: Final = {
    "ExportedProgram.run_decompositions": "decomposing",
    "_generate_edge_program": "making edge operators",
    "EdgeOpArgValidator.run": "checking dtypes",
    "emit_program": "emitting instructions",
    "serialize_for_executorch": "writing bytes",
    "partition": "partitioning",
}
_PASS_FILES: Final = ("passes", "transforms", "pass_base", "_passes")


def work_of(thread: int) -> tuple[str, float | None]:
    """What a thread is doing ("" if unknown), and the fraction that is done, if known."""
    frame = sys._current_frames().get(thread)
    try:
        return _work(frame)
    finally:
        del frame


def _work(frame: FrameType | None) -> tuple[str, float | None]:
    """The innermost known function on a stack, and the progress of the interpreter around it."""
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
    """The fraction of its graph that an fx.Interpreter has run, from the variables of its `run`."""
    graph, node = getattr(local.get("self"), "graph", None), local.get("node")
    total = 0 if graph is None else len(graph.nodes)
    if node is None or not total:
        return None
    before = 0
    while node.op != "root" and before < total:
        node = node.prev
        before += 1
    return round(before / total, 2)
