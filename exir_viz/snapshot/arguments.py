"""Argument trees: a record and the nodes it refers to → the argument as Python has it."""

from __future__ import annotations

from collections.abc import Sequence

from .records import (
    Arg,
    Literal,
    LiteralType,
    MapArg,
    NodeArg,
    ObjectArg,
    OpArg,
    SequenceArg,
    SliceArg,
    SymArg,
)


def python_value(literal: Literal) -> object:
    """The constant itself; what Python has no word for (a dtype, a device) stays a Literal."""
    match literal.type:
        case LiteralType.NONE:
            return None
        case LiteralType.BOOL:
            return literal.text == "True"
        case LiteralType.INT:
            return int(literal.text)
        case LiteralType.FLOAT:
            return float(literal.text)
        case LiteralType.COMPLEX:
            return complex(literal.text)
        case LiteralType.STR:
            return literal.text
        case LiteralType.ELLIPSIS:
            return ...
        case _:
            return literal


def literal_of(value: bool | complex | str | None) -> Literal:
    """The record of a Python constant."""
    match value:
        case None:
            return Literal(LiteralType.NONE, "None")
        case bool():
            return Literal(LiteralType.BOOL, repr(value))
        case int():
            return Literal(LiteralType.INT, repr(int(value)))
        case float():
            return Literal(LiteralType.FLOAT, repr(float(value)))
        case complex():
            return Literal(LiteralType.COMPLEX, repr(complex(value)))
        case str():
            return Literal(LiteralType.STR, str(value))


def resolve(arg: Arg, inputs: Sequence[object]) -> object:
    """The argument with its nodes in place; a list is a list, a tuple a tuple."""
    match arg:
        case NodeArg():
            return inputs[arg.at]
        case Literal():
            return python_value(arg)
        case SequenceArg():
            items = [resolve(item, inputs) for item in arg.items]
            return items if arg.type == "list" else tuple(items)
        case MapArg():
            values = (resolve(item, inputs) for item in arg.items)
            return dict(zip((python_value(key) for key in arg.keys), values, strict=True))
        case SliceArg():
            return slice(resolve(arg.start, inputs), resolve(arg.stop, inputs), resolve(arg.step, inputs))
        case SymArg() | OpArg() | ObjectArg():
            return arg
