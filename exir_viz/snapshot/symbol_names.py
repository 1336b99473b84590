"""Names of symbols: torch's ("s27"), and the user's from `Dim("seq")`, which every text shows where known.

Snapshots and files keep torch's names. `in_user_names` gives the Snapshot that texts are made of; a program
that names its dimensions is renamed once. Nothing but names of symbols is changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping

from msgspec.structs import replace

from .describe import short
from .expr import Apply, ExprError, parse_infix, show, symbols
from .graph import Node
from .program import MethodRecord, Symbol, ValueOutcome
from .records import (
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
from .snapshot import Snapshot

_NAME = re.compile(r"[A-Za-z_]\w*")

Rename = Callable[[str], str]


def in_user_names(snapshot: Snapshot) -> Snapshot:
    """The same Snapshot with users' names of symbols in all texts; itself where none is known."""
    kept: Snapshot | None = vars(snapshot).get("_in_user_names")
    if kept is None:
        kept = renamed(snapshot, user_names(symbols_of(snapshot)))
        vars(snapshot)["_in_user_names"] = vars(kept)["_in_user_names"] = kept
    return kept


def value_text(node: Node) -> str:
    """A node's value as short text, with users' names of symbols."""
    graph = node.graph
    return short(in_user_names(graph.snapshot).graphs[graph.number][node.position].value)


def symbols_of(snapshot: Snapshot) -> list[Symbol]:
    """The symbols of all methods."""
    return [symbol for method in snapshot.skeleton.methods for symbol in method.symbols]


def user_names(symbols: Iterable[Symbol]) -> dict[str, str]:
    """By torch's name of a symbol: the user's.

    Left out are symbols that have two names, names that two symbols have, and those of another symbol.
    """
    symbols = list(symbols)
    used = {symbol.name for symbol in symbols}
    names: dict[str, set[str]] = {}
    owners: dict[str, set[str]] = {}
    for symbol in symbols:
        if symbol.dim:
            names.setdefault(symbol.name, set()).add(symbol.dim)
            owners.setdefault(symbol.dim, set()).add(symbol.name)
    only = ((name, next(iter(dims))) for name, dims in names.items() if len(dims) == 1)
    return {name: dim for name, dim in only if len(owners[dim]) == 1 and dim not in used}


def renamed_text(text: str, names: Mapping[str, str]) -> str:
    """A text, such as an expression or a guard, with other names of symbols."""
    return _NAME.sub(lambda match: names.get(match[0], match[0]), text)


def renamed(snapshot: Snapshot, names: Mapping[str, str]) -> Snapshot:
    """The Snapshot with other names of symbols; the same object if `names` is empty."""
    if not names:
        return snapshot

    def rename(text: str) -> str:
        return renamed_text(text, names)

    skeleton = replace(
        snapshot.skeleton,
        values=tuple(_value(value, rename) for value in snapshot.skeleton.values),
        methods=tuple(_method(method, rename) for method in snapshot.skeleton.methods),
    )
    detail = replace(
        snapshot.detail,
        calls=tuple(_call(call, rename) for call in snapshot.detail.calls),
        methods=tuple(
            replace(
                method,
                guards=tuple(map(rename, method.guards)),
                guard_lines=tuple(replace(one, expr=rename(one.expr)) for one in method.guard_lines),
            )
            for method in snapshot.detail.methods
        ),
        python_values=tuple(
            replace(one, value=rename(one.value)) if one.outcome is ValueOutcome.OP else one
            for one in snapshot.detail.python_values
        ),
        delegation_reasons=tuple(
            replace(one, text=rename(one.text)) for one in snapshot.detail.delegation_reasons
        ),
    )
    return snapshot.reworded(skeleton, detail)


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


def python_condition(text: str, known: Collection[str]) -> str:
    """A condition as Python writes it: "s0 == 7" for "Eq(s0, 7)".

    "" if it only says that a symbol that the program does not have is another size.
    """
    try:
        expr = parse_infix(text)
    except ExprError:
        return text
    sign = {"Eq": "==", "Ne": "!="}.get(expr.fn) if isinstance(expr, Apply) else None
    if sign is None or not isinstance(expr, Apply):
        return text
    free = set(symbols(expr))
    if sign == "==" and len(free) > 1 and not free <= set(known):
        return ""
    return f" {sign} ".join(map(show, expr.args))
