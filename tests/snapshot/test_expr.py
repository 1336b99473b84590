"""Shape expressions: read as sympy wrote, printed as sympy prints, counted as torch counts, and inert."""

import random
from collections.abc import Callable

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.utils._sympy import functions as torch_functions
from torch.utils._sympy.functions import CleanDiv, FloorDiv, Max, Min, Mod, ModularIndexing, PythonMod, Where
from torch.utils._sympy.numbers import int_oo
from torch.utils._sympy.symbol import prefix_str

from exir_viz.snapshot.expr import (
    Apply,
    Boolean,
    Expr,
    ExprError,
    Float,
    Integer,
    Rational,
    Special,
    Symbol,
    SymbolKind,
    evaluate,
    is_unbacked,
    parse_infix,
    parse_srepr,
    show,
    symbol_kind,
    symbols,
)

SIZES = [sympy.Symbol(name, positive=True, integer=True) for name in ("s0", "s1", "s10", "s77")]
LEAVES = [*SIZES, sympy.Symbol("u0", integer=True)]
s0, s1, _, s77, u0 = LEAVES
x, y = sympy.symbols("x y")  # of which nothing is assumed: they may be infinite

RELATIONS = (sympy.Lt, sympy.Le, sympy.Gt, sympy.Ge, sympy.Eq, sympy.Ne)
READERS = pytest.mark.parametrize("read", [parse_srepr, parse_infix])
REFUSALS = (ZeroDivisionError, AssertionError, ValueError, TypeError, RecursionError)
Reader = Callable[[str], Expr]


def number(rng: random.Random, depth: int) -> sympy.Expr:
    """A random expression of sympy's and torch's functions, as deep as asked."""
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(LEAVES) if rng.random() < 0.7 else sympy.Integer(rng.randint(-9, 20))
    args = [number(rng, depth - 1) for _ in range(rng.randint(2, 4))]
    divisor = number(rng, min(depth - 1, 1))  # a deep one sends sympy's gcd into minutes
    build = rng.choice(
        [
            *[lambda: sympy.Add(*args), lambda: sympy.Mul(*args), lambda: args[0] - args[1]] * 2,
            lambda: args[0] ** rng.choice([2, 3, -1]),
            lambda: args[0] / rng.randint(2, 6),
            lambda: FloorDiv(args[0], divisor),
            lambda: Mod(args[0], divisor),
            lambda: PythonMod(args[0], divisor),
            lambda: ModularIndexing(args[0], divisor, sympy.Integer(rng.randint(2, 9))),
            lambda: Max(*args),
            lambda: Min(*args),
        ]
    )
    return build()


def truth(rng: random.Random, depth: int) -> sympy.Basic:
    if depth == 0 or rng.random() < 0.4:
        return rng.choice(RELATIONS)(number(rng, 2), number(rng, 2))
    args = [truth(rng, depth - 1) for _ in range(rng.randint(2, 3))]
    return rng.choice([lambda: sympy.And(*args), lambda: sympy.Or(*args), lambda: sympy.Not(args[0])])()


def random_expression(seed: int) -> sympy.Basic | None:
    """None where sympy or torch refuses what was drawn (a division by zero, a negative Mod), or gets lost."""
    rng = random.Random(seed)
    try:
        return truth(rng, 2) if seed % 3 == 0 else number(rng, 3)
    except REFUSALS:
        return None


@settings(max_examples=100, derandomize=True)
@given(st.integers(0, 10**9))
def test_prints_what_sympy_prints(seed: int) -> None:
    expr = random_expression(seed)
    if expr is None or expr.has(sympy.nan, sympy.zoo):
        return
    assert show(parse_srepr(sympy.srepr(expr))) == str(expr)


@settings(max_examples=100, derandomize=True)
@given(st.integers(0, 10**9))
def test_text_reads_back_to_itself(seed: int) -> None:
    expr = random_expression(seed)
    if expr is None or expr.has(sympy.nan, sympy.zoo):
        return
    assert show(parse_infix(str(expr))) == str(expr)


def test_the_generator_seldom_gives_up() -> None:
    drawn = [random_expression(seed) for seed in range(60)]
    assert sum(expr is not None for expr in drawn) > 40
    assert len({str(expr) for expr in drawn}) > 40


PRINTED = [
    sympy.Integer(-3),
    sympy.Rational(-1, 2),
    sympy.Float(0.5),
    sympy.Float(0),
    sympy.Float(-1e-30),
    sympy.Float(123456789012345678.0),
    s0 * sympy.Float(0.5) + sympy.Float(1e-7),
    sympy.true,
    sympy.oo,
    -sympy.oo,
    sympy.zoo,
    sympy.nan,
    int_oo,
    -int_oo,
    1 - 2 * s0,
    1 - s0,
    s0 - 1,
    -s0 - s1,
    s0**2 * s1 - s1**3 + s0,
    3 * s0 / 2,
    s0 / s1,
    1 / (s0 * s1**2),
    sympy.sqrt(s0),
    1 / sympy.sqrt(s0),
    s0 ** sympy.Rational(2, 3) + s0 ** sympy.Rational(1, 3),
    2**s0,
    (s0 + s1) ** s1 * 3,
    (s0 + 1) * (s1 - 1),
    sympy.sqrt(2) * s0 + s0,
    -FloorDiv(s0, 2),
    2 * FloorDiv(s0 - 1, 2) + 1,
    FloorDiv(FloorDiv(s0 - 1, 2) + 5, 3),
    CleanDiv(s0, 2) + FloorDiv(s1, 2),
    Where(s0 < s1, s0, s1) * 2,
    torch_functions.Identity(s0 + s1) * 2,
    torch_functions.PowByNatural(sympy.Integer(2), s0) * s1,
    torch_functions.FloatPow(torch_functions.ToFloat(s0), sympy.Float(0.5)),
    torch_functions.IntTrueDiv(s0, s1),
    torch_functions.FloatTrueDiv(torch_functions.ToFloat(s0), sympy.Float(2.0)) + 1,
    torch_functions.CeilToInt(torch_functions.IntTrueDiv(s0, s1)),
    torch_functions.RoundDecimal(torch_functions.ToFloat(s0), sympy.Integer(2)),
    torch_functions.OpaqueUnaryFn_sqrt(s0),
    torch_functions.BitwiseFn_bitwise_and(s0, s1) + 1,
    torch_functions.IsNonOverlappingAndDenseIndicator(s0, s1, s1, sympy.Integer(1)),
    sympy.Function("mystery")(s0, s1 + 1),
    sympy.And(s0 < 4, sympy.Eq(s1, 3), sympy.Or(s1 > 2, u0 <= 1)),
    sympy.And(x < 4, y > -sympy.oo),
    sympy.And(x > -sympy.oo, y < x),
    sympy.Not(sympy.And(s0 < 4, s1 < 3), evaluate=False),
    Max(1, u0, Min(s0, s1 + 1)),
]


@pytest.mark.parametrize("expr", PRINTED, ids=str)
def test_each_kind_prints_as_in_sympy(expr: sympy.Basic) -> None:
    assert show(parse_srepr(sympy.srepr(expr))) == str(expr)


def test_torch_functions_all_print_and_have_a_value() -> None:
    for name in torch_functions.__all__:
        arity = {"ModularIndexing": 3, "Where": 3, "IsNonOverlappingAndDenseIndicator": 2}.get(name, 2)
        one = name.endswith(("ToInt", "ToFloat")) or name == "Identity"
        args = tuple(Integer(value) for value in (9, 2, 5)[: 1 if one else arity])
        if name == "Where":
            args = (Boolean(True), *args[1:])
        expr = Apply(name, args)
        assert show(expr)
        assert isinstance(evaluate(expr, {}), int | float)


def test_the_srepr_of_a_file() -> None:
    expr = parse_srepr("Mul(Integer(2), Symbol('s77', positive=True, integer=True))")
    assert expr == Apply("Mul", (Integer(2), Symbol("s77")))
    assert symbols(expr)["s77"].assumptions == (("positive", True), ("integer", True))
    assert show(expr) == "2*s77"
    assert parse_infix("2*s77") == expr
    assert hash(parse_infix("2*s77")) == hash(expr)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a - b - c", "a - b - c"),
        ("-x**2", "-x**2"),
        ("2**-x", "2**(-x)"),
        ("2**3**x", "2**(3**x)"),
        ("a*b//c", "((a*b)//c)"),
        ("a + b*c", "a + b*c"),
        ("x % 3", "PythonMod(x, 3)"),
        ("6/4", "3/2"),
        ("6/3", "2"),
        ("x/(2*y)", "x/(2*y)"),
        ("1 << x", "LShift(1, x)"),
        ("4 <= x <= 16", "(4 <= x) & (x <= 16)"),
        ("a < b and b != 2 or not c", "~c | ((a < b) & Ne(b, 2))"),
        ("x == y", "Eq(x, y)"),
        ("(x < y) < z", "(x < y) < z"),
        ("f()", "f()"),
        ("-int_oo", "-int_oo"),
        ("- - 3", "3"),
        ("1e3 + .5*x", "0.5*x + 1000.0"),
    ],
)
def test_infix_reads_as_python_does(text: str, expected: str) -> None:
    assert show(parse_infix(text)) == expected


def test_leaves() -> None:
    assert parse_srepr("Rational(-1, 2)") == parse_infix("-1/2")
    assert isinstance(parse_infix("1/2"), Rational)
    assert parse_srepr("Float('0.5', precision=53)") == Float(0.5) == parse_infix("0.5")
    assert parse_srepr("-oo") == Special("-oo") == parse_infix("-oo")
    assert parse_srepr("true") == Boolean(True) != Integer(1)


@settings(max_examples=200, derandomize=True)
@given(st.integers(0, 10**9), st.lists(st.integers(1, 40), min_size=5, max_size=5))
def test_counts_as_torch_counts(seed: int, values: list[int]) -> None:
    expr = random_expression(seed)
    if expr is None:
        return
    given_values = {symbol.name: value for symbol, value in zip(LEAVES, values, strict=True)}
    try:
        expected = expr.xreplace({leaf: sympy.Integer(given_values[leaf.name]) for leaf in LEAVES})
    except REFUSALS:
        return
    if expected.has(sympy.nan, sympy.zoo) or not (
        expected.is_Number or expected in (sympy.true, sympy.false)
    ):
        return
    try:
        found = evaluate(parse_srepr(sympy.srepr(expr)), given_values)
    except ExprError:
        # sympy drops a zero factor before it looks at the other, where we have no value
        assert expr.has(Mod, PythonMod, FloorDiv, ModularIndexing, sympy.Pow)
        return
    assert found == pytest.approx(float(expected)) if expected.is_Number else found == bool(expected)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("FloorDiv(-7, 2)", -4),
        ("PythonMod(-7, 2)", 1),
        ("PythonMod(7, -2)", -1),
        ("ModularIndexing(17, 3, 4)", 1),
        ("CeilDiv(7, 2)", 4),
        ("LShift(3, 4)", 48),
        ("RShift(-5, 1)", -3),
        ("PowByNatural(2, 10)", 1024),
        ("PowByNatural(-2, 101)", float("-inf")),
        ("IntTrueDiv(7, 2)", 3.5),
        ("TruncToInt(-2.5)", -2),
        ("TruncToFloat(-2.5)", -2.0),
        ("RoundToInt(2.5)", 2),
        ("RoundDecimal(2.345, 1)", 2.3),
        ("CeilToInt(oo)", float("inf")),
        ("Where(x < 0, 1 // 0, 5)", 5),
        ("x < 0 and 1 // 0 > 1", False),
        ("IsNonOverlappingAndDenseIndicator(2, 3, 3, 1)", 1),
        ("IsNonOverlappingAndDenseIndicator(2, 3, 4, 1)", 0),
        ("BitwiseFn_bitwise_and(6, 3)", 2),
        ("OpaqueUnaryFn_sqrt(16)", 4.0),
        ("x/2", 2),
        ("x**-1", 0.25),
        ("Max(x, 2, 9)", 9),
        ("Abs(-3)", 3),
    ],
)
def test_values(text: str, value: float | bool) -> None:
    found = evaluate(parse_infix(text), {"x": 4})
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("s9 + 1", "no value for the symbol 's9'; values are given for: x"),
        ("x // 0", "FloorDiv divides by zero"),
        ("Mod(-1, 2)", "Mod(-1, 2) has no value: it is defined for numbers not below zero"),
        ("x**(2**60)", "more than 4096 bits"),
        ("2**x**x**x", "more than 4096 bits"),
        ("LShift(1, 10**9)", "more than 4096 bits"),
        ("LShift(1, -1)", "negative shift count"),
        ("mystery(x)", "the function mystery has no known value"),
        ("FloatPow(-1, 0.5)", "complex"),
        ("OpaqueUnaryFn_exp(1e6)", "has no value"),
        ("ToFloat(1, 2)", "ToFloat takes 1 arguments, not 2"),
        ("zoo", "zoo has no value"),
    ],
)
def test_no_value(text: str, message: str) -> None:
    with pytest.raises(ExprError) as error:
        evaluate(parse_infix(text), {"x": 4})
    assert message in str(error.value)


def test_symbol_kinds_follow_torch() -> None:
    kinds = {"s77": "SIZE", "u0": "UNBACKED_INT", "zf3": "FLOAT", "zuf3": "UNBACKED_FLOAT", "seq": "OTHER"}
    assert {name: symbol_kind(name).name for name in kinds} == kinds
    prefixes = {kind.name: prefix for kind, prefix in prefix_str.items()}
    assert all(kind.value == prefixes[kind.name] for kind in SymbolKind if kind is not SymbolKind.OTHER)
    assert [name for name in kinds if is_unbacked(name)] == ["u0", "zuf3"]


def test_symbols_come_in_order_of_appearance() -> None:
    assert list(symbols(parse_infix("Max(b, a*c) + FloorDiv(b, d)"))) == ["b", "a", "c", "d"]


@pytest.mark.parametrize(
    ("read", "text", "message", "position"),
    [
        (parse_infix, "2*(s0 + 1", "this parenthesis is not closed", 2),
        (parse_infix, "2*s0)", "unexpected ')'", 4),
        (parse_infix, "s0 s1", "unexpected 's1'", 3),
        (parse_infix, "2*", "expected an expression, found the end", 2),
        (parse_infix, "a, b", "unexpected ','", 1),
        (parse_infix, "(a, b)", "unexpected ','", 2),
        (parse_infix, "L['x']", "unexpected '['", 1),
        (parse_infix, "Eq(1)", "Eq takes 2 arguments, not 1", 0),
        (parse_srepr, "Integer('a')", "these are not arguments of Integer", 0),
        (parse_srepr, "Rational(1, 0)", "these are not arguments of Rational", 0),
        (parse_srepr, "Mul(Integer(2), )", "expected an expression, found ')'", 16),
        (parse_srepr, "s0", "expected an expression, found 's0'", 0),
        (parse_srepr, "Symbol('s0', integer=1e5)", "'integer' is True, False, None or an integer", 21),
        (parse_srepr, "Add(Symbol('x'), 'y')", "Add takes no string", 0),
        (parse_srepr, "Float('1e999', precision=53)", "'1e999' does not fit a double", 0),
    ],
)
def test_errors_say_what_and_where(read: Reader, text: str, message: str, position: int) -> None:
    with pytest.raises(ExprError) as error:
        read(text)
    assert (error.value.what, error.value.position) == (message, position)
    assert error.value.excerpt.strip("…") in text
    assert message in str(error.value)


WORDS = """
( ) , + - * ** / // % < <= == != & | ^ ~ = << not and or x s0 oo zoo nan int_oo 1 0 2.5 1e9 ' 'a' é [ .
Integer( Symbol('x', Rational( Float('1', Mul( Add( Pow( Max( Not( FloorDiv( Where( And( Function('f')
precision= positive= True) 12345678901234567890 sqrt( Eq( Identity( StrictLessThan(
"""


def survives(read: Reader, text: str) -> None:
    try:
        expr = read(text)
    except ExprError:
        return
    printed = show(expr)
    assert isinstance(printed, str)
    try:
        assert isinstance(evaluate(expr, dict.fromkeys(symbols(expr), 3)), int | float)
    except ExprError:
        return


@READERS
@settings(max_examples=200, derandomize=True)
@given(text=st.one_of(st.text(), st.lists(st.sampled_from(WORDS.split()), max_size=12).map(" ".join)))
def test_any_text_gives_an_expression_or_an_error(read: Reader, text: str) -> None:
    survives(read, text)


@READERS
@pytest.mark.parametrize(
    "text",
    [
        "(" * 1_000_000,
        "(" * 99_999,
        "Add(" * 20_000,
        "Add(1," * 16_000,
        "-" * 99_999,
        "not " * 20_000 + "x",
        "~" * 90_000 + "x",
        "1" * 99_999,
        "x" * 99_999,
        "x" + " " * 99_000 + "y",
        "2**" * 30_000 + "2",
        "x+" * 49_000 + "x",
        "x-(" * 20_000 + "x" + ")" * 20_000,
        "1<" * 40_000 + "1",
        "9" * 100 + ("*" + "9" * 100) * 900,
        "f(" + "x," * 40_000 + "x)",
        "Add(" + "Integer(1), " * 8_000 + "Integer(1))",
        "Symbol('x'" + ", a=True" * 10_000 + ")",
        "'" * 99_999,
    ],
    ids=lambda text: f"{text[:12]}…{len(text)}",
)
def test_hostile_sizes_are_refused(read: Reader, text: str) -> None:
    with pytest.raises(ExprError):
        read(text)


@pytest.mark.parametrize("level", [10, 40])
def test_work_grows_with_size_not_with_nesting(level: int) -> None:
    """Each level doubles the ways to reach a leaf's key; unless keys are kept, forty levels never end."""
    text = "x"
    for _ in range(level):
        text = f"(FloorDiv({text}, 2) + y)"
    assert show(parse_infix(text)).count("//") == level


@READERS
def test_nothing_is_executed(read: Reader, tmp_path, monkeypatch) -> None:
    canary = tmp_path / "canary"
    monkeypatch.chdir(tmp_path)
    for text in (
        "__import__('os').system('touch canary')",
        "exec(\"open('canary', 'w')\")",
        "open('canary','w')",
        "Symbol('x').__class__",
        "Function('open')('canary', 'w')",
        "Integer(__import__('pathlib').Path('canary').touch())",
        "[open('canary','w') for _ in (1,)]",
        "Float('1', precision=open('canary','w'))",
        "eval(canary)",
        "touch(canary)",
    ):
        survives(read, text)
    assert list(tmp_path.iterdir()) == []
    assert not canary.exists()
