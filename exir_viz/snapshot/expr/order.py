"""The order sympy prints in: terms of a sum by monomial, factors by key, Max and And by size, then key.

One `Order` serves one `show`; it remembers keys, without which nested sums would cost exponential time.
"""

from typing import Any, Final

from exir_viz.snapshot.expr.monomial import Lex, base_and_exponent, coefficient, monomial
from exir_viz.snapshot.expr.ranks import UNORDERED, class_key
from exir_viz.snapshot.expr.tree import Apply, Boolean, Expr, Float, Special, Symbol, number

# Compares as sympy's `sort_key`: (class, arguments, exponent, coefficient). Two keys that agree so far hold
# the same types next, since the class comes first: a comparison never meets a string against a tuple.
Key = tuple[Any, ...]

_NUMBER: Final = (1, 0, "Number")
_ONE: Final[Key] = (_NUMBER, (0, ()), (), 1)


class Order:
    def __init__(self) -> None:
        self._keys: dict[Expr, Key] = {}
        self._terms: dict[Apply, list[Expr]] = {}

    def key(self, expr: Expr) -> Key:
        if expr not in self._keys:
            self._keys[expr] = self._application_key(expr) if isinstance(expr, Apply) else _leaf_key(expr)
        return self._keys[expr]

    def _application_key(self, expr: Apply) -> Key:
        lead, rest = coefficient(expr)
        core = rest[0] if len(rest) == 1 else Apply("Mul", rest or expr.args)
        exponent = _ONE
        if isinstance(core, Apply) and core.fn == "Pow":
            core, power = base_and_exponent(core)
            exponent = self.key(power)
        if not isinstance(core, Apply):
            return *_core_key(core), exponent, lead
        return class_key(core.fn), self._arguments_key(core), exponent, lead

    def _arguments_key(self, expr: Apply) -> Key:
        match expr.fn:
            case "Add":
                args = self.terms(expr)
            case "Mul":
                args = self.factors(expr.args)
            case _:
                args = self.arguments(expr)
        return len(args), tuple(self.key(arg) for arg in args)

    def arguments(self, expr: Apply) -> list[Expr]:
        """The arguments as sympy holds them: of Max, And and their like small ones first."""
        if expr.fn not in UNORDERED:
            return list(expr.args)
        return sorted(expr.args, key=lambda arg: (_size(arg), self.key(arg)))

    def factors(self, factors: tuple[Expr, ...]) -> list[Expr]:
        return sorted(factors, key=self.key)

    def terms(self, expr: Apply) -> list[Expr]:
        """The terms of a sum as sympy prints them: by the exponents of each generator, highest first."""
        if expr not in self._terms:
            self._terms[expr] = _number_then_negative(expr.args) or self._by_monomial(expr.args)
        return self._terms[expr]

    def _by_monomial(self, args: tuple[Expr, ...]) -> list[Expr]:
        monomials = [monomial(arg) for arg in args]
        generators = sorted({base for _, powers in monomials for base in powers}, key=self.key)
        place = {base: index for index, base in enumerate(generators)}

        def key(index: int) -> Key:
            lead, powers = monomials[index]
            return Lex(tuple(sorted((place[base], power) for base, power in powers.items() if power))), lead

        return [args[index] for index in sorted(range(len(args)), key=key)]


def _leaf_key(expr: Expr) -> Key:
    value = number(expr)
    return (*_core_key(expr), _ONE, 1) if value is None else (_NUMBER, (0, ()), (), value)


def _core_key(leaf: Expr) -> Key:
    """Class and arguments of a leaf with an exponent or a coefficient."""
    match leaf:
        case Symbol(name):
            return (2, 0, "Symbol"), (1, (name,))
        case Special("zoo" as name):
            return (2, 0, "ComplexInfinity"), (1, (name,))
        case Boolean(value):
            return (5, 0, f"Boolean{value}"), (0, ())
    return _NUMBER, (1, (str(number(leaf)),))


def _number_then_negative(args: tuple[Expr, ...]) -> list[Expr] | None:
    """Sympy's one exception: `1 - 2*x`, where the monomials would say `-2*x + 1`."""
    if len(args) != 2:
        return None
    first, second = args if number(args[0]) is not None else (args[1], args[0])
    value, (lead, rest) = number(first), coefficient(second)
    if value is None or not value > 0 or not lead < 0 or len(rest) != 1:
        return None
    return [first, second]


def _size(expr: Expr) -> float:
    """Nodes in the tree; a float counts half."""
    if isinstance(expr, Apply):
        return 1 + sum(_size(arg) for arg in expr.args)
    return 0.5 if isinstance(expr, Float) else 1
