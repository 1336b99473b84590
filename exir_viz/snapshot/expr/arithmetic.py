"""How the infix operators build trees: sums and products flat, a product's exact coefficient first.

This keeps `2*s77 - 1` in the shape sympy gives it (`Add(Mul(2, s77), -1)`), and simplifies no further.
"""

from collections.abc import Sequence
from fractions import Fraction

from exir_viz.snapshot.expr.tree import Apply, Expr, Float, Integer, Rational, Special, rational


def joined(fn: str, parts: Sequence[Expr]) -> Expr:
    """`fn` (Add, Mul, And, Or, Xor) of parts; a part of the same function gives its own."""
    if len(parts) == 1:
        return parts[0]
    flat = [inner for part in parts for inner in parts_of(fn, part)]
    return product(flat) if fn == "Mul" else Apply(fn, tuple(flat))


def parts_of(fn: str, expr: Expr) -> tuple[Expr, ...]:
    return expr.args if isinstance(expr, Apply) and expr.fn == fn else (expr,)


def negate(expr: Expr) -> Expr:
    match expr:
        case Float(value):
            return Float(-value)
        case Special(name):
            if name in ("zoo", "nan"):
                return expr
            return Special(name[1:] if name.startswith("-") else "-" + name)
        case Apply("Mul", (Float() | Special() as first, *rest)):
            return product([negate(first), *rest])
    return product([Integer(-1), *parts_of("Mul", expr)])


def inverse(expr: Expr) -> Expr:
    return joined("Mul", [_inverse(part) for part in parts_of("Mul", expr)])


def product(parts: Sequence[Expr]) -> Expr:
    coefficient = Fraction(1)
    rest: list[Expr] = []
    for part in parts:
        if isinstance(part, Integer | Rational):
            coefficient *= part.value
        else:
            rest.append(part)
    if coefficient != 1 or not rest:
        rest.insert(0, rational(coefficient))
    return rest[0] if len(rest) == 1 else Apply("Mul", tuple(rest))


def _inverse(expr: Expr) -> Expr:
    match expr:
        case Integer(value) | Rational(value) if value != 0:
            return rational(1 / Fraction(value))
        case Apply("Pow", (base, exponent)):
            flipped = negate(exponent)
            return base if flipped == Integer(1) else Apply("Pow", (base, flipped))
    return Apply("Pow", (expr, Integer(-1)))
