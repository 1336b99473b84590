"""Which statements ran: as watched while exporting, or as the ops of a program show."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple, Protocol

from exir_viz.watched_export.recorded import Arcs

from .syntax import Branch, Loop, header, lines, may_leave

# Whether something ran; None where that is not known.
Ran = bool | None


class Outcome(NamedTuple):
    """What a branch or a loop did. `ways`: whether the body was entered, and whether it was not."""

    ways: frozenset[bool] = frozenset()
    iterations: float | None = None


class Execution(Protocol):
    """Says what ran."""

    def function(self, body: Sequence[ast.stmt]) -> Ran:
        """Whether a function was called."""

    def suite(self, statements: Sequence[ast.stmt], entered: Ran) -> list[Ran]:
        """Whether each statement of a suite ran."""

    def outcome(self, statement: Branch | Loop) -> Outcome:
        """What a branch or a loop that ran did."""


class Watched:
    """What ran, by the lines that were watched while the module was exported."""

    def __init__(self, arcs: Arcs) -> None:
        self._arcs = arcs
        self._lines = {line for _, line in arcs}

    def function(self, body: Sequence[ast.stmt]) -> Ran:
        """Whether a function was called."""
        return any(line in self._lines for line in lines(list(body)))

    def suite(self, statements: Sequence[ast.stmt], entered: Ran) -> list[Ran]:
        """Whether each statement of a suite ran. A line of a constant runs without a trace."""
        found = [any(line in self._lines for line in _all_lines(one)) for one in statements]
        return [
            ran or (not _is_traceable(one) and bool(entered))
            for one, ran in zip(statements, found, strict=True)
        ]

    def outcome(self, statement: Branch | Loop) -> Outcome:
        """What a branch or a loop that ran did."""
        head, body = header(statement), lines(statement.body)
        if body.start <= head[-1]:  # on one line: the way it went left no trace
            return Outcome()
        entered = left = begun = 0
        for (source, line), count in self._arcs.items():
            if source in head and (line in body or (_continues(statement) and line < head.start)):
                entered += count
            elif source in head and line not in head:
                left += count
            elif line in head and source not in head and source not in body:
                begun += count
        ways = frozenset(way for way, count in ((True, entered), (False, left)) if count)
        if isinstance(statement, ast.If):
            return Outcome(ways)
        return Outcome(ways, entered / begun if begun else None)


class Inferred:
    """What ran, as far as the lines that a program names show."""

    def __init__(self, named: Collection[int]) -> None:
        self._named = set(named)

    def function(self, body: Sequence[ast.stmt]) -> Ran:
        """Whether a function was called."""
        return True if self._is_named(lines(list(body))) else None

    def suite(self, statements: Sequence[ast.stmt], entered: Ran) -> list[Ran]:
        """Whether each statement of a suite ran: those before one that did, and up to one that may leave."""
        named = [at for at, one in enumerate(statements) if self._is_named(_all_lines(one))]
        if not named and not entered:
            return [entered] * len(statements)
        leaves = (at for at, one in enumerate(statements) if may_leave(one))
        last = max(max(named, default=-1), next(leaves, len(statements) - 1))
        return [True if at <= last else None for at in range(len(statements))]

    def outcome(self, statement: Branch | Loop) -> Outcome:
        """What a branch or a loop that ran did."""
        body_ran = {True} if self._is_named(lines(statement.body)) else set()
        other = {False} if self._is_named(lines(statement.orelse)) else set()
        return Outcome(frozenset(body_ran | other))

    def _is_named(self, several: Iterable[int]) -> bool:
        return any(line in self._named for line in several)


def _all_lines(statement: ast.stmt) -> range:
    return range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)


def _continues(statement: Branch | Loop) -> bool:
    """Whether a branch is `continue` alone: Python jumps to the loop then, and the line leaves no trace."""
    return isinstance(statement, ast.If) and isinstance(statement.body[0], ast.Continue)


def _is_traceable(statement: ast.stmt) -> bool:
    """Whether Python always reports the line of a statement: not of one that does nothing."""
    is_constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return not (is_constant or isinstance(statement, ast.Global | ast.Nonlocal | ast.Continue))
