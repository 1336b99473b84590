"""Rename symbols: two exports may call the same input size s77 and s12.

Enters: two Snapshots. Leaves: the second in the words of the first. A symbol is the same where both programs
read it at the same place of the same input. Nothing but names of symbols is changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from msgspec.structs import replace

from exir_viz.snapshot import Method, Snapshot
from exir_viz.snapshot.program import MethodRecord
from exir_viz.snapshot.records import (
    Arg,
    Call,
    Dim,
    MapArg,
    MapValue,
    SequenceArg,
    SequenceValue,
    SliceArg,
    SymArg,
    SymValue,
    TensorValue,
    Value,
)

from .paired_methods import methods

_NAME = re.compile(r"\b[a-z]+\d+\b")

Rename = Callable[[str], str]


def in_words_of(a: Snapshot, b: Snapshot) -> Snapshot:
    """Snapshot b with a's names for the symbols that are the same; b itself where they are named alike."""
    names = _names(a, b)
    if not names:
        return b

    def rename(text: str) -> str:
        return _NAME.sub(lambda match: names.get(match[0], match[0]), text)

    skeleton = replace(
        b.skeleton,
        values=tuple(_value(value, rename) for value in b.skeleton.values),
        methods=tuple(_method(method, rename) for method in b.skeleton.methods),
    )
    detail = replace(
        b.detail,
        calls=tuple(_call(call, rename) for call in b.detail.calls),
        methods=tuple(
            replace(method, guards=tuple(map(rename, method.guards))) for method in b.detail.methods
        ),
    )
    return Snapshot(skeleton, detail)


def _names(a: Snapshot, b: Snapshot) -> Mapping[str, str]:
    """By b's name: a's. Empty unless the names can be exchanged without two becoming one."""
    found: dict[str, str] = {}
    for before, after in methods(a, b):
        ours = _places(before)
        for place, symbol in _places(after).items():
            if place in ours:
                found.setdefault(symbol, ours[place])
    kept = {symbol.name for method in b.methods.values() for symbol in method.symbols} - found.keys()
    distinct = len(set(found.values())) == len(found) and kept.isdisjoint(found.values())
    return found if distinct and any(old != new for old, new in found.items()) else {}


def _places(method: Method) -> dict[tuple[str, str], str]:
    """By input (where the user passes it, or its place) and path within its value: the symbol read there."""
    inputs = {spec.arg.name: spec.path or f"{at}" for at, spec in enumerate(method.signature.inputs)}
    return {
        (inputs[binding.node], binding.path): symbol.name
        for symbol in method.symbols
        for binding in symbol.bindings
        if binding.node in inputs
    }


def _method(method: MethodRecord, rename: Rename) -> MethodRecord:
    return replace(
        method,
        symbols=tuple(replace(symbol, name=rename(symbol.name)) for symbol in method.symbols),
        ranges=tuple(replace(one, expr=rename(one.expr)) for one in method.ranges),
    )


def _value(value: Value, rename: Rename) -> Value:
    match value:
        case TensorValue():
            stride = None if value.stride is None else _dims(value.stride, rename)
            offset = _dims((value.offset,), rename)[0]
            return replace(value, shape=_dims(value.shape, rename), stride=stride, offset=offset)
        case SymValue():
            return replace(value, expr=rename(value.expr))
        case SequenceValue() | MapValue():
            return replace(value, items=tuple(_value(item, rename) for item in value.items))
    return value


def _dims(dims: tuple[Dim, ...], rename: Rename) -> tuple[Dim, ...]:
    return tuple(rename(dim) if isinstance(dim, str) else dim for dim in dims)


def _call(call: Call, rename: Rename) -> Call:
    args, values = (tuple(_arg(arg, rename) for arg in part) for part in (call.args, call.values))
    return Call(args, call.names, values)


def _arg(arg: Arg, rename: Rename) -> Arg:
    match arg:
        case SymArg():
            return SymArg(rename(arg.expr))
        case SequenceArg() | MapArg():
            return replace(arg, items=tuple(_arg(item, rename) for item in arg.items))
        case SliceArg():
            return SliceArg(*(_arg(part, rename) for part in (arg.start, arg.stop, arg.step)))
    return arg
