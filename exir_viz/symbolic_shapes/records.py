"""The dimensions of the inputs of a program, and its symbols, as plain data."""

from __future__ import annotations

from enum import StrEnum

from exir_viz.snapshot.records import Record


class DimensionKind(StrEnum):
    """What a dimension of an input may be.

    static: always its size. specialised: meant to vary, but the code needs this size. dynamic: varies within
    its range. related: follows from other dimensions.
    """

    STATIC = "static"
    SPECIALISED = "specialised"
    DYNAMIC = "dynamic"
    RELATED = "related"


class InputDimension(Record, frozen=True):
    """One dimension of one input.

    input: where the user passes it. dim: its position; None if the input is itself a number. size: in the
    example input, None if not known. expr: its size ("batch", "2*batch + 1"), as text. lower, upper: its
    range, None if unlimited. requires: the conditions that name it. lines: the lines that caused them
    ("model.py:12").
    """

    input: str
    dim: int | None
    kind: DimensionKind
    expr: str
    size: int | None = None
    lower: int | None = None
    upper: int | None = None
    requires: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()


class SymbolUse(Record, frozen=True):
    """One symbol of a program, by the user's name if it has one.

    hint: its value in the example inputs. backed: it is a size of an input, not computed from data. nodes:
    how many nodes have it in their shape. values: how many nodes are a number that is computed from it.
    """

    name: str
    lower: int | None = None
    upper: int | None = None
    hint: int | None = None
    backed: bool = True
    nodes: int = 0
    values: int = 0
