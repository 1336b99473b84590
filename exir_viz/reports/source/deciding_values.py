"""The values of variables and attributes that decided a branch or a loop while exporting."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Final, TypeVar

from exir_viz.snapshot.program import PythonValue, ValueOutcome, ValueRole

from .statements import Function, in_loops

_MOST: Final = 3
_Definition = TypeVar("_Definition", bound=ast.stmt)


class DecidingValues:
    """The values of a file by function and class; a value belongs to those that its line is in."""

    def __init__(self, tree: ast.Module, values: Sequence[PythonValue]) -> None:
        # A list may have been another one when it decided.
        self._values = [
            one for one in values if one.value and one.outcome is not ValueOutcome.OP and one.type != "list"
        ]
        self._in_loops = set(in_loops(tree)) if self._values else set()
        nodes = [*ast.walk(tree)] if self._values else []
        self._functions = [one for one in nodes if isinstance(one, Function)]
        self._classes = [one for one in nodes if isinstance(one, ast.ClassDef)]

    def of(self, statement: ast.stmt) -> str:
        """What decided a statement, such as "n is 5"; "" if that is not known."""
        head = next(
            filter(None, (getattr(statement, name, None) for name in ("test", "iter", "subject"))), None
        )
        function = _innermost(self._functions, statement)
        if head is None or function is None or not self._values:
            return ""
        found = dict.fromkeys(
            f"{name} is {value}" for name, value in self._in(head, function) if ", " not in value
        )
        return ", ".join([*found][:_MOST])

    def _in(self, head: ast.expr, function: Function) -> Iterator[tuple[str, str]]:
        given = function.args
        arguments = [one.arg for one in (*given.posonlyargs, *given.args, *given.kwonlyargs)]
        around = _innermost(self._classes, function)
        for node in ast.walk(head):
            match node:
                case ast.Name(id=name) if self._assignments(function, name) + (name in arguments) == 1:
                    yield from self._named(name, ValueRole.VARIABLE, function, name)
                case ast.Attribute(value=ast.Name(id=own), attr=name) if arguments[:1] == [own]:
                    if around is not None and not _is_changed(around, name):
                        yield from self._named(name, ValueRole.ATTRIBUTE, around, f"{own}.{name}")

    def _named(self, name: str, role: ValueRole, within: ast.stmt, shown: str) -> Iterator[tuple[str, str]]:
        ends = f": {name}" if role is ValueRole.VARIABLE else f".{name}"
        found = {
            one.value
            for one in self._values
            if one.role is role and f".{one.name}".endswith(ends) and _contains(within, one.line)
        }
        if len(found) == 1:  # modules of one class may differ
            yield shown, found.pop()

    def _assignments(self, function: Function, name: str) -> int:
        """How often a function assigns a variable, in a loop at least twice: then its value is another."""
        found = (one for one in ast.walk(function) if isinstance(one, ast.Name) and one.id == name)
        return sum(2 if one in self._in_loops else 1 for one in found if _is_written(one))


def _is_changed(around: ast.ClassDef, name: str) -> bool:
    """Whether a method other than `__init__` assigns an attribute."""
    methods = [one for one in around.body if getattr(one, "name", "") != "__init__"]
    nodes = (node for method in methods for node in ast.walk(method))
    return any(isinstance(one, ast.Attribute) and one.attr == name and _is_written(one) for one in nodes)


def _is_written(node: ast.Name | ast.Attribute) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _innermost(several: Sequence[_Definition], statement: ast.stmt) -> _Definition | None:
    """The smallest of some definitions around a statement."""
    around = [one for one in several if one is not statement and _contains(one, statement.lineno)]
    return max(around, key=lambda one: one.lineno, default=None)


def _contains(statement: ast.stmt, line: int) -> bool:
    return statement.lineno <= line <= (statement.end_lineno or statement.lineno)
