"""Cases of expressions: what each is for given symbols, and the text from which a page computes it."""

from __future__ import annotations

from typing import Any

from exir_viz.snapshot.expr import ExprError, evaluate, parse_infix, postfix

_EXPRESSIONS = (
    "7",
    "-3",
    "n",
    "2*n + 1",
    "n*m - 4",
    "-n",
    "n**2",
    "n**0",
    "n/3",
    "2*n/m",
    "n/m/k",
    "(n + m)/2",
    "n//3",
    "-n//3",
    "n % 5",
    "-n % 5",
    "Mod(n, 5)",
    "Mod(-n, 5)",
    "CleanDiv(2*n, 2)",
    "CeilDiv(n, 4)",
    "ModularIndexing(n, 4, 3)",
    "PowByNatural(n, 2)",
    "IntTrueDiv(n, 4)",
    "CeilToInt(IntTrueDiv(n, 4))",
    "TruncToInt(IntTrueDiv(-n, 4))",
    "FloorToInt(IntTrueDiv(-n, 4))",
    "floor(n/2)",
    "ceiling(n/2)",
    "Abs(4 - n)",
    "Max(1, n, m)",
    "Min(8, n)",
    "n << 2",
    "n >> 1",
    "n > 3",
    "n >= m",
    "n <= 64",
    "n < 64",
    "Eq(n, m)",
    "Ne(n, m)",
    "Eq(Mod(n, 8), 0)",
    "Not(n > 3)",
    "n > 3 and m > 3",
    "n > 3 or m // k > 1",
    "Where(n > m, n, m)",
    "n // (m - m)",
    "n // k",
    "n % (m - m)",
    "n > 3 and 4 // (m - m) > 1",
    "absent + 1",
    "oo",
    "n < int_oo",
    "f(n)",
)
_VALUES = (
    {"n": 2, "m": 9, "k": 3},
    {"n": 9, "m": 2, "k": 4},
    {"n": 49, "m": 49, "k": 49},
    {"n": 0, "m": 1, "k": 0},
)


def cases() -> dict[str, list[Any]]:
    return {
        "values": [
            [text, _postfix(text), values, _value(text, values)]
            for text in _EXPRESSIONS
            for values in _VALUES
        ]
    }


def _postfix(text: str) -> str:
    try:
        return postfix(parse_infix(text))
    except ExprError:
        return ""


def _value(text: str, values: dict[str, int]) -> int | float | bool | None:
    """Null where Python has no value, or a page does not evaluate it."""
    try:
        return evaluate(parse_infix(text), values) if _postfix(text) else None
    except ExprError:
        return None
