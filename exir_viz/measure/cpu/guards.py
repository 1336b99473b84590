"""Check the guards that torch.export kept in addition to the ranges of symbols.

A guard is Python text over the inputs ("L['x'].size()[0]*L['y'].size()[0] < 100"). It is parsed as an
expression and evaluated; nothing is executed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch.export import ExportedProgram

from exir_viz.snapshot.expr import Apply, Expr, ExprError, evaluate, parse_infix, show, symbols
from exir_viz.torch_internals.export import guards_of

from .inputs import Place

# Functions in torch's guards → names in our expressions.
_FUNCTIONS = {
    "min": "Min",
    "max": "Max",
    "abs": "Abs",
    "float": "ToFloat",
    "round": "RoundToInt",
    "math.floor": "FloorToInt",
    "math.ceil": "CeilToInt",
    "math.trunc": "TruncToInt",
    "torch.sym_float": "ToFloat",
    "torch._sym_sqrt": "sqrt",
}
_CALL = re.compile(r"\b((?:math\.|torch\.)?[a-z_]+)\(")
_HEAD = re.compile(r"\w+")
# torch 2.15 writes its own functions where torch 2.13 writes those of the user.
_EXTREME = re.compile(r"\btorch\.sym_(min|max)\(")
# The name of an input in an expression here.
_OWN_NAME = re.compile(r"\bv\d+\b")
_ONE_OF = re.compile(r"(\w+)_(\d+)\b")
# The properties of a tensor that a guard may use; for sizes and strides, with the dimension.
_PROPERTY = r"(?:\.(size|stride|storage_offset)\(\)(?:\[(\d+)\])?)?"


class BrokenGuard(NamedTuple):
    """A guard that does not hold: its text, its values, and the inputs it uses."""

    guard: str
    found: str
    numbers: dict[str, int | float]
    place: Place


def satisfied_guards(
    program: ExportedProgram, takes: Sequence[Place], values: Sequence[Any]
) -> tuple[BrokenGuard | None, tuple[str, ...]]:
    """Check guards: the first that does not hold; else those that could not be read, and were not checked."""
    inputs = _Inputs(takes, values)
    unread: list[str] = []
    for text in (_EXTREME.sub(r"\1(", guard) for guard in guards_of(program)):
        read = inputs.read(text)
        if read is None:
            unread.append(inputs.in_user_notation(text))
            continue
        expr, used, value = read
        if not value:
            numbers = {name: number for name, number, _ in used.values()}
            place = next(iter(used.values()))[2]
            return BrokenGuard(inputs.in_user_notation(text), _compared(expr, used), numbers, place), ()
    return None, tuple(unread)


class _Unreadable(Exception):
    """Raised if a guard uses something of an input that is not a number."""


# By the name in the expression: the user's notation, the number, the input.
_Values = dict[str, tuple[str, "int | float", Place]]


class _Inputs:
    """The inputs by their names in guards: L['x'], L['args'][0]['k']."""

    def __init__(self, takes: Sequence[Place], values: Sequence[Any]) -> None:
        pairs = zip(takes, values, strict=True)
        self._by_form = {_form(place.path): (place, value) for place, value in pairs}
        for place, value in zip(takes, values, strict=True):
            for form in _of_variadic(place, takes):
                self._by_form.setdefault(form, (place, value))
        # the longest first: L['args'][1] is a prefix of L['args'][10], and L['x'] of L['x']['k']
        forms = "|".join(re.escape(form) for form in sorted(self._by_form, key=len, reverse=True))
        self._pattern = re.compile(f"({forms}){_PROPERTY}")

    def read(self, text: str) -> tuple[Expr, _Values, object] | None:
        """A guard as an expression, with the values it uses and its result; None if it cannot be read."""
        try:
            expr, used = self._read(text)
            return expr, used, evaluate(expr, _numbers(used))
        except (ExprError, _Unreadable):
            return None

    def _read(self, text: str) -> tuple[Expr, _Values]:
        used: _Values = {}

        def name(match: re.Match[str]) -> str:
            place, value = self._by_form[match[1]]
            path = place.path + match[0][len(match[1]) :]
            found = next(
                (key for key, (other, _, _) in used.items() if other == path),
                f"v{len(used)}",
            )
            used[found] = path, _number(value, match[2], match[3]), place
            return found

        named = self._pattern.sub(name, text.replace("\n", " "))
        expr = parse_infix(_CALL.sub(lambda call: f"{_FUNCTIONS.get(call[1], call[1])}(", named))
        if not set(symbols(expr)) <= used.keys() or not used:
            raise _Unreadable(text)
        return expr, used

    def in_user_notation(self, text: str) -> str:
        """The guard in the user's notation."""
        return self._pattern.sub(
            lambda match: self._by_form[match[1]][0].path + match[0][len(match[1]) :],
            text.replace("\n", " "),
        )


def _of_variadic(place: Place, takes: Sequence[Place]) -> list[str]:
    """The name in guards of one item of `*a`, which a program names a_0: L['a'][0]."""
    found = _ONE_OF.match(place.path)
    if found is None or any(_head(other.path) == found[1] for other in takes):
        return []
    return [f"L['{found[1]}'][{found[2]}]{place.path[found.end() :]}"]


def _head(path: str) -> str:
    found = _HEAD.match(path)
    return found[0] if found else ""


def _form(path: str) -> str:
    """The name in guards of an input, from the user's notation: x['k'] is L['x']['k']."""
    return _HEAD.sub(lambda head: f"L['{head[0]}']", path, count=1)


def _number(value: Any, what: str | None, dim: str | None) -> int | float:
    if what is None and isinstance(value, int | float):
        return value
    if what is None or not isinstance(value, torch.Tensor):
        raise _Unreadable(what or "a value")
    of: Callable[..., Any] = getattr(value, what)
    return int(of() if dim is None else of()[int(dim)])


def _numbers(used: _Values) -> dict[str, int | float]:
    return {name: number for name, (_, number, _) in used.items()}


def _compared(expr: Expr, used: _Values) -> str:
    """The compared numbers: "200 < 100"; the whole expression if it is not one comparison."""
    if isinstance(expr, Apply) and expr.fn in _SIGNS:
        left, right = (evaluate(arg, _numbers(used)) for arg in expr.args)
        return f"{left} {_SIGNS[expr.fn]} {right}"
    return _OWN_NAME.sub(lambda name: str(used[name[0]][1]), show(expr))


_SIGNS = {"Lt": "<", "Le": "<=", "Gt": ">", "Ge": ">=", "Eq": "==", "Ne": "!="}
