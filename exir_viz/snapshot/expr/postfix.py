"""Expressions for a page: functions after their arguments, so that a page needs no parser.

"2*batch + 1" becomes "2 batch Mul:2 1 Add:2": a number, a symbol, or a function with how many arguments it
takes from the stack. `labextension/src/snapshot/postfix.ts` evaluates it.
"""

from collections.abc import Iterator
from typing import Final

from exir_viz.snapshot.expr.tree import (
    Apply,
    Boolean,
    Expr,
    ExprError,
    Float,
    Integer,
    Rational,
    Symbol,
)

# What pages evaluate. Floats of torch's OpaqueUnaryFn_* and bit operations are in no shape that we have seen.
FUNCTIONS: Final = frozenset(
    (
        *("Add", "Mul", "Pow", "Eq", "Ne", "Lt", "Le", "Gt", "Ge", "Not", "And", "Or", "Max", "Min"),
        *("FloorDiv", "CleanDiv", "CeilDiv", "ModularIndexing", "Mod", "PythonMod", "PowByNatural"),
        *("IntTrueDiv", "FloatTrueDiv", "CeilToInt", "FloorToInt", "TruncToInt", "ToFloat", "Identity"),
        *("floor", "ceiling", "Abs", "LShift", "RShift", "Where", "ITE"),
    )
)


def postfix(expr: Expr) -> str:
    """The text for pages. Raises ExprError for what they do not evaluate."""
    return " ".join(_tokens(expr))


def _tokens(expr: Expr) -> Iterator[str]:
    match expr:
        case Integer(value):
            yield str(value)
        case Rational(value):
            yield from (str(value.numerator), str(value.denominator), "IntTrueDiv:2")
        case Float(value):
            yield repr(value)
        case Boolean(value):
            yield str(value)
        case Symbol(name) if name.isidentifier():
            yield name
        case Apply("Mul", args):
            yield from _product(args)
        case Apply(fn, args) if fn in FUNCTIONS:
            for arg in args:
                yield from _tokens(arg)
            yield f"{fn}:{len(args)}"
        case _:
            raise ExprError("pages do not evaluate it")


def _product(args: tuple[Expr, ...]) -> Iterator[str]:
    """A product, then one division: a page has no fractions, and a third of nine must be three."""
    above: list[Expr] = []
    below: list[Expr] = []
    for arg in args:
        match arg:
            case Rational(value):
                above.append(Integer(value.numerator))
                below.append(Integer(value.denominator))
            case Apply("Pow", (base, Integer(power))) if power < 0:
                below.append(base if power == -1 else Apply("Pow", (base, Integer(-power))))
            case _:
                above.append(arg)
    yield from _multiplied(above)
    if below:
        yield from _multiplied(below)
        yield "IntTrueDiv:2"


def _multiplied(args: list[Expr]) -> Iterator[str]:
    for arg in args or [Integer(1)]:
        yield from _tokens(arg)
    if len(args) > 1:
        yield f"Mul:{len(args)}"
