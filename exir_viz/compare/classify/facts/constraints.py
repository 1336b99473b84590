"""Changes in a method's symbols and ranges: a symbol specialized, a range narrowed or widened."""

from __future__ import annotations

import re
from collections.abc import Iterator

from exir_viz.compare.records import FactChange
from exir_viz.snapshot import Method
from exir_viz.snapshot.program import Symbol
from exir_viz.snapshot.records import Dim, TensorValue

_SIZE = re.compile(r"size\(\)\[(\d+)\]")


def constraint_changes(a: Method, b: Method) -> Iterator[FactChange]:
    """Symbols by name, then the ranges of expressions that are no symbol."""
    before, after = ({symbol.name: symbol for symbol in method.symbols} for method in (a, b))
    for name in [*after, *(name for name in before if name not in after)]:
        yield from _symbol(name, before.get(name), after.get(name), a, b)
    ours, theirs = _ranges(a, before.keys() | after.keys()), _ranges(b, before.keys() | after.keys())
    for expr in [*theirs, *(expr for expr in ours if expr not in theirs)]:
        old, new = ours.get(expr), theirs.get(expr)
        if old != new:
            yield FactChange("range", expr, f"range of `{expr}`{_how(old, new)}", _shown(old), _shown(new))


Bounds = tuple[str, str]


def _symbol(name: str, old: Symbol | None, new: Symbol | None, a: Method, b: Method) -> Iterator[FactChange]:
    before, after = _bounds(old), _bounds(new)
    if old is not None and new is not None:
        if before != after:
            yield FactChange(
                "symbol", name, f"symbol `{name}`{_how(before, after)}", _shown(before), _shown(after)
            )
        return
    symbol = old if new is None else new
    dim = None if symbol is None else _where(symbol, b if new is None else a)
    if isinstance(dim, int) and new is None:
        text = f"symbol `{name}` was specialized to {dim}"
    elif isinstance(dim, int):
        text = f"symbol `{name}` added where {dim} was fixed"
    else:
        text = f"symbol `{name}` {'removed' if new is None else 'added'}"
    yield FactChange("symbol", name, text, _shown(before), _shown(after))


def _where(symbol: Symbol, other: Method) -> Dim | None:
    """The size that the other method has where the symbol is bound."""
    for binding in symbol.bindings:
        match = _SIZE.fullmatch(binding.path)
        if match and binding.node in other.graph:
            value = other.graph[binding.node].value
            if isinstance(value, TensorValue) and int(match[1]) < len(value.shape):
                return value.shape[int(match[1])]
    return None


def _ranges(method: Method, symbols: set[str]) -> dict[str, Bounds]:
    return {
        one.expr: (_bound(one.lower), _bound(one.upper)) for one in method.ranges if one.expr not in symbols
    }


def _bounds(symbol: Symbol | None) -> Bounds | None:
    return None if symbol is None else (_bound(symbol.lower or "-oo"), _bound(symbol.upper or "oo"))


def _bound(text: str) -> str:
    """A bound for display: torch has an integer infinity (`int_oo`), and sympy a float one (`oo`)."""
    return text.replace("int_oo", "∞").replace("oo", "∞")


def _how(old: Bounds | None, new: Bounds | None) -> str:
    if old is None or new is None:
        return f" {'added' if old is None else 'removed'}: {_shown(new or old)}"
    inner, outer = _within(new, old), _within(old, new)
    verb = " narrowed" if inner and not outer else " widened" if outer and not inner else ""
    return f"{verb}: {_shown(old)} → {_shown(new)}"


def _within(inner: Bounds, outer: Bounds) -> bool:
    low, high = (_number(bound) for bound in inner)
    least, most = (_number(bound) for bound in outer)
    return least <= low and high <= most


def _number(bound: str) -> float:
    """A bound as a number; an expression compares as None."""
    try:
        return float(bound.replace("∞", "inf"))
    except ValueError:
        return float("nan")


def _shown(bounds: Bounds | None) -> str | None:
    if bounds is None:
        return None
    return f"{bounds[0]} to {bounds[1]}"
