"""Which statements ran: as watched while exporting, or as the ops of a program show."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence
from typing import Final, NamedTuple, Protocol

from exir_viz.watched_export.recorded import OUTSIDE, Arcs

from .certain_calls import CertainCalls
from .syntax import Branch, Function, Loop, function_statements, header, lines, may_leave, yields

# Whether something ran; None where that is not known.
Ran = bool | None
# The only functions whose lines torch.export records, unless it is strict.
_FORWARD: Final = "forward"
# With these, code reaches a function that it does not mention.
_BY_TEXT: Final = frozenset(
    ("getattr", "globals", "locals", "vars", "attrgetter", "methodcaller", "eval", "exec", "__dict__")
)


class Outcome(NamedTuple):
    """What a branch or a loop did. `ways`: whether the body was entered, and whether it was not.

    runs: how often a loop began; 0 where it is not known. iterations: of all these runs together.
    """

    ways: frozenset[bool] = frozenset()
    iterations: int = 0
    runs: int = 0


class Execution(Protocol):
    """Says what ran."""

    def function(self, function: Function) -> Ran:
        """Whether a function was called."""

    def unrecorded(self, function: Function, /) -> str:
        """Why the ops of a function that ran do not name its lines; "" if they do."""

    def suite(self, statements: Sequence[ast.stmt], entered: Ran) -> list[Ran]:
        """Whether each statement of a suite ran."""

    def outcome(self, statement: Branch | Loop) -> Outcome:
        """What a branch or a loop that ran did."""

    def unknown(self, function: Function, /) -> str:
        """Why it is not known whether a function was called."""


class Watched:
    """What ran, by the lines that were watched while the module was exported."""

    def __init__(self, arcs: Arcs) -> None:
        self._arcs = arcs
        self._lines = {line for _, line in arcs}

    def function(self, function: Function) -> bool:
        """Whether a function was called."""
        body = lines(function.body)
        if function.lineno in body:  # on one line: it is reached when the function is defined, too
            return (function.lineno, OUTSIDE) in self._arcs
        return any(line in self._lines for line in body)

    def unrecorded(self, _function: Function, /) -> str:
        """Never: every line was watched."""
        return ""

    def unknown(self, _function: Function, /) -> str:
        """Never: every line was watched."""
        return ""

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
        if isinstance(statement, ast.If) or yields(statement):  # a generator's loop begins again at each item
            return Outcome(ways)
        return Outcome(ways, entered, begun)


class Inferred:
    """What ran, as far as the lines that a program names show.

    Parameters
    ----------
    tree
        The file.
    named
        The lines of it that ops name.
    required
        The lines of it that conditions on sizes name.
    classes
        The names of the classes of modules that ran.
    has_helpers
        Whether ops name the lines of all functions, not only of those called `forward`.
    """

    def __init__(
        self,
        tree: ast.Module,
        named: Collection[int],
        required: Collection[int] = (),
        classes: Collection[str] = (),
        *,
        has_helpers: bool = False,
    ) -> None:
        self._recorded, self._named = set(named), {*named, *required}
        self._has_helpers = has_helpers
        # The statements of which an error would be caught.
        handled = (one for one in ast.walk(tree) if isinstance(one, ast.Try | ast.TryStar) and one.handlers)
        self._caught = {statement for one in handled for statement in one.body}
        self._calls = CertainCalls(tree, classes)
        # The functions that ran, and the line whose ops include theirs: 0 where that is not known.
        self._called: dict[Function, int] = {}
        for function in self._calls.functions():
            if self._is_named(lines(function.body)):
                self._follow(function, 0)

    def function(self, function: Function) -> Ran:
        """Whether a function was called."""
        return True if function in self._called else None

    def unrecorded(self, function: Function) -> str:
        """Why the ops of a function that ran do not name its lines; "" if they do."""
        if self._is_recorded(function):
            return ""
        line = self._called[function]
        counted = f"line {line}, which calls the function" if line else "the line of forward that calls it"
        return f"It ran, and its ops count for {counted}"

    def unknown(self, function: Function) -> str:
        """Why it is not known whether a function was called."""
        if self._has_helpers or function.name == _FORWARD:
            return f"No op names a line of {function.name}"
        return "torch.export records lines of forward only: pass the module to see this function"

    def suite(self, statements: Sequence[ast.stmt], entered: Ran) -> list[Ran]:
        """Whether each statement of a suite ran: those before one that did, and up to one that may leave."""
        named = [at for at, one in enumerate(statements) if self._is_named(_all_lines(one))]
        if not named and not entered:
            return [entered] * len(statements)
        at = max(named, default=-1)
        if at < 0 or not self._may_leave(statements[at]):
            after = range(at + 1, len(statements))
            at = next((one for one in after if self._may_leave(statements[one])), len(statements) - 1)
        return [True if one <= at else None for one in range(len(statements))]

    def _may_leave(self, statement: ast.stmt) -> bool:
        return may_leave(statement) or statement in self._caught

    def _is_recorded(self, function: Function) -> bool:
        """Whether ops name the lines of a function where it made any."""
        body = lines(function.body)
        return self._has_helpers or function.name == _FORWARD or any(line in self._recorded for line in body)

    def _follow(self, function: Function, line: int) -> None:
        """Note a function that ran, and those that it certainly calls."""
        if function in self._called:
            return
        self._called[function] = line
        self._follow_suite(function.body, function, entered=True)

    def _follow_suite(self, statements: Sequence[ast.stmt], function: Function, *, entered: Ran) -> None:
        for statement, ran in zip(statements, self.suite(statements, entered), strict=True):
            if ran is not True:
                continue
            for called in self._calls.of(statement, function):
                is_recorded = self._is_recorded(function)
                self._follow(called, statement.lineno if is_recorded else self._called[function])
            if isinstance(statement, ast.With | ast.AsyncWith):
                self._follow_suite(statement.body, function, entered=True)
            elif isinstance(statement, Branch | Loop):
                self._follow_suite(statement.body, function, entered=None)
                self._follow_suite(statement.orelse, function, entered=None)

    def outcome(self, statement: Branch | Loop) -> Outcome:
        """What a branch or a loop that ran did."""
        body_ran = {True} if self._is_named(lines(statement.body)) else set()
        other = {False} if self._is_named(lines(statement.orelse)) else set()
        return Outcome(frozenset(body_ran | other))

    def _is_named(self, several: Iterable[int]) -> bool:
        return any(line in self._named for line in several)


class PartlyWatched:
    """What ran in a program with torch.cond, while_loop or scan.

    TorchDynamo reads the functions given to these, and what they call, instead of running them: there the ops
    show what ran. A function may also run in both ways.

    Parameters
    ----------
    tree
        The file.
    watched
        What was watched.
    read
        The lines of functions that TorchDynamo read, and that ops name.
    mentioned
        The names that the model's files mention; None if that is not known.
    """

    def __init__(
        self, tree: ast.Module, watched: Watched, read: Collection[int], mentioned: Collection[str] | None
    ) -> None:
        self._watched, self._mentioned = watched, mentioned
        self._inferred = Inferred(tree, read, has_helpers=True)
        self._function_of = dict(function_statements(tree))
        named = set(read)
        self._read = {
            function for one, function in self._function_of.items() if not named.isdisjoint(_own_lines(one))
        }

    def function(self, function: Function) -> Ran:
        """Whether a function was called: not one whose name no code mentions."""
        if self._watched.function(function) or self._inferred.function(function):
            return True
        name, mentioned = function.name, self._mentioned
        if mentioned is None or name == _FORWARD or name.startswith("__"):
            return None
        return None if name in mentioned or not _BY_TEXT.isdisjoint(mentioned) else False

    def unrecorded(self, _function: Function, /) -> str:
        """Never: ops name the lines of all functions."""
        return ""

    def unknown(self, function: Function, /) -> str:
        """Why it is not known whether a function was called."""
        return f"No op names a line of {function.name}, and functions given to torch.cond are not watched"

    def suite(self, statements: Sequence[ast.stmt], entered: Ran) -> list[Ran]:
        """Whether each statement of a suite ran."""
        is_watched, is_read = self._ways(statements)
        if not is_read:
            return self._watched.suite(statements, entered)
        inferred = self._inferred.suite(statements, entered)
        if not is_watched:
            return inferred
        watched = self._watched.suite(statements, entered)
        return [one or other for one, other in zip(watched, inferred, strict=True)]

    def outcome(self, statement: Branch | Loop) -> Outcome:
        """What a branch or a loop that ran did."""
        is_watched, is_read = self._ways([statement])
        if not is_read:
            return self._watched.outcome(statement)
        inferred = self._inferred.outcome(statement)
        if not is_watched:
            return inferred
        ways = self._watched.outcome(statement).ways | inferred.ways
        return Outcome(ways if len(ways) > 1 else frozenset())

    def _ways(self, statements: Sequence[ast.stmt]) -> tuple[bool, bool]:
        """Whether the function of some statements was watched, and whether TorchDynamo read it."""
        function = self._function_of.get(statements[0]) if statements else None
        if function is None:
            return True, False
        is_watched = self._watched.function(function)
        return is_watched, function in self._read or not is_watched


def _all_lines(statement: ast.stmt) -> range:
    return range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)


def _own_lines(statement: ast.stmt) -> range:
    """The lines of a statement without those of its body."""
    return range(0) if isinstance(statement, Function | ast.ClassDef) else header(statement)


def _continues(statement: Branch | Loop) -> bool:
    """Whether a branch is `continue` alone: Python jumps to the loop then, and the line leaves no trace."""
    return isinstance(statement, ast.If) and isinstance(statement.body[0], ast.Continue)


def _is_traceable(statement: ast.stmt) -> bool:
    """Whether Python always reports the line of a statement: not of one that does nothing."""
    is_constant = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    return not (is_constant or isinstance(statement, ast.Global | ast.Nonlocal | ast.Continue))
