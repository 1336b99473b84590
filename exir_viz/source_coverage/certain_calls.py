"""The functions of a file that a statement certainly calls: those that its text alone can name.

`torch.export` records lines of functions called `forward` only. Where such a line calls another function of
the file, that function ran too.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterator
from functools import cache

from .syntax import Function, header

_Around = ast.Module | ast.ClassDef | Function
_YIELDS = (ast.Yield, ast.YieldFrom, ast.Await)


class CertainCalls:
    """The functions of a file, and which of them a statement calls.

    Parameters
    ----------
    tree
        The file.
    classes
        The names of the classes of modules that ran: only there is it certain which method `self.m()` calls.
    """

    def __init__(self, tree: ast.Module, classes: Collection[str]) -> None:
        self._tree, self._classes = tree, frozenset(classes)
        self._around: dict[ast.AST, _Around] = {}
        self._note(tree, tree)
        self._bound = cache(_bound)
        self._assigned_attributes = cache(_assigned_attributes)

    def functions(self) -> Iterator[Function]:
        """All functions of the file, also those in others."""
        return (one for one in self._around if isinstance(one, Function))

    def of(self, statement: ast.stmt, function: Function) -> Iterator[Function]:
        """The functions that a statement of a function calls whenever it runs."""
        if isinstance(statement, Function | ast.ClassDef):
            return
        for node in _evaluated(statement):
            found = None
            match node:
                case ast.Call(func=ast.Name(id=name)):
                    found = self._named(name, function)
                case ast.Call(func=ast.Attribute(value=ast.Name(id=own), attr=name)):
                    found = self._method(own, name, function)
                case ast.Attribute(value=ast.Name(id=own), attr=name, ctx=ast.Load()):
                    found = self._method(own, name, function, is_property=True)
            if found is not None and not any(isinstance(one, _YIELDS) for one in ast.walk(found)):
                yield found

    def _note(self, node: ast.AST, around: _Around) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, Function | ast.ClassDef):
                self._around[child] = around
                self._note(child, child)
            else:
                self._note(child, around)

    def _named(self, name: str, function: Function) -> Function | None:
        """The function of a name, looked up from the innermost scope to the file."""
        scope: _Around = function
        while True:
            if not isinstance(scope, ast.ClassDef) and (count := self._bound(scope)[name]):
                found = [one for one in _definitions(scope) if one.name == name]
                return found[0] if count == len(found) == 1 and not found[0].decorator_list else None
            if isinstance(scope, ast.Module):
                return None
            scope = self._around[scope]

    def _method(
        self, own: str, name: str, function: Function, *, is_property: bool = False
    ) -> Function | None:
        """The method of the class of `self`, whose class is known to have run."""
        around = self._around[function]
        if not isinstance(around, ast.ClassDef) or around.name not in self._classes:
            return None
        arguments = function.args.posonlyargs + function.args.args
        if not arguments or arguments[0].arg != own or self._bound(function)[own] > 1:
            return None
        found = [one for one in _definitions(around) if one.name == name]
        if len(found) != 1 or self._bound(around)[name] != 1 or name in self._assigned_attributes(around):
            return None
        decorators = [ast.unparse(one) for one in found[0].decorator_list]
        return found[0] if decorators == (["property"] if is_property else []) else None


def _evaluated(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions that a statement evaluates in any case, without its body."""
    lines = header(statement)
    waiting: list[ast.AST] = [
        child
        for child in ast.iter_child_nodes(statement)
        if isinstance(child, ast.expr | ast.withitem) and getattr(child, "lineno", lines.start) in lines
    ]
    if isinstance(statement, ast.Assert):
        waiting = [statement.test]
    while waiting:
        node = waiting.pop()
        yield node
        match node:
            case ast.Lambda() | ast.Compare(ops=[_, _, *_]):
                continue
            case ast.IfExp(test=test):
                waiting.append(test)
            case ast.BoolOp(values=[first, *_]):
                waiting.append(first)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                waiting.append(node.generators[0].iter)
            case _:
                waiting += ast.iter_child_nodes(node)


def _definitions(scope: _Around) -> list[Function]:
    """The functions that a scope defines, also under a condition: `_bound` counts them too."""
    return [one for one in _within(scope) if isinstance(one, Function)]


def _bound(scope: _Around) -> Counter[str]:
    """How often a scope binds each name."""
    found: Counter[str] = Counter()
    if isinstance(scope, Function):
        given = scope.args
        every = (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg)
        found.update(one.arg for one in every if one is not None)
    for node in _within(scope):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found[name] += 1
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                found[name] += 1
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                found.update((one.asname or one.name).partition(".")[0] for one in names)
            case ast.Global(names=several) | ast.Nonlocal(names=several):
                found.update(several)
            case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar():
                found[node.name or ""] += 1
    if isinstance(scope, ast.Module):
        changed = (one for one in ast.walk(scope) if isinstance(one, ast.Global))
        found.update(name for one in changed for name in one.names)
    return found


def _assigned_attributes(around: ast.ClassDef) -> frozenset[str]:
    nodes = ast.walk(around)
    return frozenset(
        one.attr for one in nodes if isinstance(one, ast.Attribute) and not isinstance(one.ctx, ast.Load)
    )


def _within(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope: functions and classes in it, but not what they contain."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, Function | ast.ClassDef | ast.Lambda):
            yield from _within(child)
