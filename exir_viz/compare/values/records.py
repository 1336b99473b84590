"""Where the values of two programs diverge, as it is saved and sent: one row per compared pair of values.

Frozen plain data, generated as TypeScript. Nodes and matches are named by number, as in `records`. Undefined
numbers are None, and left out: JSON has neither NaN nor infinity.
"""

from __future__ import annotations

from enum import StrEnum

from exir_viz.snapshot.records import Record

SCHEMA = 1


class Health(Record, frozen=True):
    """How many elements of one value are NaN, and how many infinite."""

    nan: int = 0
    inf: int = 0


class Numbers(Record, frozen=True):
    """The distance of value b from value a, over the elements that are finite in both.

    `max_abs`: the largest difference; None if no element is finite in both. `relative`: the same as a share
    of the largest magnitude in a; None if a is zero throughout and b is not. `cosine`: of the two as vectors;
    None if only one is zero. `snr`: signal (a) to noise (b - a) in decibels; None if they are equal or a is
    zero throughout. `unlike`: elements that are NaN or infinite in one and not the same in the other.
    `diverged`: beyond the tolerance.
    """

    elements: int
    max_abs: float | None = 0.0
    relative: float | None = 0.0
    cosine: float | None = None
    snr: float | None = None
    unlike: int = 0
    diverged: bool = False


class Ran(StrEnum):
    """What computed a value of b.

    `eager`: eager torch. `runtime`: the ExecuTorch runtime. `emulated`: eager torch in place of a backend or
    the runtime. `not_run`: the runtime failed, and eager torch computed the value instead. `input`: nothing;
    it is an input or state.
    """

    EAGER = "eager"
    RUNTIME = "runtime"
    EMULATED = "emulated"
    NOT_RUN = "not run"
    INPUT = "input"


class NumberRow(Record, frozen=True):
    """Two nodes whose values were compared, and their match.

    For a node that ran several times the worst turn counts; `turns` were compared. `origin`: it diverges, and
    none of its inputs do. `probable`: the match is only probable. `ran`: what computed b's value. `scaled`:
    the integers of one were dequantized with the scale and the zero point of its graph.
    """

    match: int
    a: int
    b: int
    numbers: Numbers
    turns: int = 1
    origin: bool = False
    probable: bool = False
    ran: Ran = Ran.EAGER
    scaled: bool = False
    health_a: Health = Health()
    health_b: Health = Health()


class OutputRow(Record, frozen=True):
    """What the two programs return: an output, or an updated buffer or input.

    `numbers` is None if the two could not be compared; `reason` says why. `ran`: what computed b's.
    """

    name: str
    numbers: Numbers | None = None
    reason: str = ""
    ran: Ran = Ran.EAGER


class DeviceRow(Record, frozen=True):
    """A delegate or an op of b in the ExecuTorch runtime, against eager torch; node by number.

    `backend`: "" for an op outside of delegates. `isolated`: the runtime was given the values that eager
    torch computes for b: the difference is its own error. `in_sequence`: it was given what the runtime
    computed before: the difference includes earlier errors. Of several outputs the worst counts. `reason`:
    why it did not run.
    """

    node: int
    ran: Ran
    backend: str = ""
    isolated: Numbers | None = None
    in_sequence: Numbers | None = None
    reason: str = ""


class Outcome(StrEnum):
    """What a bisection found.

    `region`: a part of the delegate diverges alone. `fails`: the backend lowers a part that the runtime
    cannot run. `op`: an op outside of delegates diverges: its kernel is wrong. `payload`: the delegate agrees
    when it is lowered again, so its payload is not what the backend makes of its program. `rounding`: each op
    of a quantized delegate is right for the values that it got, and their roundings add up. `agrees`: it does
    not diverge.
    """

    REGION = "region"
    FAILS = "fails"
    OP = "op"
    PAYLOAD = "payload"
    ROUNDING = "rounding"
    AGREES = "agrees"


class TrialRow(Record, frozen=True):
    """A part of a delegate that was lowered and run: how many nodes it has, and its difference.

    `reason`: why it could not run.
    """

    nodes: int
    seconds: float
    numbers: Numbers | None = None
    reason: str = ""


class BisectionRecord(Record, frozen=True):
    """The smallest region of a delegate of b that diverges; nodes by number.

    `summary`: what was found, as a sentence. `lines`: the user's lines that made the region. `complete`:
    whether the search ran to its end. `around`: nodes that are right, but without which the region cannot be
    lowered or run.
    """

    delegate: int
    outcome: Outcome
    summary: str
    nodes: tuple[int, ...]
    lines: tuple[str, ...] = ()
    numbers: Numbers | None = None
    log: tuple[TrialRow, ...] = ()
    complete: bool = True
    around: tuple[int, ...] = ()


class Uncompared(Record, frozen=True):
    """A match without compared values, and why: an index into `ValuesRecord.reasons`."""

    match: int
    reason: int


class Trouble(StrEnum):
    """A problem in a value."""

    NAN = "nan"
    INF = "inf"


class Producer(Record, frozen=True):
    """The first node of a side whose value contains a NaN, or an infinite number, while its inputs did
    not.
    """

    side: str
    trouble: Trouble
    node: int
    count: int


class ValuesRecord(Record, frozen=True):
    """All compared values: `a` and `b` are titles; a value diverges beyond `atol` + `rtol` × the largest
    magnitude in a.

    `coarse`: dtypes that round more than `rtol` allows, each with its own rtol for values computed in or from
    them. Integers and booleans must be equal. Rows are in the execution order of b; `first` is the first of
    them that is an origin, NONE (-1) if none is. `waited_bytes` is the most memory of values of one program
    that waited for their counterparts. `executor`: what ran b. `devices`: the delegates and ops of b in
    the runtime, in execution order. `samples`: how many inputs were run; of each pair the worst counts.
    `metrics`: the user's metric of a and of b, a pair for each input.
    """

    schema: int
    a: str
    b: str
    rtol: float
    atol: float
    rows: tuple[NumberRow, ...]
    outputs: tuple[OutputRow, ...] = ()
    first: int = -1
    producers: tuple[Producer, ...] = ()
    uncompared: tuple[Uncompared, ...] = ()
    reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    inputs: tuple[tuple[str, str], ...] = ()
    inputs_from: str = ""
    waited_bytes: int = 0
    coarse: tuple[tuple[str, float], ...] = ()
    executor: str = "cpu"
    devices: tuple[DeviceRow, ...] = ()
    samples: int = 1
    metrics: tuple[tuple[float, float], ...] = ()
