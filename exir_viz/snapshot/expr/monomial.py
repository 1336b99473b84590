"""A term of a sum as sympy orders it: its number, and an integer power of each generator.

`x**2*y` is {x: 2, y: 1}; `x*sqrt(y)` is {x: 1, sqrt(y): 1}. A number that is no literal, like sqrt(2), joins
the coefficient.
"""

from fractions import Fraction

from exir_viz.snapshot.expr.arithmetic import negate
from exir_viz.snapshot.expr.ranks import ARITHMETIC
from exir_viz.snapshot.expr.tree import (
    Apply,
    Expr,
    ExprError,
    Float,
    Integer,
    Rational,
    Special,
    number,
    rational,
)
from exir_viz.snapshot.expr.value import evaluate

Number = int | Fraction | float


class Lex:
    """The order of monomials given as (generator's place, exponent) pairs, sorted by place.

    It is the lex order of the dense exponent vectors, greatest first: an absent generator counts as exponent
    0, so a positive exponent sorts before absence and a negative one after it.
    """

    __slots__ = ("pairs",)

    def __init__(self, pairs: tuple[tuple[int, int], ...]) -> None:
        self.pairs = pairs

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Lex) and self.pairs == other.pairs

    def __hash__(self) -> int:
        return hash(self.pairs)

    def __lt__(self, other: "Lex") -> bool:
        for (mine, power), (theirs, their_power) in zip(self.pairs, other.pairs, strict=False):
            if mine != theirs:
                return power > 0 if mine < theirs else their_power < 0
            if power != their_power:
                return power > their_power
        shared = min(len(self.pairs), len(other.pairs))
        rest, their_rest = self.pairs[shared:], other.pairs[shared:]
        return rest[0][1] > 0 if rest else bool(their_rest) and their_rest[0][1] < 0


def coefficient(expr: Expr) -> tuple[Number, tuple[Expr, ...]]:
    """`expr` as a leading number times the factors that remain."""
    if isinstance(expr, Apply) and expr.fn == "Mul":
        lead = number(expr.args[0])
        return (1, expr.args) if lead is None else (lead, expr.args[1:])
    return 1, (expr,)


def monomial(term: Expr) -> tuple[Number, dict[Expr, int]]:
    value = number(term)
    if value is not None:
        return value, {}
    lead, rest = coefficient(term)
    powers: dict[Expr, int] = {}
    for factor in rest:
        known = _known_value(factor)
        if known is None:
            base, exponent = _generator(factor)
            powers[base] = exponent
        else:
            lead = lead * known
    return lead, powers


def base_and_exponent(power: Apply) -> tuple[Expr, Expr]:
    """The base and the exponent of a Pow; (1/2)**x counts as 2**(-x)."""
    base, exponent = power.args
    if isinstance(base, Rational) and base.value.numerator == 1:
        return Integer(base.value.denominator), negate(exponent)
    return base, exponent


def _known_value(factor: Expr) -> float | None:
    """The value of a factor of numbers alone; sympy gives torch's functions none here, but for Identity."""
    if not _is_arithmetic(factor):
        return None
    try:
        return float(evaluate(factor, {}))
    except (ExprError, OverflowError):
        return None


def _is_arithmetic(expr: Expr) -> bool:
    if isinstance(expr, Apply):
        return (expr.fn in ARITHMETIC or expr.fn == "Identity") and all(map(_is_arithmetic, expr.args))
    return number(expr) is not None


def _generator(factor: Expr) -> tuple[Expr, int]:
    """A factor as an integer power of the simplest base: x**(2*n) is the square of x**n."""
    if not isinstance(factor, Apply) or factor.fn != "Pow":
        return factor, 1
    base, exponent = base_and_exponent(factor)
    match exponent:
        case Integer(value):
            return base, value
        case Rational(part):
            return Apply("Pow", (base, rational(Fraction(1, part.denominator)))), part.numerator
        case Float() | Special():
            return factor, 1
    lead, rest = coefficient(exponent)
    if lead == 1 or not isinstance(lead, int | Fraction):
        return factor, 1
    tail = rest if lead.denominator == 1 else (rational(Fraction(1, lead.denominator)), *rest)
    return Apply("Pow", (base, tail[0] if len(tail) == 1 else Apply("Mul", tail))), lead.numerator
