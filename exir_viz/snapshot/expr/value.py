"""The value of an expression for given symbols, with torch's meaning of each function.

Enters a tree and numbers; leaves an int, a float or a bool. Exact where torch is exact: integers and
fractions stay so until a float enters. Integers are bounded (MAX_VALUE_BITS), so no power runs away.
`Where`, `ITE`, `And` and `Or` evaluate only what decides them, as a guard means it.
"""

from collections.abc import Mapping
from fractions import Fraction

from exir_viz.snapshot.expr.functions import ANY_NUMBER, FUNCTIONS, Value, bounded
from exir_viz.snapshot.expr.tree import SPECIALS, Apply, Boolean, Expr, ExprError, Special, Symbol, number


def evaluate(expr: Expr, values: Mapping[str, int | float]) -> int | float | bool:
    """Raises ExprError for a missing symbol, a function without a value, and arithmetic without a result."""
    value = _value(expr, values)
    if not isinstance(value, Fraction):
        return value
    if value.denominator == 1:
        return value.numerator
    try:
        return float(value)
    except OverflowError as cause:
        raise ExprError("the value does not fit a double") from cause


def _value(expr: Expr, values: Mapping[str, int | float]) -> Value:
    leaf = number(expr)
    if leaf is not None:
        return bounded(leaf)
    match expr:
        case Boolean(flag):
            return flag
        case Symbol(name):
            return _symbol(name, values)
        case Apply():
            return _apply(expr, values)
        case Special(name) if name in SPECIALS:
            raise ExprError(f"{name} has no value: it is complex infinity")
    raise ExprError(f"{type(expr).__name__} has no value")


def _symbol(name: str, values: Mapping[str, int | float]) -> Value:
    if name not in values:
        known = ", ".join(sorted(values)[:8]) or "none"
        raise ExprError(f"no value for the symbol {name!r}; values are given for: {known}")
    given = values[name]
    if not isinstance(given, int | float):
        raise ExprError(f"the value of {name!r} is a {type(given).__name__}, not a number")
    return bounded(given)


def _apply(expr: Apply, values: Mapping[str, int | float]) -> Value:
    fn, args = expr.fn, expr.args
    if fn == "And":
        return all(_value(arg, values) for arg in args)
    if fn == "Or":
        return any(_value(arg, values) for arg in args)
    if fn in ("Where", "ITE") and len(args) == 3:
        return _value(args[1] if _value(args[0], values) else args[2], values)
    if fn not in FUNCTIONS:
        raise ExprError(f"the function {fn} has no known value")
    count, compute = FUNCTIONS[fn]
    if count not in (ANY_NUMBER, len(args)):
        raise ExprError(f"{fn} takes {count} arguments, not {len(args)}")
    operands = [_value(arg, values) for arg in args]
    try:
        return bounded(compute(*operands))
    except ZeroDivisionError as cause:
        raise ExprError(f"{fn} divides by zero") from cause
    except ExprError:
        raise
    except (ArithmeticError, ValueError, TypeError) as cause:
        shown = ", ".join(str(operand)[:40] for operand in operands[:4])
        raise ExprError(f"{fn}({shown}) has no value: {cause}") from cause
