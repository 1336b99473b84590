"""The statements of a function: their lines, and whether they compute anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final

Function = ast.FunctionDef | ast.AsyncFunctionDef
Branch = ast.If | ast.While
Loop = ast.For | ast.AsyncFor
# Expressions that compute something; names, attributes and tuples only pass values on.
_COMPUTES: Final = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.Subscript, ast.IfExp,
                    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.JoinedStr)  # fmt: skip
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def functions(tree: ast.AST) -> Iterator[Function]:
    """The functions of a file, also those in classes; not those in other functions."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield node
        else:
            yield from functions(node)


def header(statement: ast.stmt) -> range:
    """The lines of a statement that are not its body."""
    last = statement.end_lineno or statement.lineno
    match statement:
        case ast.If() | ast.While():
            last = statement.test.end_lineno or last
        case ast.For() | ast.AsyncFor():
            last = statement.iter.end_lineno or last
        case ast.With() | ast.AsyncWith():
            last = max(item.context_expr.end_lineno or 0 for item in statement.items)
        case ast.Match():
            last = statement.subject.end_lineno or last
        case ast.Try() | ast.TryStar():
            last = statement.lineno
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            last = statement.body[0].lineno - 1
    return range(statement.lineno, last + 1)


def lines(statements: Sequence[ast.stmt]) -> range:
    """All lines of some statements that follow each other."""
    if not statements:
        return range(0)
    return range(statements[0].lineno, (statements[-1].end_lineno or statements[-1].lineno) + 1)


def own_lines(function: Function) -> set[int]:
    """The lines of a function's body without those of functions in it, unless they are on one line."""
    inner = {
        line
        for one in ast.walk(function)
        if isinstance(one, Function) and one is not function
        for line in lines(one.body)
    }
    return {*lines(function.body)} - inner


def suites(statement: ast.stmt) -> list[list[ast.stmt]]:
    """The suites of a compound statement."""
    found = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    found += [handler.body for handler in getattr(statement, "handlers", [])]
    return [suite for suite in (*found, *(case.body for case in getattr(statement, "cases", []))) if suite]


def yields(statement: ast.stmt) -> bool:
    """Whether a function may pause within a statement."""
    return any(isinstance(node, ast.Yield | ast.YieldFrom | ast.Await) for node in _within(statement))


def in_loops(tree: ast.AST) -> Iterator[ast.AST]:
    """The nodes that a function may evaluate several times in one call: of loops and comprehensions."""
    for loop in ast.walk(tree):
        if isinstance(loop, ast.While | Loop | _COMPREHENSIONS):
            for child in ast.iter_child_nodes(loop):
                yield from _within(child)


def computes(statement: ast.stmt) -> bool:
    """Whether a simple statement computes something."""
    value = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign | ast.Return) else statement
    if isinstance(statement, ast.AugAssign):
        return True
    return value is not None and any(isinstance(node, _COMPUTES) for node in _within(value))


def is_docstring(statement: ast.stmt) -> bool:
    """Whether a statement is text alone."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def is_traceable(statement: ast.stmt) -> bool:
    """Whether Python always reports the line of a statement: not of one that does nothing."""
    is_constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return not (is_constant or isinstance(statement, ast.Global | ast.Nonlocal | ast.Continue))


def _within(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _SCOPES):
            yield from _within(child)
