"""What builds Failures and Findings of errors and FX nodes. Imports no torch: it reads what it is given."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from exir_viz.readers.traces import parse
from exir_viz.snapshot.records import Frame
from exir_viz.stages.records import Failure, Finding, Fix

if TYPE_CHECKING:
    from torch import fx

# Where a sentence ends: at a full stop before white space, or at the end of a line.
_SENTENCE = re.compile(r"(?<=[.!?])\s|\n")
_LONGEST_REASON = 300
_LONGEST_MESSAGE = 20_000


def frame_of(node: fx.Node) -> Frame | None:
    """The line of the user's program that made a node: the innermost frame of its trace."""
    trace = node.meta.get("stack_trace")
    if not isinstance(trace, str) or not trace.strip():
        return None
    frame = parse(trace)[-1]
    return frame if frame.file else None


def op_text(node: fx.Node) -> str:
    """A node's target as FX prints it, "aten.linear.default", an edge op without its schema."""
    target = node.target
    if isinstance(target, str):
        return target
    name = getattr(target, "name", None)
    if type(target).__name__ == "EdgeOpOverload":
        return str(target.__name__)
    return str(target) if callable(name) else str(getattr(target, "__name__", target))


def finding(node: fx.Node, text: str, remedy: str = "", *, where: str = "") -> Finding:
    """A sentence about a node; `where` is the path of its graph ("forward/true_graph_0")."""
    name = f"{where}/{node.name}" if where else node.name
    return Finding(text, node=name, op=op_text(node), frame=frame_of(node), remedy=remedy)


def failure(
    error: BaseException,
    reason: str = "",
    findings: tuple[Finding, ...] = (),
    fixes: tuple[Fix, ...] = (),
) -> Failure:
    """An error as a Failure: its class, its first sentence (or a better `reason`), and all that it said."""
    message = str(error).strip()[:_LONGEST_MESSAGE]
    return Failure(type(error).__name__, reason or first_sentence(message), message, findings, fixes)


def first_sentence(message: str) -> str:
    """What an error says first, on one line."""
    said = _SENTENCE.split(message.strip(), maxsplit=1)[0].strip()
    return said if len(said) <= _LONGEST_REASON else f"{said[: _LONGEST_REASON - 1]}…"
