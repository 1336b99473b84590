"""Convert an error of a step to a MeasureError: the node, the user's line, the expected and given value."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from exir_viz.errors import MeasureError
from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.frames import users_frame
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.printable import printable

from .describe import frame_lines, short_text
from .plan import PlannedNode
from .timing import Stopped

# Where torch's message changes from the error to guesses and a list of all its kernels.
_KERNELS = re.compile(r"\n\n| This could be because ")
_NO_KERNEL = ("Could not run", "not implemented for", "No kernel", "Could not find kernel")


def failure(
    stopped: Stopped, nodes: Sequence[PlannedNode], snapshot: Snapshot, kept: str = ""
) -> MeasureError:
    """The error to raise; its cause is the op's error. `kept` is what was measured before."""
    planned = nodes[stopped.number]
    cause = stopped.__cause__
    reason = printable(_KERNELS.split(str(cause).strip())[0])[:1000] if cause is not None else ""
    node = _node_of(planned.id, snapshot)
    frame = None if node is None else users_frame(node.frames)
    op = str(planned.node.target) if node is None else op_name(node.target)
    inputs = [argument.meta.get("val") for argument in planned.node.all_input_nodes]
    expected = f"{_all(inputs)} → {short_text(planned.node.meta.get('val'))}"
    given = _all(list(stopped.arguments))
    no_kernel = isinstance(cause, NotImplementedError) or reason.startswith(_NO_KERNEL)
    what = "there is no kernel for it on this CPU" if no_kernel else f"{type(cause).__name__}: {reason}"
    lines = [f"The node {planned.id} ({op}) could not run: {what}"]
    if no_kernel and reason:
        lines.append(f"  torch says: {reason}")
    if frame is not None:
        lines += frame_lines(frame)
    lines += [f"  expected: {expected}", f"  given:    {given}"]
    if no_kernel:
        lines.append("Decompose the op, or lower it to a backend that has it: exir_viz.Session(program).")
    message = lines if no_kernel or not kept else [*lines, kept]
    error = MeasureError(
        "\n".join(message), node=planned.id, op=op,
        file=frame.file if frame else "", line=frame.line if frame else 0, expected=expected, given=given,
    )  # fmt: skip
    error.reason = "\n".join(lines)
    return error


def _node_of(name: str, snapshot: Snapshot) -> Node | None:
    path, _, last = name.rpartition("/")
    return next((graph[last] for graph in snapshot.graphs if graph.path == path), None)


def _all(values: list[Any]) -> str:
    return ", ".join(map(short_text, values)) or "nothing"
