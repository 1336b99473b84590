"""Symbolic numbers of a live program → their text, hints, ranges and bindings.

Only reads: no expression is evaluated or compared, so no guard is added to the program's shape environment.
The text is made from sympy's srepr by our own grammar, as it is for files, so that both ways in agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sympy
import torch

from exir_viz.snapshot.expr import is_unbacked, parse_srepr, show, symbols
from exir_viz.snapshot.program import Range, Symbol, SymbolBinding
from exir_viz.snapshot.records import Dim
from exir_viz.torch_internals.fake_values import dimension_names, example_values
from exir_viz.torch_internals.pytrees import pytree

SymNumber = torch.SymInt | torch.SymFloat | torch.SymBool


class SymbolReader:
    """The symbols of one method: texts are computed once an expression, and every symbol met is noted."""

    def __init__(self, dims: Mapping[tuple[str, str], str] | None = None) -> None:
        """`dims` names, by node and path, the dimensions that the user gave a Dim for."""
        self._dims = dims or {}
        self._texts: dict[sympy.Basic, str] = {}
        self._hints: dict[str, str | None] = {}
        self._bindings: dict[str, list[SymbolBinding]] = {}
        # By symbol, the names of Dims in the shape environments that were met.
        self._names: dict[str, str] = {}
        self._environments: set[int] = set()

    def text(self, expr: sympy.Basic) -> str:
        """The canonical text of an expression."""
        text = self._texts.get(expr)
        if text is None:
            tree = parse_srepr(sympy.printing.repr.srepr(expr))
            text = self._texts[expr] = show(tree)
            for name in symbols(tree):
                self._hints.setdefault(name, None)
        return text

    def dim(self, size: int | torch.SymInt) -> Dim:
        """A size or stride: a number, or the text of its expression."""
        if not isinstance(size, torch.SymInt):
            return int(size)
        if size.node.is_nested_int():
            return str(size)
        expr = size.node.expr
        if not isinstance(expr, sympy.Expr) or expr.is_number:
            return int(size)
        self._note_hints(size)
        return self.text(expr)

    def number_text(self, number: SymNumber) -> str:
        """The text of a symbolic number; a ragged size (of nested tensors) has a name and no expression."""
        return str(number) if number.node.is_nested_int() else self.text(number.node.expr)

    def hint(self, number: int | SymNumber) -> int | float | bool | None:
        """The example value behind a symbolic number; None for an unbacked one."""
        if isinstance(number, (int, float)):
            return number
        if number.node.is_nested_int() or not number.node.has_hint():
            return None
        self._note_hints(number)
        hint = number.node.hint
        return hint if isinstance(hint, (int, float, bool)) else None

    def bind(self, symbol: str, node: str, path: str) -> None:
        """Note where a symbol can be read."""
        self._hints.setdefault(symbol, None)
        found = self._bindings.setdefault(symbol, [])
        binding = SymbolBinding(node, path)
        if binding not in found:
            found.append(binding)

    def bind_input(self, node: str, value: object) -> None:
        """A user input binds the symbols that are whole dimensions of its shape, or the symbol that it is."""
        if isinstance(value, torch.SymInt):
            self._bind_alone(value, node, "")
        elif isinstance(value, torch.Tensor):
            for position, size in enumerate(value.shape):
                self._bind_alone(size, node, f"size()[{position}]")

    def bind_unbacked(self, node: str, bindings: Mapping[Any, Any], value: object) -> None:
        """An op with data-dependent output binds unbacked symbols at the given key paths.

        A pass may give the value another symbol and leave the binding: the symbol of the value counts.
        """
        sizes: tuple[object, ...] = value.shape if isinstance(value, torch.Tensor) else ()
        for symbol, keys in bindings.items():
            path = path_text(keys)
            at = next((size for i, size in enumerate(sizes) if path == f"size()[{i}]"), None)
            if str(symbol) not in self._hints and isinstance(at, torch.SymInt):
                self._bind_alone(at, node, path)
            else:
                self.bind(str(symbol), node, path)

    def finish(self, constraints: Mapping[Any, Any]) -> tuple[tuple[Symbol, ...], tuple[Range, ...]]:
        """All symbols that were met, by name, and the ranges by expression, but for those `unmet`."""
        unmet = set(self.unmet(constraints))
        ranges = {
            self.text(expr): (_bound(limits.lower), _bound(limits.upper))
            for expr, limits in constraints.items()
            if expr not in unmet
        }
        found = tuple(
            Symbol(
                name=name,
                type="float" if name.startswith("z") else "int",
                backed=not is_unbacked(name),
                lower=ranges[name][0] if name in ranges else None,
                upper=ranges[name][1] if name in ranges else None,
                hint=self._hints[name],
                dim=self._dim(name),
                bindings=tuple(self._bindings.get(name, ())),
            )
            for name in sorted(self._hints)
        )
        return found, tuple(Range(expr, *ranges[expr]) for expr in sorted(ranges))

    def unmet(self, constraints: Iterable[sympy.Expr]) -> list[sympy.Expr]:
        """The expressions with a range and a symbol that no value has; passes leave such ranges behind."""
        return [
            expr
            for expr in constraints
            if expr not in self._texts and any(str(one) not in self._hints for one in expr.free_symbols)
        ]

    def _dim(self, name: str) -> str | None:
        bindings = self._bindings.get(name, ())
        found = (self._dims.get((binding.node, binding.path)) for binding in bindings)
        return next((dim for dim in found if dim), None) or self._names.get(name)

    def _bind_alone(self, size: int | torch.SymInt, node: str, path: str) -> None:
        if not isinstance(size, torch.SymInt) or size.node.is_nested_int():
            return
        if isinstance(size.node.expr, sympy.Symbol):
            self.bind(self.text(size.node.expr), node, path)

    def _note_hints(self, number: SymNumber) -> None:
        known = example_values(number.node)
        if id(number.node.shape_env) not in self._environments:
            self._environments.add(id(number.node.shape_env))
            self._names.update(dimension_names(number.node))
        for symbol in number.node.expr.free_symbols:
            if self._hints.get(symbol.name) is None and symbol in known:
                self._hints[symbol.name] = str(known[symbol])


def path_text(path: Iterable[Any]) -> str:
    """A key path as one writes it: "size()[0]"."""
    text: str = pytree.keystr(tuple(path))
    return text.removeprefix(".")


def _bound(limit: object) -> str:
    return str(limit)
