"""The analyses that there are, ours and yours, and how one is run.

An analysis is a function from a Snapshot to a Report. Its name is the command's argument, the first line of
its docstring says what it answers. A package names its own in its metadata:

    [project.entry-points."exir_viz.reports"]
    casts = "acme.reports:casts"
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import msgspec

from exir_viz.errors import CaptureError, UnknownOption, WrongArgument, as_clause
from exir_viz.extras import needs_extra
from exir_viz.options import described, named_options, one_of
from exir_viz.snapshot.frames import is_users, users_frame
from exir_viz.snapshot.graph import Node
from exir_viz.snapshot.program import Dialect
from exir_viz.snapshot.snapshot import Snapshot

from .report import Outcome, Report, Row

GROUP: Final = "exir_viz.reports"

F = TypeVar("F", bound=Callable[..., Report])

# In the order in which they are listed; each is a function of its module.
_BUILT_IN: Final[tuple[str, ...]] = (
    "rules",
    "delegation",
    "quantization",
    "shapes",
    "source",
    "size",
    "state",
)
_registered: dict[str, Analysis] = {}


@dataclass(frozen=True, slots=True)
class Analysis:
    """A report that can be made: its name, its title, and how it is found.

    Attributes
    ----------
    name
        What it is called in Python and on the command line.
    title
        What it is called in the explorer.
    find
        Returns the function that makes it; it may import a package, and fail.
    """

    name: str
    title: str
    find: Callable[[], Callable[..., Report]]


def register(make: F | None = None, *, name: str = "", title: str = "") -> Any:
    """Add a report of your own, for this process; an entry point adds it for every process.

    Parameters
    ----------
    make
        A function from a Snapshot to a Report. Further parameters are options with default values.
    name
        What it is called. The default is the function's name.
    title
        What the explorer calls it. The default is the name in words.

    Returns
    -------
    function
        The function itself.

    Examples
    --------
    >>> @exir_viz.reports.register
    ... def casts(snapshot):
    ...     "How many dtype casts there are."
    ...     nodes = tuple(node.id for node in snapshot.method.graph if "to.dtype" in node.target.name)
    ...     return exir_viz.reports.Report(f"{len(nodes)} casts")
    >>> exir_viz.reports.run("casts", snapshot).headline
    '0 casts'
    """

    def added(function: F) -> F:
        called = name or function.__name__
        _registered[called] = Analysis(called, title or _in_words(called), lambda: function)
        return function

    return added if make is None else added(make)


def analyses() -> Mapping[str, Analysis]:
    """Every analysis by name: ours, those of installed packages, those that were registered here."""
    ours = {name: Analysis(name, _in_words(name), functools.partial(_built_in, name)) for name in _BUILT_IN}
    theirs = {
        entry.name: Analysis(entry.name, _in_words(entry.name), entry.load)
        for entry in entry_points(group=GROUP)
    }
    return {**ours, **theirs, **_registered}


def names() -> tuple[str, ...]:
    """List the reports that there are.

    Returns
    -------
    tuple of str
        Their names, for `run`.

    Examples
    --------
    >>> "size" in exir_viz.reports.names()
    True
    """
    return tuple(analyses())


def about(name: str) -> str:
    """The question that a report answers: the first line of its function's docstring.

    Of a package that cannot be imported it says so: the list of reports does not need it.
    """
    try:
        return _about(analyses()[name].find())
    except Exception as error:  # noqa: BLE001  whatever importing somebody else's package raises
        return f"It cannot be imported: {type(error).__name__}: {as_clause(error)}."


def run(name: str, x: object, /, **options: Any) -> Report:
    """Make a report of a program.

    Parameters
    ----------
    name
        The report: one of `names()`.
    x
        A Snapshot, a stage, the path of a file that `load` reads, or a live program.
    options
        What the report takes in addition to the program.

    Returns
    -------
    Report
        What it says. Print it, or use `.frame`, `.rows()`, `.to_json()`.

    Raises
    ------
    WrongArgument
        If there is no such report, or `x` is no program.
    FileError
        If a file cannot be read.

    Examples
    --------
    >>> exir_viz.reports.run("state", snapshot).headline
    'no state is written'
    """
    return run_as("reports.run", name, x, options)


@named_options
def check(
    x: object, dialect: Dialect | str | None = None, *, rules: Sequence[str] | str | None = None
) -> Report:
    """Check a program against the rules of the Export IR and its dialect.

    Parameters
    ----------
    x
        A Snapshot, a stage, the path of a file that `load` reads, or an ExportedProgram, manager or
        GraphModule. For live programs, the verifiers of torch and ExecuTorch run too.
    dialect
        "aten.training", "aten", "aten.core", "edge", "backend" or "executorch". By default what the program
        says it is.
    rules
        Names of the rules to check. By default all of docs/check.md.

    Returns
    -------
    Report
        A row for each rule that is broken. Print it, or use `.rows("error")`, `.frame`, `.to_sarif()`.

    Raises
    ------
    WrongArgument
        If `x` is no program, or if there is no such dialect or rule.
    FileError
        If a file cannot be read: the message says what is wrong.

    Examples
    --------
    >>> exir_viz.check(program).outcome.value
    'fine'
    """
    return run_as("check", "rules", x, {"dialect": dialect, "rules": rules})


def run_as(verb: str, name: str, x: object, options: Mapping[str, Any]) -> Report:
    """As `run`, for a verb that errors name."""
    known = analyses()
    analysis = known[one_of(verb, "name", name, tuple(known))]
    snapshot, given = _subject(verb, x)
    return _made(analysis, snapshot, given, options)


def run_safely(name: str, snapshot: Snapshot) -> Report:
    """The report of a Snapshot, for a view: what an analysis raises is its report, and harms no other."""
    analysis = analyses()[name]
    try:
        return _made(analysis, snapshot, {}, {})
    except Exception as error:  # noqa: BLE001  whatever somebody else's analysis raises
        why = f"The report failed: {type(error).__name__}: {as_clause(error)}."
        return Report(why, Outcome.ERROR, name=analysis.name, title=analysis.title, about=about(name))


# Parameters that are no options: the live program or stage that was passed, or the path of the file.
_GIVEN: Final = ("live", "file")


def _made(
    analysis: Analysis, snapshot: Snapshot, given: Mapping[str, object], options: Mapping[str, Any]
) -> Report:
    make = analysis.find()
    taken = list(inspect.signature(make).parameters)[1:]
    for option in options:
        if option not in taken or option in _GIVEN:
            known = [name for name in taken if name not in _GIVEN]
            raise UnknownOption(f"reports.run({analysis.name!r})", option, known)
    report = make(snapshot, **options, **{name: value for name, value in given.items() if name in taken})
    if not isinstance(report, Report):
        raise TypeError(f"the report {analysis.name!r} returned {described(report)}, not a Report")
    try:
        msgspec.convert(msgspec.to_builtins(report), Report)
    except msgspec.ValidationError as error:  # records do not check what they are made of
        raise TypeError(f"the report {analysis.name!r} has a value of the wrong type: {error}") from error
    sections = tuple(
        msgspec.structs.replace(section, rows=tuple(_placed(row, snapshot) for row in section.rows))
        for section in report.sections
    )
    return msgspec.structs.replace(
        report,
        name=analysis.name,
        title=analysis.title,
        about=_about(make),
        program=snapshot.origin.name,
        sections=sections,
    )


def _about(make: Callable[..., Report]) -> str:
    return (inspect.getdoc(make) or "").partition("\n")[0]


def _placed(row: Row, snapshot: Snapshot) -> Row:
    """The row with the user's line of each node."""
    if row.places or not row.nodes:
        return row
    return msgspec.structs.replace(row, places=tuple(_place(snapshot.find(node)) for node in row.nodes))


def _place(node: Node | None) -> str:
    frame = None if node is None else users_frame(node.frames)
    return f"{frame.file}:{frame.line}" if frame is not None and is_users(frame.file) else ""


def _built_in(name: str) -> Callable[..., Report]:
    return cast("Callable[..., Report]", getattr(import_module(f"exir_viz.reports.{name}"), name))


def _in_words(name: str) -> str:
    return name.replace("_", " ").capitalize()


def _subject(verb: str, x: object) -> tuple[Snapshot, dict[str, object]]:
    """The Snapshot of `x`, and what it was made from: the live program or stage, or the file."""
    from exir_viz.readers.accepted_inputs import is_path
    from exir_viz.readers.files import recorded

    snapshot = recorded(x)
    if snapshot is not None:
        if is_path(x):
            return snapshot, {"file": Path(x)}
        return snapshot, {} if x is snapshot else {"live": x}
    needs_extra(f"{verb}() of a live program", "torch")
    from exir_viz.readers.live import capture

    try:
        return capture(x), {"live": x}
    except CaptureError as error:
        expected = "a Snapshot, a stage, the path of a file, or a program that exir_viz.load takes"
        hint = f"Pass one of its stages: {verb}(session.current)." if type(x).__name__ == "Session" else ""
        raise WrongArgument(verb, "x", described(x), expected, hint) from error
