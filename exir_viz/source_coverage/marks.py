"""Mark each line of a file: traced, specialised, folded, passed, skipped or unknown."""

from __future__ import annotations

import ast
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from exir_viz.snapshot.format import plural
from exir_viz.snapshot.program import PythonValue

from .deciding_values import DecidingValues
from .ran import Execution, Outcome, Ran
from .records import LineStatus
from .syntax import Branch, Function, Loop, computes, functions, header, in_loops, is_docstring

_BEFORE: Final = ("__init__", "__new__", "__init_subclass__")


class Mark(NamedTuple):
    """The status of a line, and what a branch or loop did."""

    status: LineStatus
    note: str = ""


def mark_lines(
    tree: ast.Module,
    execution: Execution,
    traced: Collection[int],
    guards: Mapping[int, Sequence[str]],
    values: Sequence[PythonValue] = (),
) -> dict[int, Mark]:
    """The marks by line. A line outside of functions has none.

    traced: the lines that made ops, themselves or in what they call. guards: by line, the conditions on sizes
    that it added to the program. values: what attributes and variables of the file were while exporting.
    """
    marker = _Marker(execution, set(traced), guards, DecidingValues(tree, values), set(in_loops(tree)))
    for function in functions(tree):
        marker.function(function)
    return _without_repetitions(marker.marks)


def _without_repetitions(marks: Mapping[int, Mark]) -> dict[int, Mark]:
    """The marks in the order of lines; the first of unknown lines that follow each other says why."""
    found: dict[int, Mark] = {}
    last = None
    for line, mark in sorted(marks.items()):
        is_again = mark.status is LineStatus.UNKNOWN and mark == last
        found[line] = Mark(mark.status) if is_again else mark
        last = mark
    return found


class _Marker:
    def __init__(
        self,
        execution: Execution,
        traced: set[int],
        guards: Mapping[int, Sequence[str]],
        values: DecidingValues,
        in_loops: Collection[ast.AST],
    ) -> None:
        self.marks: dict[int, Mark] = {}
        self._execution, self._traced, self._guards, self._values = execution, traced, guards, values
        self._in_loops = in_loops
        # Why the ops of the function that is being marked do not name its lines.
        self._unrecorded = ""

    def function(self, function: Function) -> None:
        """Mark the body of a function."""
        ran = self._execution.function(function)
        if ran is not True and function.name in _BEFORE:  # it ran when the module was made
            return
        if ran is False:
            self._all(function.body, Mark(LineStatus.SKIPPED))
            first = next((one for one in function.body if not is_docstring(one)), None)
            if first is not None:
                self.marks[first.lineno] = Mark(LineStatus.SKIPPED, f"{function.name} was not called")
        elif ran is None:
            self._all(function.body, Mark(LineStatus.UNKNOWN, self._execution.unknown(function)))
        else:
            around, self._unrecorded = self._unrecorded, self._execution.unrecorded(function)
            self._suite(function.body, entered=True)
            self._unrecorded = around

    def _all(self, statements: Sequence[ast.stmt], mark: Mark) -> None:
        for statement in statements:
            if is_docstring(statement):
                continue
            for line in header(statement):
                self.marks[line] = mark
            for suite in _suites(statement):
                self._all(suite, mark)

    def _suite(self, statements: Sequence[ast.stmt], entered: Ran) -> None:
        last = None
        for statement, ran in zip(statements, self._execution.suite(statements, entered), strict=True):
            if is_docstring(statement):
                continue
            if ran is False:
                self._all([statement], Mark(LineStatus.SKIPPED))
            elif ran is None:
                self._all([statement], Mark(LineStatus.UNKNOWN, self._unknown(last)))
            else:
                self._statement(statement)
                last = statement

    def _unknown(self, last: ast.stmt | None) -> str:
        """Why it is not known whether a statement ran; last: the one before it that ran for certain."""
        if self._unrecorded:
            return "torch.export records lines of forward only: pass the module to see which way it went"
        if last is None:
            return "No op names a line of this branch"
        return f"No op names a line after line {header(last).start}, where the function may return"

    def _statement(self, statement: ast.stmt) -> None:
        """Mark a statement that ran."""
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.function(statement)
            case ast.ClassDef():
                return
            case ast.If() | ast.While() | ast.For() | ast.AsyncFor():
                outcome = self._execution.outcome(statement)
                self._mark(statement, Mark(LineStatus.SPECIALISED, self._decided(statement, outcome)))
                self._suite(statement.body, _entered(outcome, way=True))
                self._suite(statement.orelse, _entered(outcome, way=False))
            case ast.With() | ast.AsyncWith():
                self._mark(statement, self._plain(statement, header(statement)))
                self._suite(statement.body, entered=True)
            case ast.Try() | ast.TryStar():
                self._suite(statement.body, entered=True)
                for handler in statement.handlers:
                    self._suite(handler.body, entered=None)
                self._suite(statement.orelse, entered=None)
                self._suite(statement.finalbody, entered=True)
            case ast.Match():
                self._mark(statement, Mark(LineStatus.SPECIALISED, self._reason(statement, "")))
                for case in statement.cases:
                    self._suite(case.body, entered=None)
            case ast.Assert():
                mark = self._plain(statement, header(statement))
                checked = Mark(LineStatus.SPECIALISED, self._reason(statement, "Checked while exporting"))
                self._mark(statement, mark if mark.status is LineStatus.TRACED else checked)
            case _:
                self._mark(statement, self._plain(statement, header(statement)))

    def _plain(self, statement: ast.stmt, where: range) -> Mark:
        guards = self._guarded(where)
        if any(line in self._traced for line in where):
            return Mark(LineStatus.TRACED, guards)
        is_folded = isinstance(statement, ast.With | ast.AsyncWith) or computes(statement)
        if is_folded and self._unrecorded:
            return Mark(LineStatus.UNKNOWN, ". ".join(filter(None, (self._unrecorded, guards))))
        return Mark(LineStatus.FOLDED if is_folded else LineStatus.PASSED, guards)

    def _mark(self, statement: ast.stmt, mark: Mark) -> None:
        for line in header(statement):
            self.marks[line] = mark

    def _decided(self, statement: Branch | Loop, outcome: Outcome) -> str:
        """What a branch or a loop did, and why."""
        if isinstance(statement, ast.If):
            several = "iterations or calls" if statement in self._in_loops else "calls"
            outcome_text = {
                frozenset((True,)): "Taken",
                frozenset((False,)): "Not taken",
                frozenset((True, False)): f"Taken in some {several}, not in others",
            }.get(outcome.ways, "")
            return self._reason(statement, outcome_text)
        if not outcome.runs:
            return self._reason(statement, "Unrolled")
        text = f"Unrolled: {plural(outcome.iterations, 'iteration')}"
        return self._reason(statement, text if outcome.runs == 1 else f"{text} in {outcome.runs} runs")

    def _reason(self, statement: ast.stmt, outcome_text: str) -> str:
        if guards := self._guarded(header(statement)):
            return ". ".join(filter(None, (outcome_text, guards)))
        values = self._values.of(statement)
        decided = f"{_DECIDED} ({values}){_NO_BRANCH}" if values else f"{_DECIDED}{_NO_BRANCH}"
        return ". ".join(filter(None, (outcome_text, decided)))

    def _guarded(self, where: range) -> str:
        found = dict.fromkeys(guard for line in where for guard in self._guards.get(line, ()))
        return f"The program requires {', '.join(found)}" if found else ""


_DECIDED: Final = "Decided while exporting"
_NO_BRANCH: Final = ": the program has no branch"


def _entered(outcome: Outcome, *, way: bool) -> Ran:
    return True if way in outcome.ways else None


def _suites(statement: ast.stmt) -> list[list[ast.stmt]]:
    """The suites of a compound statement."""
    found = [getattr(statement, name, []) for name in ("body", "orelse", "finalbody")]
    found += [handler.body for handler in getattr(statement, "handlers", [])]
    return [suite for suite in (*found, *(case.body for case in getattr(statement, "cases", []))) if suite]
