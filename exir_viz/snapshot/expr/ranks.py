"""How sympy ranks functions by name: the class decides their order, the level their parentheses.

The numbers are sympy's (`class_key`, `PRECEDENCE`) and, for torch's functions, those their classes declare.
"""

from typing import Final

ADD, MUL, POW, FUNCTION, NOT, ATOM = 40, 50, 60, 70, 100, 1000

_CLASS_NAMES: Final = {
    "Eq": "Equality",
    "Ne": "Unequality",
    "Lt": "StrictLessThan",
    "Le": "LessThan",
    "Gt": "StrictGreaterThan",
    "Ge": "GreaterThan",
}
ARITHMETIC: Final = {"Mul": 0, "Add": 1, "Pow": 2}
UNORDERED: Final = frozenset(("Max", "Min", "And", "Or", "Xor"))
# Not sympy Functions, so of a later class.
BASIC: Final = UNORDERED | {*_CLASS_NAMES, "Not", "Implies", "ITE", "Tuple"}

_ELEMENTARY: Final = {
    "exp": 10,
    "log": 11,
    "sin": 20,
    "cos": 21,
    "tan": 22,
    "sinh": 30,
    "cosh": 31,
    "tanh": 32,
}
_LOOSE: Final = (
    *("FloorDiv", "CleanDiv", "FloatTrueDiv", "IntTrueDiv"),
    *("ModularIndexing", "PythonMod", "Mod", "Where"),
)
# Functions that declare how many arguments they take come after those that do not (Identity among these).
_FIXED_ARITY: Final = frozenset(
    (
        *_LOOSE,
        *("LShift", "RShift", "PowByNatural", "FloatPow", "ToFloat", "CeilToInt", "FloorToInt"),
        *("TruncToFloat", "TruncToInt", "RoundToInt", "RoundDecimal", "floor", "ceiling", "Abs", "sign"),
        *("BitwiseFn_bitwise_and", "BitwiseFn_bitwise_or", "BitwiseFn_bitwise_xor"),
    )
)

LEVELS: Final = {
    **dict.fromkeys(("Lt", "Le", "Gt", "Ge", *_LOOSE), 35),
    **dict.fromkeys(("Eq", "Ne", "PowByNatural"), MUL),
    "Add": ADD,
    "Pow": POW,
    "FloatPow": POW,
    "Identity": 10,
    "Max": ATOM,
    "Min": ATOM,
    "And": 30,
    "Or": 20,
    "Xor": 10,
    "Implies": 10,
    "Not": NOT,
    "BitwiseFn_bitwise_or": 36,
    "BitwiseFn_bitwise_xor": 37,
    "BitwiseFn_bitwise_and": 38,
}
# Functions of torch below a product's level; a product with one of them has Mul's level whatever its sign.
LOOSE_FUNCTIONS: Final = frozenset(
    (*_LOOSE, "Identity", "BitwiseFn_bitwise_or", "BitwiseFn_bitwise_xor", "BitwiseFn_bitwise_and")
)


def class_key(fn: str) -> tuple[int, int, str]:
    if fn in ARITHMETIC:
        return 3, ARITHMETIC[fn], fn
    if fn in BASIC:
        return 5, 0, _CLASS_NAMES.get(fn, fn)
    fixed = 10_000 if fn in _FIXED_ARITY or fn.startswith("OpaqueUnaryFn_") else 0
    return 4, _ELEMENTARY.get(fn, fixed), fn
