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
    `parted`: beyond the tolerance.
    """

    elements: int
    max_abs: float | None = 0.0
    relative: float | None = 0.0
    cosine: float | None = None
    snr: float | None = None
    unlike: int = 0
    parted: bool = False


class NumberRow(Record, frozen=True):
    """Two nodes whose values were compared, and their match.

    For a node that ran several times the worst turn counts; `turns` were compared. `origin`: it diverges, and
    none of its inputs do. `probable`: the match is only probable. `emulated`: one of them is a delegate's
    output, which eager torch computed from the program that the backend was given. `scaled`: the integers of
    one were dequantized with the scale and the zero point of its graph.
    """

    match: int
    a: int
    b: int
    numbers: Numbers
    turns: int = 1
    origin: bool = False
    probable: bool = False
    emulated: bool = False
    scaled: bool = False
    health_a: Health = Health()
    health_b: Health = Health()


class OutputRow(Record, frozen=True):
    """What the two programs return: an output, or an updated buffer or input.

    `numbers` is None if the two could not be compared; `reason` says why.
    """

    name: str
    numbers: Numbers | None = None
    reason: str = ""


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
    that waited for their counterparts.
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
