"""Where the numbers of two programs part, as it is kept and sent: one row a pair of values that was compared.

Frozen plain data, generated into TypeScript. Nodes and matches are named by number, as in `records`. What no
number can say is None, and left out: JSON has neither NaN nor infinity.
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
    """How far value b is from value a, over the elements that are finite in both.

    `max_abs`: the largest difference; None where no element is finite in both. `relative`: the same as a
    share of the largest magnitude in a; None where a is zero throughout and b is not. `cosine`: of the two as
    vectors; None where only one is zero. `snr`: signal (a) to noise (b - a) in decibels; None where they are
    equal or a is zero throughout. `unlike`: elements that are NaN or infinite in one and not the same in the
    other. `parted`: beyond the tolerance.
    """

    elements: int
    max_abs: float | None = 0.0
    relative: float | None = 0.0
    cosine: float | None = None
    snr: float | None = None
    unlike: int = 0
    parted: bool = False


class NumberRow(Record, frozen=True):
    """Two nodes whose values were compared, and the match that they are of.

    Of a node that ran several times the worst turn is told; `turns` were compared. `origin`: it parted, and
    nothing that it was computed from did. `probable`: that they are each other's is only probable.
    `emulated`: one of them is what a backend hands back, which eager torch computed from the program that the
    backend was given. `scaled`: the integers of one were made numbers by the scale and the zero point that
    its graph says.
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
    """What the two programs hand back: an output, or what they wrote to a buffer or an input.

    `numbers` is None where the two could not be compared; `reason` says why.
    """

    name: str
    numbers: Numbers | None = None
    reason: str = ""


class Uncompared(Record, frozen=True):
    """A match of which no values were compared, and why: a number of `ValuesRecord.reasons`."""

    match: int
    reason: int


class Trouble(StrEnum):
    """What was found in a value."""

    NAN = "nan"
    INF = "inf"


class Producer(Record, frozen=True):
    """The first node of a side whose value holds a NaN, or an infinite number, while what it read did not."""

    side: str
    trouble: Trouble
    node: int
    count: int


class ValuesRecord(Record, frozen=True):
    """All of it: `a` and `b` are titles; a value parts beyond `atol` + `rtol` × the largest magnitude in a.

    `coarse`: dtypes that round more than `rtol` allows, each with what takes its place for all that was
    computed in them or from that.
    Integers and booleans must be equal. Rows stand in the order in which b ran; `first` is the first of them
    that is an origin, NONE (-1) where none is. `waited_bytes` is the most that values of one program took
    while they waited for those of the other.
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
