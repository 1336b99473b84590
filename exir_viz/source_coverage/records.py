"""What became of one line of source, as plain data."""

from __future__ import annotations

from enum import StrEnum

from exir_viz.snapshot.records import Record


class LineStatus(StrEnum):
    """What torch.export made of a line.

    traced: it made ops, itself or in what it calls. specialised: Python decided it while exporting (a branch,
    the length of a loop, an assertion), and only the outcome is in the program. folded: Python computed
    it, and the program has no op for it. passed: it ran and computes nothing, such as `return x`. skipped:
    it did not run. unknown: the program does not say whether it ran, or whether it made ops. none: it is no
    code of a function.
    """

    TRACED = "traced"
    SPECIALISED = "specialised"
    FOLDED = "folded"
    PASSED = "passed"
    SKIPPED = "skipped"
    UNKNOWN = "unknown"
    NONE = "none"


class Line(Record, frozen=True):
    """One line of a file.

    Attributes
    ----------
    number, text
        The line.
    status
        What became of it.
    ops
        How many ops it made itself.
    total_ops
        How many ops it made itself or in what it calls.
    bytes
        The bytes that all these ops read and write, with the sizes of the example inputs.
    time_share
        The part of a measured run that all these ops take, 0 to 1. Needs a profile.
    note
        Which way a branch went, and why; how often a loop ran; at the first of unknown lines, why.
    nodes
        The ids of the ops that it made itself.
    """

    number: int
    text: str
    status: LineStatus = LineStatus.NONE
    ops: int = 0
    total_ops: int = 0
    bytes: int = 0
    time_share: float | None = None
    note: str = ""
    nodes: tuple[str, ...] = ()
