"""What each function computes: sympy's arithmetic and the functions of `torch.utils._sympy.functions`.

Operands are exact (int, Fraction), float or bool. A result is checked by `bounded`; a power or a shift is
checked before it is computed. ValueError, TypeError and ArithmeticError mean: no result.
"""

import math
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from operator import and_, eq, ge, gt, le, lt, ne, or_, xor
from typing import Final

from exir_viz.snapshot.expr.tree import ExprError

MAX_VALUE_BITS: Final = 4096
ANY_NUMBER: Final = -1

Value = int | float | bool | Fraction


def bounded(value: Value) -> Value:
    if isinstance(value, int | Fraction):
        _check_bits(max(value.numerator.bit_length(), value.denominator.bit_length()))
    return value


def _check_bits(bits: int) -> None:
    if bits > MAX_VALUE_BITS:
        raise ExprError(f"a number would have more than {MAX_VALUE_BITS} bits")


def _integer(value: Value) -> int:
    """An operand that must be whole; an infinity or a fraction is a ValueError."""
    if not math.isfinite(value) or value != int(value):
        raise ValueError(f"{value} is not an integer")
    return int(value)


def _or_infinite(value: float, whole: Callable[[float], int]) -> int | float:
    """Torch keeps an infinity where it rounds to an integer (`oo` becomes `int_oo`)."""
    return value if math.isinf(value) else whole(value)


def _add(*args: Value) -> Value:
    return reduce(lambda left, right: bounded(left + right), args)


def _multiply(*args: Value) -> Value:
    return reduce(lambda left, right: bounded(left * right), args)


def _power(base: Value, exponent: Value) -> Value:
    if isinstance(exponent, Fraction) and exponent.denominator == 1:
        exponent = exponent.numerator
    if isinstance(base, float) or not isinstance(exponent, int):
        return _float_power(base, exponent)
    exact = Fraction(base)
    # k bits to the nth have at least (k - 1)*n bits; of 0 and 1 any power is small
    _check_bits((max(exact.numerator.bit_length(), exact.denominator.bit_length()) - 1) * abs(exponent))
    result = exact**exponent
    return result.numerator if result.denominator == 1 else result


def _float_power(base: Value, exponent: Value) -> float:
    result = float(base) ** float(exponent)
    if isinstance(result, complex):
        raise ValueError("it is complex")
    return float(result)


def _power_by_natural(base: Value, exponent: Value) -> Value:
    """Torch's `safe_pow`: past the machine's integers it is infinite, with its sign."""
    whole, times = _integer(base), _integer(exponent)
    if times < 0:
        raise ValueError("the exponent is negative")
    sign = -1 if whole < 0 and times % 2 else 1
    whole = abs(whole)
    if whole > 1 and times * (whole.bit_length() - 1) > 64:
        return sign * math.inf
    result = whole**times if whole > 1 else min(whole, 1) if times else 1
    return sign * (math.inf if result > sys.maxsize else result)


def _floor_div(base: Value, divisor: Value) -> Value:
    if isinstance(base, float) or isinstance(divisor, float):
        return _or_infinite(float(base) / float(divisor), math.floor)
    return base // divisor


def _natural_mod(base: Value, divisor: Value) -> Value:
    """Torch's Mod is defined on naturals alone."""
    if base < 0 or divisor < 0:
        raise ValueError("it is defined for numbers not below zero")
    return base % divisor


def _shift_factor(shift: Value) -> int:
    places = _integer(shift)
    if places < 0:
        raise ValueError("negative shift count")
    _check_bits(places)
    return int(1 << places)


def _dense(*sizes_then_strides: Value) -> int:
    """1 if a tensor of these sizes and strides covers its memory once, in some order of its dims."""
    if not sizes_then_strides or len(sizes_then_strides) % 2:
        raise ValueError("it takes as many strides as sizes")
    half = len(sizes_then_strides) // 2
    sizes, strides = sizes_then_strides[:half], sizes_then_strides[half:]
    if half == 1:
        return int(strides[0] == 1 or sizes[0] < 2)
    by_stride = sorted(zip(sizes, strides, strict=True), key=lambda dim: dim[1])
    dims = [(size, stride) for size, stride in by_stride if size != 1]
    steps = all(bounded(size * stride) == after for (size, stride), (_, after) in pairwise(dims))
    return int(steps and (not dims or dims[0][1] == 1))


def _floor_to_integer(value: Value) -> int | float:
    """Torch leaves an integer exact here, and here alone."""
    return value if isinstance(value, int) else _or_infinite(float(value), math.floor)


def _rounded(value: Value) -> int | float:
    return _or_infinite(float(value), lambda finite: int(round(finite, 0)))


def _bitwise(compute: Callable[[int, int], int]) -> Callable[[Value, Value], Value]:
    def both(left: Value, right: Value) -> Value:
        if isinstance(left, bool) and isinstance(right, bool):
            return bool(compute(left, right))
        return compute(_integer(left), _integer(right))

    return both


def _unary(compute: Callable[[float], float]) -> tuple[int, Callable[..., Value]]:
    return 1, lambda value: compute(float(value))


def _to_integer(whole: Callable[[float], int]) -> tuple[int, Callable[..., Value]]:
    return 1, lambda value: _or_infinite(float(value), whole)


# torch's OpaqueUnaryFn_*; sympy's own names for the same, where it has them
_MATH: Final[dict[str, Callable[[float], float]]] = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "log": math.log,
    "log2": math.log2,
    "cos": math.cos,
    "sin": math.sin,
    "tan": math.tan,
    "acos": math.acos,
    "asin": math.asin,
    "atan": math.atan,
    "cosh": math.cosh,
    "sinh": math.sinh,
    "tanh": math.tanh,
    "asinh": math.asinh,
}

# Name to (how many arguments, what it computes). And, Or, Where and ITE are in value.py: they are lazy.
FUNCTIONS: Final[dict[str, tuple[int, Callable[..., Value]]]] = {
    "Add": (ANY_NUMBER, _add),
    "Mul": (ANY_NUMBER, _multiply),
    "Pow": (2, _power),
    "Eq": (2, eq),
    "Ne": (2, ne),
    "Lt": (2, lt),
    "Le": (2, le),
    "Gt": (2, gt),
    "Ge": (2, ge),
    "Not": (1, lambda value: not value),
    "Xor": (ANY_NUMBER, lambda *args: sum(map(bool, args)) % 2 == 1),
    "Max": (ANY_NUMBER, lambda *args: max(args)),
    "Min": (ANY_NUMBER, lambda *args: min(args)),
    "FloorDiv": (2, _floor_div),
    "CleanDiv": (2, _floor_div),
    "CeilDiv": (2, lambda base, divisor: _floor_div(base + (divisor - 1), divisor)),
    "ModularIndexing": (3, lambda base, divisor, modulus: _floor_div(base, divisor) % modulus),
    "Mod": (2, _natural_mod),
    "PythonMod": (2, lambda base, divisor: base % divisor),
    "LShift": (2, lambda base, shift: base * _shift_factor(shift)),
    "RShift": (2, lambda base, shift: _floor_div(base, _shift_factor(shift))),
    "PowByNatural": (2, _power_by_natural),
    "FloatPow": (2, _float_power),
    "FloatTrueDiv": (2, lambda base, divisor: float(base) / float(divisor)),
    "IntTrueDiv": (2, lambda base, divisor: base / divisor),
    "IsNonOverlappingAndDenseIndicator": (ANY_NUMBER, _dense),
    "CeilToInt": _to_integer(math.ceil),
    "FloorToInt": (1, _floor_to_integer),
    "TruncToInt": _to_integer(math.trunc),
    "TruncToFloat": (1, lambda value: float(_or_infinite(float(value), math.trunc))),
    "RoundToInt": (1, _rounded),
    "RoundDecimal": (2, lambda value, digits: round(float(value), _integer(digits))),
    "ToFloat": (1, float),
    "Identity": (1, lambda value: value),
    "BitwiseFn_bitwise_and": (2, _bitwise(and_)),
    "BitwiseFn_bitwise_or": (2, _bitwise(or_)),
    "BitwiseFn_bitwise_xor": (2, _bitwise(xor)),
    "floor": (1, math.floor),
    "ceiling": (1, math.ceil),
    "Abs": (1, abs),
    **{name: _unary(compute) for name, compute in _MATH.items()},
    **{f"OpaqueUnaryFn_{name}": _unary(compute) for name, compute in _MATH.items()},
}
