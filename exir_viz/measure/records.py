"""The records of a Profile: what every node cost, and under which conditions it was found.

Frozen plain data without torch, as in `snapshot.records`: kept in files, sent to pages, generated into
TypeScript. Times are nanoseconds of one run of the program: a node that runs several times in a run (the
body of a loop) has the sum, and `calls` says how often. A node that holds graphs (a branch, a loop, a
delegate) has the time that is its own, without that of the nodes within: so all nodes and the overhead add up
to the whole.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from exir_viz.snapshot.records import Record

SCHEMA = 1

# In a column of numbers: not known.
UNKNOWN = -1


class Executor(StrEnum):
    """What ran the program."""

    CPU = "cpu"
    RUNTIME = "executorch"
    RUNTIME_OPS = "executorch.ops"
    ETDUMP = "etdump"


class Basis(StrEnum):
    """How a node's numbers were found.

    `measured`: the node itself, in its program, by the executor that is named. `emulated`: eager torch ran
    what a backend would run otherwise. `estimated`: another program that holds this op with these shapes was
    timed.
    """

    MEASURED = "measured"
    EMULATED = "emulated"
    ESTIMATED = "estimated"


# `Columns.basis` holds positions in this list.
BASES = tuple(Basis)


class GivenInput(Record, frozen=True):
    """One input of the run: where the user passes it, and what it was ("f32[8, 3]", "7")."""

    path: str
    value: str


class Conditions(Record, frozen=True):
    """What the numbers depend on. `load` is the machine's one-minute load average before and after.

    `inputs_from` is "given", "example" (kept by the program), "made" (from the metadata of its inputs) or
    "unknown". What nobody knows of a measurement that was made elsewhere: 0 `threads` and `cores`, UNKNOWN
    `warmup`, empty texts.
    """

    executor: Executor
    threads: int
    repeats: int
    warmup: int
    inputs: tuple[GivenInput, ...] = ()
    inputs_from: str = "given"
    symbols: dict[str, int] = msgspec.field(default_factory=dict)
    torch: str = ""
    executorch: str = ""
    python: str = ""
    cpu: str = ""
    cores: int = 0
    load: tuple[float, float] | None = None
    started: str = ""


class Times(Record, frozen=True):
    """Nanoseconds over `n` runs. `time` is a mean, which adds up; see `Columns`.

    What is the difference of two measurements has no quartiles: `n` is 0, and `min` to `p75` are UNKNOWN.
    """

    n: int
    time: int
    min: int
    p25: int
    median: int
    p75: int


class Columns(Record, frozen=True):
    """One entry a node that computes, in execution order; UNKNOWN where a number is not known.

    The quiet runs are the half of all runs whose whole took least: what else the machine did meanwhile is
    least in them. `time` is the mean over them, so that nodes and overhead add up to the whole exactly. It is
    the mean over all runs where they took different paths, or where long runs were evidently the program's
    own (remarks "paths" and "varied"). What another program evidently took of a run is left out of op and
    whole, see `statistic.settled`. `min` to `p75` are over the `n` runs in which the node ran, as the clock
    said; `calls` is the mean where runs differ, and at least 1 of what ran at all. `output_bytes` are those
    of the elements of what the node yields, `allocated_bytes` of memory that was not there before,
    `live_bytes` of all such memory alive when the node has run, without state and inputs, `bytes_moved` the
    bytes read and written at least once. What did not run (a branch that was not taken) has `calls` 0 and no
    times.
    """

    nodes: tuple[str, ...]
    basis: tuple[int, ...]
    calls: tuple[int, ...]
    n: tuple[int, ...]
    time: tuple[int, ...]
    min: tuple[int, ...]
    p25: tuple[int, ...]
    median: tuple[int, ...]
    p75: tuple[int, ...]
    output_bytes: tuple[int, ...]
    allocated_bytes: tuple[int, ...]
    live_bytes: tuple[int, ...]
    flops: tuple[int, ...]
    bytes_moved: tuple[int, ...]


class Remark(Record, frozen=True):
    """Something a reader of the numbers must know: what is emulated, estimated, left out, cut short."""

    code: str
    text: str


class ProfileRecord(Record, frozen=True):
    """A whole Profile. `overhead` is what was in no node: the executor's own work, dispatch, freeing memory.

    `state_bytes` and `input_bytes` are alive throughout and no part of `live_bytes`. `complete` is False
    where the run was interrupted or failed.
    """

    schema: int
    method: str
    dialect: str
    conditions: Conditions
    columns: Columns
    whole: Times | None = None
    overhead: Times | None = None
    state_bytes: int = 0
    input_bytes: int = 0
    complete: bool = True
    remarks: tuple[Remark, ...] = ()
