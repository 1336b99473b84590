"""The canonical text of an expression: what sympy's `str` prints for it with torch's functions.

Two expressions with equal text are the same shape; the text is what a cell, a label and a table show. Not
covered: products that sympy did not evaluate (`2*3*x`), floats of other than 53 bits, and, in a sum or
product, a `Where` of floats, which sympy treats as non-commutative.
"""

from fractions import Fraction
from typing import Final

from exir_viz.snapshot.expr.arithmetic import negate
from exir_viz.snapshot.expr.monomial import coefficient
from exir_viz.snapshot.expr.order import Order
from exir_viz.snapshot.expr.ranks import ADD, ATOM, FUNCTION, LEVELS, LOOSE_FUNCTIONS, MUL, NOT, POW
from exir_viz.snapshot.expr.tree import (
    Apply,
    Boolean,
    Expr,
    Float,
    Integer,
    Rational,
    Special,
    Symbol,
    number,
)

_BETWEEN: Final = {
    "Lt": (" < ", 35),
    "Le": (" <= ", 35),
    "Gt": (" > ", 35),
    "Ge": (" >= ", 35),
    "And": (" & ", 38),
    "Or": (" | ", 36),
    "Xor": (" ^ ", 37),
}


def show(expr: Expr) -> str:
    if isinstance(expr, Float):
        return _float(expr, padded=True)  # sympy pads a float only if it is the whole expression
    return _Printer().print(expr)


class _Printer:
    def __init__(self) -> None:
        self.order = Order()

    def print(self, expr: Expr) -> str:
        match expr:
            case Integer(value) | Rational(value) | Boolean(value):
                return str(value)
            case Float():
                return _float(expr, padded=False)
            case Special(name) | Symbol(name):
                return name
            case Apply():
                return self._apply(expr)
        raise TypeError(f"{type(expr).__name__} is not an expression")

    def _apply(self, expr: Apply) -> str:
        args = expr.args
        match expr.fn:
            case "Add":
                text = self._sum(expr)
            case "Mul":
                text = self._product(expr)
            case "Pow":
                text = self._power(*args)
            case "Not":
                text = "~" + self._wrap(args[0], NOT)
            case "Identity":
                text = f"({self.print(args[0])})"
            case "FloorDiv" | "CleanDiv":
                text = f"({self._wrap(args[0], ATOM - 1)}//{self._wrap(args[1], ATOM - 1)})"
            case fn if fn in _BETWEEN:
                between, level = _BETWEEN[fn]
                text = between.join(self._wrap(arg, level) for arg in self._joined(expr))
            case fn:
                shown = sorted(args, key=self.order.key) if fn in ("Max", "Min") else args
                text = f"{fn}({', '.join(self.print(arg) for arg in shown)})"
        return text

    def _wrap(self, expr: Expr, level: int) -> str:
        text = self.print(expr)
        return f"({text})" if _level(expr) <= level else text

    def _joined(self, expr: Apply) -> list[Expr]:
        """In an And, sympy shows a lower bound of minus infinity first."""
        args = self.order.arguments(expr)
        if expr.fn == "And":
            args.sort(key=lambda arg: not (isinstance(arg, Apply) and arg.args[1:] == (Special("-oo"),)))
        return args

    def _sum(self, expr: Apply) -> str:
        parts: list[str] = []
        for term in self.order.terms(expr):
            text, is_sum = self.print(term), isinstance(term, Apply) and term.fn == "Add"
            negative = text.startswith("-") and not is_sum
            text = text[1:] if negative else text
            parts += ["-" if negative else "+", f"({text})" if _level(term) < ADD or is_sum else text]
        return ("-" if parts[0] == "-" else "") + " ".join(parts[1:])

    def _product(self, expr: Apply) -> str:
        level = _level(expr)
        lead, rest = coefficient(expr)
        sign, factors = "", expr.args
        if lead < 0:
            positive = negate(expr.args[0])
            sign, factors = "-", rest if positive == Integer(1) and rest else (positive, *rest)
        above, below = self._fraction(factors, level)
        top = "*".join(above) or "1"
        if not below:
            return sign + top
        return f"{sign}{top}/{below[0]}" if len(below) == 1 else f"{sign}{top}/({'*'.join(below)})"

    def _fraction(self, factors: tuple[Expr, ...], level: int) -> tuple[list[str], list[str]]:
        above: list[str] = []
        below: list[str] = []
        for item in self.order.factors(factors):
            match item:
                case Apply("Pow", (base, exponent)) if _is_negative(exponent):
                    flipped = negate(exponent)
                    one = flipped == Integer(1)
                    text = self._wrap(base if one else Apply("Pow", (base, flipped)), level)
                    compound = one and isinstance(base, Apply) and base.fn in ("Mul", "Pow")
                    below.append(f"({text})" if compound else text)
                case Rational(value):
                    if value.numerator != 1:
                        above.append(self._wrap(Integer(value.numerator), level))
                    below.append(self._wrap(Integer(value.denominator), level))
                case Integer(1):
                    continue
                case _:
                    above.append(self._wrap(item, level))
        return above, below

    def _power(self, base: Expr, exponent: Expr) -> str:
        if isinstance(exponent, Rational) and abs(exponent.value) == Fraction(1, 2):
            return f"{'1/' if exponent.value < 0 else ''}sqrt({self.print(base)})"
        if exponent == Integer(-1):
            return f"1/{self._wrap(base, POW)}"
        return f"{self._wrap(base, POW)}**{self._wrap(exponent, POW)}"


def _is_negative(exponent: Expr) -> bool:
    value = number(exponent)
    return (coefficient(exponent)[0] if value is None else value) < 0


def _level(expr: Expr) -> int:
    match expr:
        case Integer(value) | Rational(value) | Float(value) if value < 0:
            return ADD
        case Rational():
            return MUL
        case Special("-oo"):
            return ADD
        case Apply("Mul", args):
            loose = any(isinstance(arg, Apply) and arg.fn in LOOSE_FUNCTIONS for arg in args)
            return ADD if coefficient(expr)[0] < 0 and not loose else MUL
        case Apply(fn, _):
            return LEVELS.get(fn, FUNCTION)
    return ATOM


def _float(expr: Float, *, padded: bool) -> str:
    """As many digits as the precision is sure of (15 for a double), fixed-point where that is short."""
    if expr.value == 0.0:
        return "0.0"
    digits = max(1, round(expr.precision / 3.3219280948873626) - 1)
    mantissa, _, power = f"{expr.value:.{digits - 1}e}".partition("e")
    exponent = int(power)
    sign, figures = ("-" if mantissa.startswith("-") else ""), mantissa.lstrip("-").replace(".", "")
    point, suffix = 1, f"e{exponent:+d}"
    if min(-(digits // 3), -5) < exponent < digits:
        figures = "0" * -exponent + figures  # none if the exponent is not negative
        point, suffix = max(exponent, 0) + 1, ""
    text = f"{figures[:point]}.{figures[point:]}"
    if not padded:
        text = text.rstrip("0")
        text += "0" if text.endswith(".") else ""
    return sign + text + suffix
