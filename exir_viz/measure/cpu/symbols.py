"""Convert symbolic numbers of a program to the numbers of one run, without adding guards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import sympy
import torch
from torch.export import ExportedProgram

from exir_viz.errors import MeasureError
from exir_viz.options import wrong_argument
from exir_viz.snapshot.symbol_names import renamed_text
from exir_viz.torch_internals.fake_values import dimension_names

# How torch names symbols that only running the program gives a value.
_UNBACKED = ("u", "zuf")


def value_of(number: Any, program: ExportedProgram, symbols: Mapping[Any, int]) -> Any:
    """The number of a size or a symbolic number: by the given symbols, else by their hints."""
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


def user_names(program: ExportedProgram) -> dict[str, str]:
    """By torch's name of a symbol: the name of its Dim, where that names no other symbol."""
    names: dict[str, str] = {}
    for node in program.graph.nodes:
        value = node.meta.get("val") if node.op == "placeholder" else None
        for size in value.shape if isinstance(value, torch.Tensor) else (value,):
            if not names and isinstance(size, torch.SymInt):
                names = dict(dimension_names(size.node))
    owners = Counter(names.values())
    return {name: dim for name, dim in names.items() if owners[dim] == 1 and dim not in names}


def in_user_names(expr: object, program: ExportedProgram) -> str:
    """An expression as text, with users' names of symbols."""
    return renamed_text(str(expr), user_names(program))


def torch_names(program: ExportedProgram) -> dict[str, str]:
    """By the user's name of a symbol: torch's."""
    return {dim: name for name, dim in user_names(program).items()}


def by_torch_names(symbols: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Values of symbols by torch's names, where they are given by users' names.

    `names` has torch's name of each symbol by the user's, or by torch's own if the user gave none. Raises
    WrongArgument if one symbol is given by both of its names.
    """
    for dim, name in names.items():
        if dim != name and dim in symbols and name in symbols:
            raise wrong_argument(f"{dim!r} and {name!r} are the same symbol: pass one of them.")
    return {names.get(name, name): number for name, number in symbols.items()}


def bound(limit: object) -> int | None:
    """A bound of a range as a number; None if it is infinite."""
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
    found = f"The symbol {symbol} has neither a value nor a range here"
    if limits is None and str(symbol).startswith(_UNBACKED):  # a program has only those with ranges
        raise MeasureError(f"{found}: it depends on the data of a tensor.")
    raise MeasureError(f"{found}: pass symbols={{{str(symbol)!r}: …}}.")
