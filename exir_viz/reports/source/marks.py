"""Mark each line of a file: traced, specialised, folded, passed on, never reached, or not known.

What ran is known of functions that were watched while they were exported. Of others only this is known: a
line that ops or conditions name ran, and so did the statements around it.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple

from exir_viz.readers.watched_export import OUTSIDE, Arcs
from exir_viz.reports.report import Mark
from exir_viz.snapshot.format import plural
from exir_viz.snapshot.program import PythonValue

from .deciding_values import DecidingValues
from .statements import (
    Branch,
    Function,
    Loop,
    computes,
    functions,
    header,
    in_loops,
    is_docstring,
    is_traceable,
    lines,
    own_lines,
    suites,
    yields,
)


class Status(IntEnum):
    """What became of a line: its mark, or none if it is no code of a function."""

    NONE = -1
    TRACED = 0
    SPECIALISED = 1
    FOLDED = 2
    PASSED = 3
    SKIPPED = 4
    UNKNOWN = 5


MARKS: Final = (
    Mark("●", "traced", "It made ops, itself or in functions that it calls", "green"),
    Mark("◆", "specialised", "Decided while exporting: only the outcome is in the program", "orange"),
    Mark("○", "folded", "Python computed it: the program has no op for it", "blue"),
    Mark("·", "passed on", "It ran and computes nothing"),
    Mark("✕", "never reached", "It did not run", "red"),
    Mark("?", "not known", "Unknown whether it ran, or whether it made ops"),
)
_BEFORE: Final = ("__init__", "__new__", "__init_subclass__")
_READ: Final = "Not known: torch.cond, while_loop and scan read functions instead of running them"


class Marked(NamedTuple):
    """The status of a line, and what there is to say of it."""

    status: Status
    note: str = ""


@dataclass(frozen=True)
class FileEvidence:
    """The evidence about a file.

    Attributes
    ----------
    traced
        The lines that made ops, themselves or in what they call.
    guards
        By line: the conditions on sizes that it added to the program.
    arcs
        The lines that were watched; None without.
    read
        The lines that ops name of functions that TorchDynamo read instead of running; None if there are none.
    values
        What attributes and variables of the file were while exporting.
    """

    traced: AbstractSet[int]
    guards: Mapping[int, Sequence[str]]
    arcs: Arcs | None = None
    read: Collection[int] | None = None
    values: Sequence[PythonValue] = ()


def mark_lines(tree: ast.Module, evidence: FileEvidence) -> dict[int, Marked]:
    """The marks by line. A line outside of functions has none."""
    marker = _Marker(tree, evidence)
    for function in functions(tree):
        marker.function(function)
    found: dict[int, Marked] = {}
    last = None
    for line, mark in sorted(marker.marks.items()):
        # the first of unknown lines that follow each other says why
        is_again = mark.status is Status.UNKNOWN and mark == last
        found[line] = Marked(mark.status) if is_again else mark
        last = mark
    return found


class _Marker:
    def __init__(self, tree: ast.Module, evidence: FileEvidence) -> None:
        self.marks: dict[int, Marked] = {}
        self._evidence = evidence
        self._arcs = evidence.arcs or Arcs()
        self._watched = {line for _, line in self._arcs}
        self._proved = {*evidence.traced, *evidence.guards}
        self._ran = self._watched | self._proved
        self._values = DecidingValues(tree, evidence.values)
        self._in_loops = set(in_loops(tree))
        # whether all lines that ran of the function that is being marked are known
        self._is_complete = True

    def function(self, function: Function) -> None:
        """Mark the body of a function."""
        around, self._is_complete = self._is_complete, self._is_known(function)
        if self._was_called(function):
            self._suite(function.body, entered=True)
        elif function.name not in _BEFORE:  # these ran when the module was made
            self._all(function.body, self._absent())
            first = next((one for one in function.body if not is_docstring(one)), None)
            if first is not None and self._is_complete:
                self.marks[first.lineno] = Marked(Status.SKIPPED, f"{function.name} was not called")
        self._is_complete = around

    def _was_called(self, function: Function) -> bool:
        body = lines(function.body)
        if function.lineno in body:  # on one line: it is reached when the function is defined, too
            return (function.lineno, OUTSIDE) in self._arcs or function.lineno in self._proved
        return any(line in self._ran for line in body)

    def _is_known(self, function: Function) -> bool:
        """Whether all lines of a function that ran are known: it was watched, and not read as well."""
        if self._evidence.arcs is None or self._evidence.read is None:
            return self._evidence.arcs is not None
        own = own_lines(function)
        is_watched = not own.isdisjoint(self._watched) and function.lineno not in own
        return is_watched and own.isdisjoint(self._evidence.read)

    def _absent(self) -> Marked:
        """The mark of what left no trace."""
        if self._is_complete:
            return Marked(Status.SKIPPED)
        return Marked(Status.UNKNOWN, "" if self._evidence.read is None else _READ)

    def _all(self, statements: Sequence[ast.stmt], mark: Marked) -> None:
        for statement in statements:
            if is_docstring(statement):
                continue
            self._mark(statement, mark)
            for suite in suites(statement):
                self._all(suite, mark)

    def _suite(self, statements: Sequence[ast.stmt], *, entered: bool) -> None:
        for statement in statements:
            if is_docstring(statement):
                continue
            # the line of a constant runs without a trace
            if any(line in self._ran for line in lines([statement])) or (
                entered and self._is_complete and not is_traceable(statement)
            ):
                self._statement(statement)
            else:
                self._all([statement], self._absent())

    def _statement(self, statement: ast.stmt) -> None:
        """Mark a statement that ran."""
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.function(statement)
            case ast.ClassDef():
                return
            case ast.If() | ast.While() | ast.For() | ast.AsyncFor():
                way, ways = self._way(statement)
                self._mark(statement, Marked(Status.SPECIALISED, self._reason(statement, way)))
                self._suite(statement.body, entered=True in ways)
                self._suite(statement.orelse, entered=False in ways)
            case ast.With() | ast.AsyncWith():
                self._mark(statement, self._plain(statement))
                self._suite(statement.body, entered=True)
            case ast.Try() | ast.TryStar():
                for suite in suites(statement):
                    self._suite(suite, entered=suite in (statement.body, statement.finalbody))
            case ast.Match():
                self._mark(statement, Marked(Status.SPECIALISED, self._reason(statement, "")))
                for case in statement.cases:
                    self._suite(case.body, entered=False)
            case ast.Assert() if self._evidence.traced.isdisjoint(header(statement)):
                mark = Marked(Status.SPECIALISED, self._reason(statement, "Checked while exporting"))
                self._mark(statement, mark)
            case _:
                self._mark(statement, self._plain(statement))

    def _plain(self, statement: ast.stmt) -> Marked:
        where, guards = header(statement), self._guarded(statement)
        if any(line in self._evidence.traced for line in where):
            return Marked(Status.TRACED, guards)
        if not self._is_complete and not any(line in self._watched for line in where):
            return Marked(Status.UNKNOWN, guards or self._absent().note)
        is_folded = isinstance(statement, ast.With | ast.AsyncWith) or computes(statement)
        return Marked(Status.FOLDED if is_folded else Status.PASSED, guards)

    def _mark(self, statement: ast.stmt, mark: Marked) -> None:
        for line in header(statement):
            self.marks[line] = mark

    def _way(self, statement: Branch | Loop) -> tuple[str, set[bool]]:
        """What a branch or a loop did, in words; and whether its body was entered, and whether it was not."""
        head, body = header(statement), lines(statement.body)
        if not self._is_complete or body.start <= head[-1]:  # on one line: the way it went left no trace
            return "" if isinstance(statement, ast.If) else "Unrolled", set()
        entered = left = begun = 0
        for (source, line), count in self._arcs.items():
            if source in head and (line in body or (_continues(statement) and line < head.start)):
                entered += count
            elif source in head and line not in head:
                left += count
            elif line in head and source not in head and source not in body:
                begun += count
        ways = {way for way, count in ((True, entered), (False, left)) if count}
        if isinstance(statement, ast.If):
            several = "iterations or calls" if statement in self._in_loops else "calls"
            both = f"Taken in some {several}, not in others"
            return (
                both if len(ways) > 1 else "Taken" if ways == {True} else "Not taken" if ways else ""
            ), ways
        if yields(statement) or not begun:  # a generator's loop begins again at each item
            return "Unrolled", ways
        text = f"Unrolled: {plural(entered, 'iteration')}"
        return (text if begun == 1 else f"{text} in {begun} runs"), ways

    def _reason(self, statement: ast.stmt, way: str) -> str:
        """Which way a decision went, and why."""
        why = self._guarded(statement)
        if not why:
            values = self._values.of(statement) if self._is_complete else ""
            why = f"Decided while exporting{f' ({values})' if values else ''}: the program has no branch"
        return ". ".join(filter(None, (way, why)))

    def _guarded(self, statement: ast.stmt) -> str:
        guards = self._evidence.guards
        found = dict.fromkeys(guard for line in header(statement) for guard in guards.get(line, ()))
        return f"The program requires {', '.join(found)}" if found else ""


def _continues(statement: Branch | Loop) -> bool:
    """Whether a branch is `continue` alone: Python jumps to the loop then, and the line leaves no trace."""
    return isinstance(statement, ast.If) and isinstance(statement.body[0], ast.Continue)
