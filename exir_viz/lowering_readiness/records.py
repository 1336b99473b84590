"""The facts about one operator on its way to ExecuTorch, as plain data."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from exir_viz.snapshot.records import Record


class Status(StrEnum):
    """Where the calls of an operator would run, with the first backend.

    blocked: the program cannot be lowered, or not be run, because of one of them. cpu: ExecuTorch's own
    kernels run them. partly: the backend runs some of them, or of what they become. delegated: the backend
    runs them. removed: lowering leaves no op to run. unknown: only lowering would tell, or the backend
    could not be asked.
    """

    BLOCKED = "blocked"
    CPU = "cpu"
    UNKNOWN = "unknown"
    PARTLY = "partly"
    DELEGATED = "delegated"
    REMOVED = "removed"


class OpReadiness(Record, frozen=True):
    """One operator of a program. None, or an empty text: not known.

    Attributes
    ----------
    op
        The operator: "aten.linear.default".
    calls, nodes
        How often it is called, and the ids of these nodes.
    status
        Where its calls would run.
    gain
        The part of the run, 0 to 1, of its calls that the first backend would not run: what a fix can gain.
        None if no backend was asked and the program has no delegates.
    time_share
        The part of a measured run that its calls take, 0 to 1. Needs a profile.
    bytes
        The bytes that its calls read and write.
    core
        "core", "decomposes" (it becomes Core ATen operators), "not core" or "custom".
    dtypes
        Whether the edge dialect allows its dtypes: "allowed" or "not allowed".
    kernel
        The library of ExecuTorch with a kernel for it: "portable", "optimized", "quantized", "runtime" for
        what the runtime does itself, or "none".
    delegated
        By backend: how many of its calls the backend would run as a whole.
    removed
        How many of its calls lowering removes: they leave no op to run.
    becomes
        The edge operators that it becomes, where it was lowered to find out.
    reasons, fixes
        What keeps it from being delegated, or blocks it, and what helps.
    unknown
        Of how many of its calls it is not known where they would run.
    """

    op: str
    calls: int
    nodes: tuple[str, ...]
    status: Status
    gain: float | None = None
    time_share: float | None = None
    bytes: int | None = None
    core: str = ""
    dtypes: str = ""
    kernel: str = ""
    delegated: dict[str, int] = msgspec.field(default_factory=dict)
    removed: int = 0
    becomes: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()
    unknown: int = 0
