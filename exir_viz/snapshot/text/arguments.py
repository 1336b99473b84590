"""An argument tree → its text, as Python writes it (`repr`) and as the FX format does (`str`).

`names` are the names of the node's inputs, by their position; `function` names an operator that is an
argument.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from exir_viz.snapshot.records import (
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

Names = Sequence[str]
FunctionName = Callable[[str], str]


def python(arg: Arg, names: Names, function: FunctionName) -> str:
    """As in Python source: strings quoted, a device as `device(type='cpu')`."""
    match arg:
        case NodeArg():
            return names[arg.at]
        case Literal():
            return _literal(arg)
        case OpArg():
            return function(arg.text)
        case SymArg() | ObjectArg():
            return _named(arg)
        case _:
            return _container(arg, lambda item: python(item, names, function))


def fx(arg: Arg, names: Names) -> str:
    """As the FX format has it: nodes with `%`, strings bare, a device as `cpu`."""
    match arg:
        case NodeArg():
            return f"%{names[arg.at]}"
        case Literal():
            return arg.text
        case SequenceArg():
            return _sequence(arg, [fx(item, names) for item in arg.items])
        case MapArg():
            pairs = zip(arg.keys, arg.items, strict=True)
            return "{" + ", ".join(f"{key.text}: {fx(item, names)}" for key, item in pairs) + "}"
        case OpArg():
            return operator(arg.text)
        case _:
            return python(arg, names, operator)


def _container(arg: SequenceArg | MapArg | SliceArg, show: Callable[[Arg], str]) -> str:
    match arg:
        case SequenceArg():
            return _sequence(arg, [show(item) for item in arg.items])
        case MapArg():
            pairs = zip(arg.keys, arg.items, strict=True)
            return "{" + ", ".join(f"{_literal(key)}: {show(item)}" for key, item in pairs) + "}"
        case SliceArg():
            return f"slice({', '.join(map(show, (arg.start, arg.stop, arg.step)))})"


def _named(arg: SymArg | ObjectArg) -> str:
    return arg.expr if isinstance(arg, SymArg) else arg.text or f"<{arg.cls}>"


def operator(text: str) -> str:
    """An operator as it prints itself: "aten.sin.default"."""
    return text.removeprefix("torch.ops.").removeprefix("higher_order.")


def _sequence(arg: SequenceArg, items: Sequence[str]) -> str:
    inner = ", ".join(items)
    if arg.type == "list":
        return f"[{inner}]"
    text = f"({inner},)" if len(items) == 1 else f"({inner})"
    return text if arg.type == "tuple" else f"{arg.type}{text}"


def _literal(literal: Literal) -> str:
    if literal.type is LiteralType.STR:
        return repr(literal.text)
    if literal.type is LiteralType.DEVICE:
        kind, _, index = literal.text.partition(":")
        return f"device(type={kind!r}, index={index})" if index else f"device(type={kind!r})"
    return "Ellipsis" if literal.type is LiteralType.ELLIPSIS else literal.text
