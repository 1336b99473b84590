"""The records of a tree of stages, for views and files. Plain data, without torch.

A stage is a Snapshot, the step that made it and its parent. A failed step is a stage too: it has no Snapshot
but says what went wrong, where, and what to do.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

from exir_viz.snapshot.call_change import CallChange
from exir_viz.snapshot.program import Dialect, Notice
from exir_viz.snapshot.records import Frame, Record


class StepKind(StrEnum):
    """The kind of step that made a stage."""

    START = "start"
    DECOMPOSE = "decompose"
    EDGE = "edge"
    TRANSFORM = "transform"
    QUANTIZE = "quantize"
    BACKEND = "backend"
    EXECUTORCH = "executorch"
    REEXPORT = "reexport"


class StageState(StrEnum):
    """`loaded`: read from a file, without a live program."""

    READY = "ready"
    FAILED = "failed"
    LOADED = "loaded"


class FindingTopic(StrEnum):
    """The topic of a finding, so that views can show some findings elsewhere."""

    OTHER = "other"
    NOT_DELEGATED = "not_delegated"


class Finding(Record, frozen=True):
    """A problem or fact that a step reports: the node, the user's line, what to do."""

    text: str
    node: str = ""
    op: str = ""
    frame: Frame | None = None
    remedy: str = ""
    count: int = 1
    topic: FindingTopic = FindingTopic.OTHER


class OptionsFix(Record, frozen=True):
    """A suggested change of options: a button that runs the step again with `options`.

    skips_checks: the step then checks less, so that the result may not run. Views never offer it first.
    """

    title: str
    options: dict[str, Any]
    skips_checks: bool = False


class Failure(Record, frozen=True):
    """Why a step made no program: the error's class, its first sentence, its full text, and the findings."""

    type: str
    reason: str
    message: str = ""
    findings: tuple[Finding, ...] = ()
    fixes: tuple[OptionsFix, ...] = ()


class OptionType(StrEnum):
    """The input control that a form uses: `ops` is a table of the graph's ops, `inputs` a table of
    dimensions.
    """

    FLAG = "flag"
    CHOICE = "choice"
    NUMBER = "number"
    TEXT = "text"
    OPS = "ops"
    INPUTS = "inputs"


class Option(Record, frozen=True):
    """One option of a step, as a form shows it."""

    name: str
    title: str
    type: OptionType
    default: Any = None
    choices: tuple[str, ...] = ()
    about: str = ""


class Offer(Record, frozen=True):
    """A step that could be next; `reason` says why it cannot run, and is empty if it can."""

    kind: StepKind
    title: str
    about: str
    reason: str = ""
    options: tuple[Option, ...] = ()


class Step(Record, frozen=True):
    """A step that ran: its options as plain data, its seconds, and the notices of torch and ExecuTorch."""

    kind: StepKind
    title: str
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    seconds: float = 0.0
    notices: tuple[Notice, ...] = ()


class StageRecord(Record, frozen=True):
    """One stage of the tree. `calls` counts the nodes that compute, as `change` does.

    `delegated` counts the ops that a backend runs, `on_cpu` the others, and `share` is a short text: "70% on
    XNNPACK" (see `exir_viz.snapshot.delegation.Share`).

    unshared_bytes: memory that no other stage uses. edge_stage: of an ExecuTorch program, the id of the stage
    whose edge program it was made from. code: the torch and ExecuTorch code that makes it; "" if there is
    none. unverified: it, or a stage that it was made from, was lowered without verifying edge rules.
    """

    id: str
    name: str
    parent: str | None
    state: StageState
    step: Step
    dialect: Dialect | None = None
    calls: int = 0
    on_cpu: int = 0
    delegated: int = 0
    share: str = ""
    change: CallChange | None = None
    unshared_bytes: int = 0
    failure: Failure | None = None
    offers: tuple[Offer, ...] = ()
    findings: tuple[Finding, ...] = ()
    edge_stage: str | None = None
    code: str = ""
    unverified: bool = False


class StageTree(Record, frozen=True):
    """All stages, a parent before its children."""

    stages: tuple[StageRecord, ...]


class InputDim(Record, frozen=True):
    """One dimension of one input, for the re-export form.

    input: the path at which the user passes it, in Python's notation ("x", "table['a'][0]"). node: its
    placeholder. dim: its position; None if the input is itself a number. size: in the example input. now: its
    expression ("s27", "2*s27 + 1"), "" if it is static. choice: the initial text: "static", "dynamic",
    "auto", a name with or without bounds ("batch", "batch in 2..64") or a relation ("2*batch + 1").
    """

    input: str
    node: str
    dim: int | None
    size: int | None
    now: str = ""
    lower: str = ""
    upper: str = ""
    choice: str = "static"


class OpRow(Record, frozen=True):
    """One operator of a stage, and what decomposing would do to it.

    decomposes: torch has a decomposition, so that it can be selected. in_core_table: it is in Core ATen's
    table. core: it is a Core ATen operator. implicit: functionalization always removes it, because it writes
    in place or torch cannot keep it. nodes: the first nodes that call it ("forward/linear_1").
    """

    op: str
    count: int
    decomposes: bool = False
    in_core_table: bool = False
    core: bool = False
    implicit: bool = False
    nodes: tuple[str, ...] = ()
