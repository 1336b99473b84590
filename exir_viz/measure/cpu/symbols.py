"""Symbolic numbers of a program → the numbers of one run. Nothing here adds a guard."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy
import torch
from torch.export import ExportedProgram

from exir_viz.errors import MeasureError


def value_of(number: Any, program: ExportedProgram, symbols: Mapping[Any, int]) -> Any:
    """The number behind a size or a symbolic number: by the symbols given, else by their hints."""
    if not isinstance(number, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return number
    expr = number.node.expr
    hints = number.node.shape_env.backed_var_to_val if number.node.shape_env else {}
    values: dict[sympy.Basic, Any] = {}
    for symbol in expr.free_symbols:
        given = _by_name(symbols).get(symbol.name)
        values[symbol] = given if given is not None else _hint(symbol, hints, program)
    found = expr.subs(values)
    if isinstance(number, torch.SymBool):
        return bool(found)
    return int(found) if isinstance(number, torch.SymInt) else float(found)


def expression(size: Any) -> sympy.Basic | None:
    """The expression of a symbolic size; None for a number."""
    if not isinstance(size, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return None
    expr = size.node.expr
    return None if getattr(expr, "is_number", False) else expr


def bound(limit: object) -> int | None:
    """A bound of a range as a number; None where it is infinite."""
    return int(limit) if isinstance(limit, sympy.Integer) else None


def _by_name(symbols: Mapping[Any, int]) -> dict[str, int]:
    return {getattr(symbol, "name", symbol): number for symbol, number in symbols.items()}


def _hint(symbol: Any, hints: Mapping[Any, Any], program: ExportedProgram) -> int:
    if symbol in hints:
        return int(hints[symbol])
    limits = program.range_constraints.get(symbol)
    low = None if limits is None else bound(limits.lower)
    if low is not None:
        return max(low, 2)
    raise MeasureError(
        f"The symbol {symbol} has neither a value nor a range here: pass symbols={{{str(symbol)!r}: …}}."
    )
