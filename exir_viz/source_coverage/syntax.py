"""The statements of a function: their lines, where they may leave it, and whether they compute anything."""

from __future__ import annotations

import ast
from collections.abc import Iterator

Function = ast.FunctionDef | ast.AsyncFunctionDef
Branch = ast.If | ast.While
Loop = ast.For | ast.AsyncFor
# Expressions that compute something; names, attributes and tuples only pass values on.
_COMPUTES = (ast.Call, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.Subscript, ast.IfExp,
             ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.JoinedStr)  # fmt: skip
_LEAVES = (ast.Return, ast.Raise, ast.Yield, ast.YieldFrom)
_LEAVES_LOOP = (ast.Break, ast.Continue)
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def functions(tree: ast.AST) -> Iterator[Function]:
    """The functions of a file, also those in classes; not those in other functions."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, Function):
            yield node
        else:
            yield from functions(node)


def function_statements(tree: ast.AST) -> Iterator[tuple[ast.stmt, Function]]:
    """Each statement of a function, with the function."""
    for function in ast.walk(tree):
        if isinstance(function, Function):
            waiting: list[ast.AST] = [*function.body]
            while waiting:
                node = waiting.pop()
                if isinstance(node, ast.stmt):
                    yield node, function
                if not isinstance(node, _SCOPES):
                    waiting += ast.iter_child_nodes(node)


def mentioned_names(tree: ast.AST) -> Iterator[str]:
    """The names by which code may reach a function: of variables, attributes and imports."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                yield name
            case ast.FunctionDef() | ast.AsyncFunctionDef() if node.decorator_list:
                yield node.name


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


def lines(statements: list[ast.stmt]) -> range:
    """All lines of a suite."""
    if not statements:
        return range(0)
    return range(statements[0].lineno, (statements[-1].end_lineno or statements[-1].lineno) + 1)


def may_leave(statement: ast.stmt) -> bool:
    """Whether what follows a statement may not run after it."""
    if any(isinstance(node, _LEAVES) for node in _within(statement)):
        return True
    return any(isinstance(node, _LEAVES_LOOP) for node in _outside_loops(statement))


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


def _outside_loops(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a statement without the bodies of loops in it: `break` in these leaves them only."""
    yield node
    children = ast.iter_child_nodes(node)
    if isinstance(node, ast.While | Loop):
        children = iter(node.orelse)
    for child in children:
        if not isinstance(child, _SCOPES):
            yield from _outside_loops(child)


def _within(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, _SCOPES):
            yield from _within(child)
