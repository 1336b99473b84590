"""Symbolic shape expressions as data: read, print, list the symbols of, evaluate.

Enters: the text of an expression, either sympy's `srepr` (tensor dims in a .pt2) or its `str` (keys of
range_constraints). Leaves: an immutable `Expr`, its canonical text (what sympy's `str` prints), its value for
given symbols. Never: sympy, torch, `eval`, an import named by the text, or unbounded work on hostile text.
"""

from exir_viz.snapshot.expr.infix import parse_infix
from exir_viz.snapshot.expr.postfix import postfix
from exir_viz.snapshot.expr.show import show
from exir_viz.snapshot.expr.srepr import parse_srepr
from exir_viz.snapshot.expr.symbols import SymbolKind, is_unbacked, symbol_kind, symbols
from exir_viz.snapshot.expr.tree import (
    Apply,
    Boolean,
    Expr,
    ExprError,
    Float,
    Integer,
    Rational,
    Special,
    Symbol,
)
from exir_viz.snapshot.expr.value import evaluate

__all__ = [
    "Apply",
    "Boolean",
    "Expr",
    "ExprError",
    "Float",
    "Integer",
    "Rational",
    "Special",
    "Symbol",
    "SymbolKind",
    "evaluate",
    "is_unbacked",
    "parse_infix",
    "parse_srepr",
    "postfix",
    "show",
    "symbol_kind",
    "symbols",
]
