"""The tree: leaves (numbers, booleans, infinities, symbols) and applications `fn(args)`.

Every tree is well formed by construction: at most MAX_DEPTH levels (so recursion over it is safe), at most
MAX_ARGS arguments, the right number of them where a function's shape matters. Nothing is simplified here.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

MAX_CHARS: Final = 100_000
MAX_DEPTH: Final = 100
MAX_ARGS: Final = 4096
MAX_DIGITS: Final = 100
MAX_NAME: Final = 256
MAX_BITS: Final = 1000  # of a number in a tree: it always fits a double, and prints in linear time


class ExprError(ValueError):
    """What is wrong with an expression and, for text, where: a 0-based character and an excerpt around it."""

    def __init__(self, what: str, text: str = "", position: int | None = None) -> None:
        self.what = what
        self.position = position
        self.excerpt = ""
        message = what
        if position is not None:
            start, stop = max(position - 20, 0), position + 20
            self.excerpt = ("…" if start else "") + text[start:stop] + ("…" if stop < len(text) else "")
            message = f"{what}, at character {position} of {self.excerpt!r}"
        super().__init__(message)


class Expr:
    """An immutable, hashable expression. Equality is structural; symbols are equal by name."""

    __slots__ = ()


def _check_bits(value: int | Fraction) -> None:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > MAX_BITS:
        raise ExprError(f"a number has more than {MAX_BITS} bits")


@dataclass(frozen=True, slots=True)
class Integer(Expr):
    value: int

    def __post_init__(self) -> None:
        _check_bits(self.value)


@dataclass(frozen=True, slots=True)
class Rational(Expr):
    """A fraction in lowest terms that is not an integer; `rational` builds it."""

    value: Fraction

    def __post_init__(self) -> None:
        _check_bits(self.value)


@dataclass(frozen=True, slots=True)
class Float(Expr):
    value: float
    precision: int = field(default=53, compare=False)  # bits, as sympy counts them; torch writes only 53


@dataclass(frozen=True, slots=True)
class Boolean(Expr):
    value: bool


@dataclass(frozen=True, slots=True)
class Special(Expr):
    """`int_oo`, `-int_oo` (torch's), `oo`, `-oo`, `zoo`, `nan` (sympy's)."""

    name: str

    def __post_init__(self) -> None:
        if self.name not in SPECIALS:
            raise ExprError(f"{self.name!r} is not an infinity: choose one of {', '.join(SPECIALS)}")


SPECIALS: Final[dict[str, float]] = {
    "int_oo": float("inf"),
    "-int_oo": float("-inf"),
    "oo": float("inf"),
    "-oo": float("-inf"),
    "zoo": float("nan"),
    "nan": float("nan"),
}


@dataclass(frozen=True, slots=True)
class Symbol(Expr):
    name: str
    # sympy's own, as written: (("positive", True), ("integer", True)). None is sympy's "unknown".
    assumptions: tuple[tuple[str, bool | int | None], ...] = field(default=(), compare=False)


# Least and most arguments where printing or ordering depends on it; other functions take any number.
ARITY: Final[dict[str, tuple[int, int]]] = {
    **dict.fromkeys(("Eq", "Ne", "Lt", "Le", "Gt", "Ge", "Pow", "FloorDiv", "CleanDiv"), (2, 2)),
    **dict.fromkeys(("Not", "Identity"), (1, 1)),
    **dict.fromkeys(("Add", "Mul", "Max", "Min", "And", "Or", "Xor"), (1, MAX_ARGS)),
}


@dataclass(frozen=True, slots=True)
class Apply(Expr):
    """A function by name. An unknown name is kept as it is: it prints, but has no value."""

    fn: str
    args: tuple[Expr, ...]
    depth: int = field(init=False, compare=False, repr=False)
    digest: int = field(init=False, compare=False, repr=False)  # kept, so that hashing a deep tree is O(1)

    def __post_init__(self) -> None:
        least, most = ARITY.get(self.fn, (0, MAX_ARGS))
        if not least <= len(self.args) <= most:
            wants = str(least) if least == most else f"{least} to {most}"
            raise ExprError(f"{self.fn} takes {wants} arguments, not {len(self.args)}")
        depth = 1 + max((arg.depth if isinstance(arg, Apply) else 1 for arg in self.args), default=1)
        if depth > MAX_DEPTH:
            raise ExprError(f"the expression is nested deeper than {MAX_DEPTH} levels")
        object.__setattr__(self, "depth", depth)
        object.__setattr__(self, "digest", hash((self.fn, self.args)))

    def __hash__(self) -> int:
        return self.digest


def number(expr: Expr) -> int | Fraction | float | None:
    """The value of a numeric leaf (sympy's Number: infinities too, `zoo` and booleans not), else None."""
    if isinstance(expr, Integer | Rational | Float):
        return expr.value
    if isinstance(expr, Special) and expr.name != "zoo":
        return SPECIALS[expr.name]
    return None


def rational(value: Fraction | int) -> Integer | Rational:
    return Integer(int(value)) if value.denominator == 1 else Rational(Fraction(value))
