"""Collect coverage: export with the lines watched, or read what a program names, and mark the files."""

from __future__ import annotations

import ast
import inspect
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from types import CodeType
from typing import TYPE_CHECKING, Any, Final, cast

from exir_viz.readers.snapshots import is_exported, snapshot_of
from exir_viz.readers.source_lines import is_in_working_folder, matching_text
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.frames import is_users, users_frame
from exir_viz.snapshot.graph import Graph
from exir_viz.snapshot.placement import working
from exir_viz.snapshot.records import Frame
from exir_viz.snapshot.sizes import Sizes, moved_bytes
from exir_viz.snapshot.symbol_names import in_user_names, python_condition
from exir_viz.watched_export.export import watched_snapshot
from exir_viz.watched_export.recorded import arcs_of, unwatched_lines

from .coverage import Coverage, FileCoverage
from .marks import Mark, mark_lines
from .ran import Execution, Inferred, PartlyWatched, Watched
from .records import Line, LineStatus
from .syntax import mentioned_names

if TYPE_CHECKING:
    from exir_viz.measure.profile import Profile

_DYNAMO: Final = "torch/_dynamo/"
# By file and line.
Guards = Mapping[str, Mapping[int, list[str]]]


@dataclass
class _Unwatched:
    """The lines of functions that TorchDynamo read instead of running, by file, and all names in the files.

    mentioned: None if a file is missing or has changed.
    """

    lines: Mapping[str, Collection[int]]
    mentioned: Collection[str] | None


@dataclass
class _Cost:
    """What the ops of one line cost."""

    own: list[str] = field(default_factory=list)
    total: int = 0
    bytes: int = 0
    time_share: float = 0.0


def coverage(
    x: object, args: tuple[Any, ...], export: Mapping[str, Any], profile: Profile | None
) -> Coverage:
    """The coverage of a program or a module; see `exir_viz.coverage`."""
    snapshot = snapshot_of("coverage", x, args, export, watched_snapshot)
    if profile is None and hasattr(type(x), "hottest"):  # a Profile
        profile = cast("Profile", x)
    first = _file_of(x) if is_exported(x) else ""
    return coverage_of(snapshot, profile, first, is_readable=is_in_working_folder)


def _file_of(module: Any) -> str:
    """The file that defines the class of a module."""
    try:
        return inspect.getsourcefile(type(module)) or ""
    except (TypeError, OSError):  # a class of C, or of a notebook's cell
        code: CodeType | None = getattr(inspect.unwrap(type(module).forward), "__code__", None)
        return code.co_filename if code is not None else ""


def _guards(snapshot: Snapshot) -> Guards:
    """The conditions on sizes by the file and line that caused them, with the user's names of symbols."""
    found: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for method in in_user_names(snapshot).methods.values():
        known = {symbol.name for symbol in method.symbols}
        for one in method.detail.guard_lines:
            text = python_condition(one.expr, known)
            if text:
                found[one.file][one.line].append(text)
    return found


def coverage_of(
    snapshot: Snapshot,
    profile: Profile | None = None,
    first: str = "",
    *,
    is_readable: Callable[[str], bool] = lambda _: False,
) -> Coverage:
    """The coverage of a Snapshot; `first`: the file to begin with.

    is_readable: which source files may be read for a Snapshot that is not of a live program.
    """
    arcs = arcs_of(snapshot)
    guards = _guards(snapshot)
    classes, has_helpers = _classes(snapshot), _has_helpers(snapshot)
    costs = _costs(snapshot, profile)
    named = _named(snapshot)
    files = sorted(named, key=lambda file: (file != first, -len(costs.get(file, ())), file))
    texts = {
        file: matching_text(file, {line: frame.code for line, frame in named[file].items()})
        if snapshot.is_captured or is_readable(file)
        else None
        for file in files
    }
    trees = {file: None if text is None else _tree(text) for file, text in texts.items()}
    unwatched = _unwatched(snapshot, trees) if arcs else None
    found = []
    for file in files:
        tree = trees[file]
        lines = (texts[file] or "").splitlines()
        watched = arcs.get(file)
        here = costs.get(file, {})
        traced = {line for line, cost in here.items() if cost.total}
        marks: Mapping[int, Mark] = {}
        if tree is not None:
            required = guards.get(file, {})
            execution: Execution
            if watched is None:
                execution = Inferred(tree, named[file], required, classes, has_helpers=has_helpers)
            elif unwatched is None:
                execution = Watched(watched)
            else:
                execution = PartlyWatched(tree, Watched(watched), unwatched.lines[file], unwatched.mentioned)
            values = [one for one in snapshot.detail.python_values if one.file == file]
            marks = mark_lines(tree, execution, traced, required, values)
        every = range(1, len(lines) + 1) if tree is not None else sorted(named[file])
        found.append(
            FileCoverage(
                file,
                tuple(
                    _line(number, _text(lines, number, named[file]), marks, here, timed=profile is not None)
                    for number in every
                ),
                is_watched=watched is not None,
                is_read=tree is not None,
            )
        )
    return Coverage(snapshot, tuple(found))


def _unwatched(snapshot: Snapshot, trees: Mapping[str, ast.Module | None]) -> _Unwatched | None:
    """The functions that were read instead of run; None without."""
    lines = unwatched_lines(snapshot)
    if lines is None:
        return None
    read = [tree for tree in trees.values() if tree is not None]
    names = frozenset(name for tree in read for name in mentioned_names(tree))
    return _Unwatched(lines, names if len(read) == len(trees) else None)


def _classes(snapshot: Snapshot) -> frozenset[str]:
    """The names of the classes of modules whose ops the program has."""
    return frozenset(scope.cls.rpartition(".")[2] for scope in snapshot.scopes)


def _has_helpers(snapshot: Snapshot) -> bool:
    """Whether stack traces have the lines of all functions: of strict export, which TorchDynamo traces."""
    frames = snapshot.detail.frames
    return any(_DYNAMO in frame.file and frame.function == "forward" for frame in frames) and any(
        is_users(frame.file) and frame.function.isidentifier() and frame.function != "forward"
        for frame in frames
    )


def _text(lines: list[str], number: int, named: Mapping[int, Frame]) -> str:
    return lines[number - 1] if lines else named[number].code


def _tree(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):  # of another version of Python, or no Python
        return None


def _line(
    number: int, text: str, marks: Mapping[int, Mark], costs: Mapping[int, _Cost], *, timed: bool
) -> Line:
    cost = costs.get(number, _Cost())
    mark = marks.get(number, Mark(LineStatus.TRACED if cost.total and not marks else LineStatus.NONE))
    return Line(
        number,
        text,
        mark.status,
        len(cost.own),
        cost.total,
        cost.bytes,
        cost.time_share if timed and cost.total else None,
        mark.note,
        tuple(cost.own),
    )


def _named(snapshot: Snapshot) -> dict[str, dict[int, Frame]]:
    """The lines of the user's files that stack traces name."""
    found: dict[str, dict[int, Frame]] = defaultdict(dict)
    for frame in snapshot.detail.frames:
        if is_users(frame.file) and frame.file.endswith(".py"):
            found[frame.file].setdefault(frame.line, frame)
    return found


def _costs(snapshot: Snapshot, profile: Profile | None) -> dict[str, dict[int, _Cost]]:
    """By file and line: the ops that the line made, itself or in what it calls."""
    shares: dict[str, float] = {}
    if profile is not None:
        from exir_viz.measure.time_shares import time_shares

        shares = time_shares("coverage", profile, snapshot)
    places: dict[int, tuple[tuple[str, int], ...]] = {}
    found: dict[str, dict[int, _Cost]] = defaultdict(lambda: defaultdict(_Cost))
    for method in snapshot.methods.values():
        sizes = Sizes.hinted(method)
        for graph in method.graphs():
            for at in working(graph):
                trace = graph.detail.traces[at]
                if trace == NONE:
                    continue
                if trace not in places:
                    places[trace] = _places(graph, at)
                node = graph[at]
                moved = moved_bytes(node, sizes)
                for depth, (file, line) in enumerate(places[trace]):
                    cost = found[file][line]
                    cost.total += 1
                    cost.bytes += moved
                    cost.time_share += shares.get(node.id, 0.0)
                    if depth == 0:
                        cost.own.append(node.id)
    return found


def _places(graph: Graph, at: int) -> tuple[tuple[str, int], ...]:
    """The user's lines on the stack of a node, its own line first, each once."""
    frames = graph[at].frames
    own = users_frame(frames)
    several = ([] if own is None else [own]) + [frame for frame in reversed(frames) if is_users(frame.file)]
    return tuple(dict.fromkeys((frame.file, frame.line) for frame in several))
