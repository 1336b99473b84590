"""Symbolic numbers of one method: expressions as canonical text, and the facts about each symbol.

Expressions are parsed by a grammar (`snapshot.expr`), never evaluated as code. Bindings of unbacked symbols
are not in the file: they are inferred by the rule that torch follows when it loads a file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from exir_viz.readers.archive.context import MemberPlace
from exir_viz.readers.archive.schema import Number, RangeConstraint, SymExpr
from exir_viz.snapshot.expr import (
    Apply,
    Expr,
    ExprError,
    Integer,
    is_unbacked,
    parse_infix,
    parse_srepr,
    show,
    symbols,
)
from exir_viz.snapshot.expr import Symbol as SymbolExpr
from exir_viz.snapshot.expr.value import evaluate
from exir_viz.snapshot.program import Range, Symbol, SymbolBinding
from exir_viz.snapshot.records import SequenceValue, SymValue, TensorValue, Value

_UNBOUNDED: Final = {"Infinity": "int_oo", "-Infinity": "-int_oo"}
Scalar = int | float | bool


class Symbols:
    """Every expression that was met, once; hints, ranges and bindings of the symbols in them."""

    def __init__(self, place: MemberPlace) -> None:
        self._place = place
        self._texts: dict[str, str] = {}
        self._trees: dict[str, Expr] = {}
        self._hints: dict[str, Scalar] = {}
        self._names: set[str] = set()
        self._bindings: dict[str, list[SymbolBinding]] = {}
        self._pending: set[str] = set()

    def text(self, expr: SymExpr) -> str:
        """The canonical text of an expression; its hint is noted."""
        text = self._texts.get(expr.expr_str)
        if text is None:
            text = self._texts[expr.expr_str] = self._read(expr.expr_str)
        if expr.hint is not None and text not in self._hints:
            hint = hint_of(expr)
            if hint is not None:
                self._hints[text] = hint
        return text

    def constant(self, text: str) -> int | None:
        """The number that an expression without symbols is."""
        tree = self._trees[text]
        return tree.value if isinstance(tree, Integer) else None

    def hint(self, text: str) -> Scalar | None:
        """The example value of an expression, if it follows from the hints met so far."""
        known = self._hints.get(text)
        if known is not None:
            return known
        tree = self._trees[text]
        if any(is_unbacked(name) for name in symbols(tree)):
            return None
        values = {name: self._hints[name] for name in symbols(tree) if name in self._hints}
        try:
            return evaluate(tree, values)
        except ExprError:
            return None

    def bind_input(self, node: str, value: Value | None) -> None:
        """An input binds the symbols that are whole dimensions of its shape, or the symbol that it is."""
        if isinstance(value, SymValue):
            self._bind_alone(value.expr, node, "")
        elif isinstance(value, TensorValue):
            for position, size in enumerate(value.shape):
                if isinstance(size, str):
                    self._bind_alone(size, node, f"size()[{position}]")

    def bind_unbacked(self, node: str, value: Value | None) -> dict[str, str]:
        """The unbacked symbols that a value is the first to carry, and where in it they are read."""
        if not self._pending or value is None:
            return {}
        found: dict[str, str] = {}
        for text, path in _numbers(value, ""):
            self._match(text, path.removeprefix("."), found)
        for name, path in found.items():
            self._bind(name, node, path)
        return found

    def finish(self, ranges: Mapping[str, RangeConstraint]) -> tuple[tuple[Symbol, ...], tuple[Range, ...]]:
        """All symbols by name, and the ranges by expression, without ranges that no value uses."""
        limits = {
            text: (_bound(limit.min_val, "-int_oo"), _bound(limit.max_val, "int_oo"))
            for text, limit in ((self._infix(key), limit) for key, limit in ranges.items())
        }
        met = self._met() if any(text not in self._trees for text in limits) else set(self._trees)
        found = tuple(self._symbol(name, limits.get(name, (None, None))) for name in sorted(self._names))
        return found, tuple(Range(text, *limits[text]) for text in sorted(limits) if text in met)

    def unmet(self, ranges: Mapping[str, RangeConstraint]) -> list[str]:
        """The expressions that have a range but occur in no value."""
        met = self._met()
        return [key for key in ranges if self._infix(key) not in met]

    def _read(self, source: str) -> str:
        self._place.spend_expression(len(source))
        try:
            tree = _parse(source)
            text = show(tree)
        except ExprError as error:
            raise self._place.malformed(f"a symbolic number is not an expression: {error}") from error
        self._trees[text] = tree
        for name in symbols(tree):
            if name not in self._names:
                self._names.add(name)
                if is_unbacked(name):
                    self._pending.add(name)
        return text

    def _infix(self, source: str) -> str:
        self._place.spend_expression(len(source))
        try:
            return show(parse_infix(source))
        except ExprError as error:
            raise self._place.malformed(f"a range constraint is not of an expression: {error}") from error

    def _met(self) -> set[str]:
        """The text of every expression within the expressions that were met."""
        seen: set[Expr] = set()
        stack = list(self._trees.values())
        while stack:
            tree = stack.pop()
            if tree not in seen:
                seen.add(tree)
                if isinstance(tree, Apply):
                    stack += tree.args
        met: set[str] = set()
        for tree in seen:
            text = show(tree)
            self._place.spend_expression(len(text))
            met.add(text)
        return met

    def _symbol(self, name: str, limits: tuple[str | None, str | None]) -> Symbol:
        hint = self._hints.get(name)
        return Symbol(
            name=name,
            type="float" if name.startswith("z") else "int",
            backed=not is_unbacked(name),
            lower=limits[0],
            upper=limits[1],
            hint=None if hint is None else str(hint),
            bindings=tuple(self._bindings.get(name, ())),
        )

    def _bind_alone(self, text: str, node: str, path: str) -> None:
        if isinstance(self._trees.get(text), SymbolExpr):
            self._bind(text, node, path)

    def _bind(self, name: str, node: str, path: str) -> None:
        binding = SymbolBinding(node, path)
        found = self._bindings.setdefault(name, [])
        if binding not in found:
            found.append(binding)

    def _match(self, text: str, path: str, found: dict[str, str]) -> None:
        """torch's rule: the symbol alone, a multiple of it, or a bool made of it."""
        tree = self._trees.get(text)
        if isinstance(tree, SymbolExpr) and tree.name in self._pending:
            name, step = tree.name, ""
        elif isinstance(tree, Apply) and len(tree.args) == 2:
            left, right = tree.args
            if tree.fn == "Mul" and isinstance(right, SymbolExpr) and isinstance(left, Integer):
                name, step = right.name, f".__floordiv__({left.value})"
            elif tree.fn == "Eq" and isinstance(left, SymbolExpr) and right == Integer(1):
                name, step = left.name, ".cast_symbool_to_symint_guardless()"
            else:
                return
        else:
            return
        if name in self._pending:
            self._pending.discard(name)
            found[name] = (path + step).removeprefix(".")


def _parse(source: str) -> Expr:
    """An expression as torch writes it (srepr), or as ExecuTorch does in an ETRecord (`2*s77`)."""
    try:
        return parse_srepr(source)
    except ExprError as error:
        try:
            return parse_infix(source)
        except ExprError:
            raise error from None


def hint_of(expr: SymExpr) -> Scalar | None:
    """The example value that the file gives an expression."""
    hint = expr.hint
    if hint is None:
        return None
    if hint.as_int is not None:
        return hint.as_int
    return hint.as_bool if hint.as_float is None else _float(hint.as_float)


def _float(number: Number) -> float:
    try:
        return float(number)
    except (ValueError, OverflowError):
        return float("nan")


def _bound(limit: Number | None, unbounded: str) -> str:
    if limit is None:
        return unbounded
    return _UNBOUNDED.get(limit, limit) if isinstance(limit, str) else str(limit)


def _numbers(value: Value, path: str) -> Iterator[tuple[str, str]]:
    """The symbolic numbers in a value, in the order in which torch looks for them."""
    match value:
        case SymValue():
            yield value.expr, path
        case TensorValue():
            for method, sizes in (("size", value.shape), ("stride", value.stride or ())):
                for position, size in enumerate(sizes):
                    if isinstance(size, str):
                        yield size, f"{path}.{method}()[{position}]"
        case SequenceValue():
            for position, item in enumerate(value.items):
                yield from _numbers(item, f"{path}[{position}]")
        case _:
            return
