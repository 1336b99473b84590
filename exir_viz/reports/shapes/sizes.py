"""The sizes of a method: its symbols, the dimensions of its inputs, and the conditions on them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Final, NamedTuple

from exir_viz.reports.report import Formula
from exir_viz.snapshot import Node
from exir_viz.snapshot.expr import Apply, Expr, ExprError, Integer, evaluate, parse_infix, postfix, show
from exir_viz.snapshot.expr import symbols as symbols_in
from exir_viz.snapshot.program import InputKind
from exir_viz.snapshot.records import Dim, MapValue, SequenceValue, SymValue, TensorValue, Value
from exir_viz.snapshot.snapshot import Method
from exir_viz.snapshot.symbol_names import python_condition

_SIZE: Final = re.compile(r"L\['(\w+)'\]((?:\[[^\]]+\])*)\.size\(\)\[(\d+)\]")
_NUMBER: Final = re.compile(r"-?\d+")
_FIXED: Final = re.compile(r"Eq\((\w+), (\d+)\)")


class Dimension(NamedTuple):
    """One dimension of an input, or an input that is itself a number: then `dim` is None.

    kind: "static": always its size. "specialised": meant to vary, but the code needs this size. "dynamic":
    varies within its range. "related": follows from other dimensions. lines: those that decided it.
    """

    node: Node
    input: str
    dim: int | None
    kind: str
    size: Dim
    lower: int | None = None
    upper: int | None = None
    requires: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()


class MethodSizes:
    """The sizes of a method, and what limits them.

    Attributes
    ----------
    ranges
        By a symbol or an expression: its lowest and highest value; None without an end.
    hints
        By symbol: its value in the example inputs, where it is known.
    dimensions
        Those of the user's inputs.
    conditions
        What the program requires of the symbols, as text; the ends of ranges of symbols come first, since who
        chooses a size out of range must see these.
    bounds
        Those of them that are only an end of a symbol's range.
    lines
        By condition, the user's lines that caused it.
    """

    def __init__(self, method: Method) -> None:
        self.method = method
        self.ranges = {one.expr: (number(one.lower), number(one.upper)) for one in method.ranges}
        self.hints = {one.name: hint for one in method.symbols if (hint := number(one.hint)) is not None}
        self._symbols = frozenset(symbol.name for symbol in method.symbols)
        # conditions as torch writes them, each with a line that caused it
        self._caused = [
            (one.expr, f"{PurePath(one.file).name}:{one.line}") for one in method.detail.guard_lines
        ]
        dims = list(_dims(method))
        by_name = {(name, at): dim for _, name, at, dim in dims}
        self._guards = [_substituted(guard, by_name) for guard in method.guards]
        limits = dict(self._limits())
        texts = dict.fromkeys((*limits, *(text for text, _ in self._guards)))
        self.conditions = [text for text in texts if not _is_always_true(text)]
        self.bounds = {text for text, expr in limits.items() if expr.isidentifier()}
        self.lines: dict[str, list[str]] = defaultdict(list)
        for text, line in dict.fromkeys(self._caused):
            self.lines[normal(text)].append(line)
        self.dimensions = [self._dimension(*one) for one in dims]

    def violated(self, values: Mapping[str, int]) -> str:
        """The first condition that values of the symbols violate; "" if there is none."""
        for condition in self.conditions:
            try:
                if not evaluate(parse_infix(condition), values):
                    return condition
            except ExprError:  # it names what is no size, or a symbol without a value
                continue
        return ""

    def _limits(self) -> Iterator[tuple[str, str]]:
        """The ends of ranges as conditions, each with what it limits."""
        for expr, (lower, upper) in sorted(self.ranges.items(), key=lambda one: not one[0].isidentifier()):
            if lower is not None:
                yield f"{expr} >= {lower}", expr
            if upper is not None:
                yield f"{expr} <= {upper}", expr

    def _dimension(self, node: Node, name: str, at: int | None, dim: Dim) -> Dimension:
        own = [text for text, named in self._guards if (name, at) in named]
        if isinstance(dim, int):
            if not any("==" in text for text in own):
                return Dimension(node, name, at, "static", dim)
            return Dimension(
                node, name, at, "specialised", dim, lines=tuple(dict.fromkeys(self._fixing(dim)))
            )
        free = free_symbols(dim)
        about = [(text, line) for text, line in self._caused if free_symbols(text) & free]
        texts = (*(python_condition(text, self._symbols) for text, _ in about), *own)
        return Dimension(
            node, name, at, "dynamic" if dim.isidentifier() else "related", dim,
            *self.ranges.get(dim, (None, None)),
            tuple(one for one in dict.fromkeys(texts) if one and not _is_always_true(one)),
            tuple(dict.fromkeys(line for _, line in about)),
        )  # fmt: skip

    def _fixing(self, size: int) -> Iterator[str]:
        """The lines that required a symbol to be a number; the program has that symbol no more."""
        for text, line in self._caused:
            found = _FIXED.fullmatch(text)
            if found is not None and int(found[2]) == size and found[1] not in self._symbols:
                yield line


def formula(expr: str, *, is_condition: bool = False) -> Formula:
    """The expression as a page evaluates it."""
    try:
        return Formula(expr, postfix(parse_infix(expr)), is_condition)
    except ExprError:
        return Formula(expr, "", is_condition)


def number(text: str | None) -> int | None:
    """A bound or an example as a number; None if there is none."""
    return int(text) if text is not None and _NUMBER.fullmatch(text) else None


def normal(expr: str) -> str:
    """One text for conditions that are written differently, such as "2*n" and "n*2"."""
    try:
        return show(parse_infix(expr))
    except ExprError:
        return expr


def free_symbols(text: str) -> set[str]:
    """The symbols that an expression names."""
    try:
        return set(symbols_in(parse_infix(text)))
    except ExprError:
        return set()


def tensors_in(value: Value | None) -> Iterator[TensorValue | SymValue]:
    """The tensors and symbolic numbers that a value is or contains."""
    match value:
        case TensorValue() | SymValue():
            yield value
        case SequenceValue(items=items) | MapValue(items=items):
            for item in items:
                yield from tensors_in(item)


def expressions_in(value: Value | None) -> Iterator[str]:
    """The symbolic sizes and numbers of a value."""
    for one in tensors_in(value):
        if isinstance(one, SymValue):
            yield one.expr
        else:
            yield from (dim for dim in one.shape if isinstance(dim, str))


def _dims(method: Method) -> Iterator[tuple[Node, str, int | None, Dim]]:
    """The dimensions of the user's inputs; of a number its value."""
    for spec in method.signature.inputs:
        if spec.kind is not InputKind.USER_INPUT or spec.arg.name not in method.graph:
            continue
        node, name = method.graph[spec.arg.name], spec.path or spec.arg.name
        if isinstance(node.value, TensorValue):
            yield from ((node, name, at, dim) for at, dim in enumerate(node.value.shape))
        elif isinstance(node.value, SymValue):
            yield node, name, None, node.value.expr


def _substituted(
    guard: str, dims: Mapping[tuple[str, int | None], Dim]
) -> tuple[str, tuple[tuple[str, int], ...]]:
    """A guard with the symbols in place of sizes of inputs, and the dimensions that it names."""
    named: list[tuple[str, int]] = []

    def size(match: re.Match[str]) -> str:
        key = (f"{match[1]}{match[2]}", int(match[3]))
        named.append(key)
        dim = dims.get(key)
        if dim is None:
            return match[0]
        return f"({dim})" if isinstance(dim, str) and not dim.isidentifier() else str(dim)

    return _SIZE.sub(size, guard), tuple(named)


def _is_always_true(text: str) -> bool:
    """Whether both sides of a guard became the same: sizes that the program knows to be equal."""
    try:
        expr = parse_infix(text)
    except ExprError:
        return False
    if not isinstance(expr, Apply) or expr.fn != "Eq":
        return False
    left, right = map(_terms, expr.args)
    return all(left[term] == right[term] for term in {*left, *right})


def _terms(expr: Expr) -> Counter[str]:
    """The terms of a sum: how often each is in it; "" for the number."""
    match expr:
        case Integer(value=value):
            return Counter({"": value})
        case Apply(fn="Add", args=args):
            total: Counter[str] = Counter()
            for arg in args:
                total.update(_terms(arg))
            return total
        case Apply(fn="Mul", args=(Integer(value=factor), *rest)):
            inner = rest[0] if len(rest) == 1 else Apply("Mul", tuple(rest))
            return Counter({term: factor * count for term, count in _terms(inner).items()})
    return Counter({show(expr): 1})
