"""The records of a Profile: what every node cost, and the conditions of the measurement.

Frozen plain data without torch, as in `snapshot.records`: saved in files, sent to pages, generated as
TypeScript. Times are nanoseconds per run of the program: a node that runs several times in a run (the body of
a loop) has the sum, and `calls` says how often. A node with nested graphs (a branch, a loop, a delegate) has
its own time without that of the nodes inside: so all nodes and the overhead add up to the total.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from exir_viz.snapshot.records import Record

SCHEMA = 1

# Unknown, in a column of numbers.
UNKNOWN = -1
# The code of a remark that says why parts have no time.
NOT_MEASURABLE = "not measurable"


class Executor(StrEnum):
    """The executor that ran the program."""

    CPU = "cpu"
    RUNTIME = "executorch"
    ETDUMP = "etdump"


class Basis(StrEnum):
    """How a node's numbers were found.

    `measured`: the node itself, in its program, by the named executor. `emulated`: eager torch ran what a
    backend would run. `estimated`: derived from timing another program with this op and these shapes.
    """

    MEASURED = "measured"
    EMULATED = "emulated"
    ESTIMATED = "estimated"


# `Columns.basis` contains indices into this list.
BASES = tuple(Basis)


class GivenInput(Record, frozen=True):
    """One input of the run: the user's path to it, and its description ("f32[8, 3]", "7")."""

    path: str
    value: str


class Conditions(Record, frozen=True):
    """The conditions of a measurement. `load` is the machine's one-minute load average before and after.

    `inputs_from` is "given", "example" (kept by the program), "made" (generated from the metadata of its
    inputs) or "unknown". Unknown conditions of a measurement made elsewhere: 0 `threads` and `cores`, UNKNOWN
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
    """Nanoseconds over `n` runs. `time` is a mean, so that times add up; see `Columns`.

    A difference of two measurements has no quartiles: `n` is 0, and `min` to `p75` are UNKNOWN.
    """

    n: int
    time: int
    min: int
    p25: int
    median: int
    p75: int


class Columns(Record, frozen=True):
    """One entry per node that computes, in execution order; UNKNOWN if a number is unknown.

    The quiet runs are the fastest half of all runs, which other programs disturbed least. `time` is the mean
    over them, so that nodes and overhead add up to the total exactly. It is the mean over all runs if they
    took different paths, or if the program itself caused the long runs (remarks "paths" and "varied"). Time
    that another program certainly had the CPU is subtracted from op and total, see `statistic.settled`. `min`
    to `p75` are wall-clock times over the `n` runs in which the node ran; `calls` is the mean if runs differ,
    and at least 1 for a node that ran. `output_bytes` are those of the output's elements, `allocated_bytes`
    those of new memory, `live_bytes` those of all such memory alive after the node, without state and inputs,
    `bytes_moved` the bytes read and written at least once. A node that did not run (a branch that was not
    taken) has `calls` 0 and no times.
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
    """What a reader of the numbers must know: what is emulated, estimated, left out, incomplete.

    `node` is the id of the node that the text names; "" if it names none.
    """

    code: str
    text: str
    node: str = ""


class ProfileRecord(Record, frozen=True):
    """A whole Profile. `overhead` is time outside nodes: the executor's own work, dispatch, freeing memory.

    `state_bytes` and `input_bytes` are alive throughout and no part of `live_bytes`. `complete` is False if
    the run was interrupted or failed.
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
