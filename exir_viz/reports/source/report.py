"""The report `source`: the user's files, each line with what became of it."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from exir_viz.errors import WrongArgument
from exir_viz.options import described, text
from exir_viz.readers.source_lines import matching_text
from exir_viz.readers.watched_export import arcs_of, unwatched_lines
from exir_viz.reports.report import Column, Report, Row, Section, SourceFile, Unit
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.format import plural
from exir_viz.snapshot.frames import is_users, users_frame
from exir_viz.snapshot.graph import Graph
from exir_viz.snapshot.placement import working
from exir_viz.snapshot.records import Frame
from exir_viz.snapshot.sizes import Sizes, moved_bytes
from exir_viz.snapshot.symbol_names import in_user_names, python_condition

from .marks import MARKS, FileEvidence, Marked, Status, mark_lines

if TYPE_CHECKING:
    from exir_viz.measure.profile import Profile

_UNWATCHED: Final = (
    "which lines ran that no op names. Pass exir_viz.load(model, x, watch=True), which watches the export."
)
_READ: Final = (
    "functions given to torch.cond, while_loop and scan: torch reads them instead of running them, so that "
    "only their lines that ops name are known."
)
_NAMED: Final = (
    "Only lines that the program names are shown: the source file is missing, changed or not read."
)


@dataclass
class _Cost:
    """What the ops of one line cost: those that it made itself, and those of what it calls."""

    own: list[str] = field(default_factory=list)
    total: int = 0
    bytes: int = 0
    share: float = 0.0


def source(snapshot: Snapshot, *, only: str = "", profile: Profile | None = None) -> Report:
    """Each of your lines: traced into ops, folded to a constant, or left out.

    only: the end of a path, to list the lines of that file alone. profile: a profile of the same program, for
    the time of each line.
    """
    named = _named(snapshot)
    costs = _costs(snapshot, profile)
    first = _first(snapshot)
    order = sorted(named, key=lambda one: (one != first, -len(costs.get(one, ())), one))
    wanted = text("source", "only", only)
    if wanted and not (order := [one for one in order if one == wanted or one.endswith(f"/{wanted}")]):
        names = ", ".join(named) or "none: the program names no lines of yours"
        raise WrongArgument("source", "only", described(only), f"one of {names}")
    marks = _marks(snapshot, order, named, costs)
    sources = tuple(
        _file(one, named[one], costs.get(one, {}), *marks[one], timed=profile is not None) for one in order
    )
    return Report(
        _headline(sources, is_watched=bool(snapshot.detail.runs)),
        sections=_section(sources),
        unexamined=tuple(_unexamined(snapshot)) if sources else (),
        sources=sources,
        marks=MARKS,
    )


def _headline(sources: tuple[SourceFile, ...], *, is_watched: bool) -> str:
    counts = Counter(mark for one in sources for mark in one.marks)
    if not sources:
        return "the program names no lines of yours"
    lines = plural(sum(counts[status] for status in Status if status is not Status.NONE), "line")
    skipped = f"; {counts[Status.SKIPPED]:,} never reached" if is_watched else ""
    return f"{counts[Status.TRACED]:,} of {lines} in {plural(len(sources), 'file')} made ops{skipped}"


def _section(sources: tuple[SourceFile, ...]) -> tuple[Section, ...]:
    rows = []
    for one in sources:
        counts = Counter(one.marks)
        made = sum(map(len, one.nodes))
        rows.append(Row(one.file, one.note, values=(made, *(counts[at] for at in range(len(MARKS))))))
    columns = (Column("ops", Unit.COUNT), *(Column(mark.label, Unit.COUNT) for mark in MARKS))
    return (
        (Section("Files", tuple(rows), columns, "Lines of each file by what became of them."),)
        if rows
        else ()
    )


def _unexamined(snapshot: Snapshot) -> list[str]:
    if not snapshot.detail.runs:
        return [_UNWATCHED]
    return [] if unwatched_lines(snapshot) is None else [_READ]


def _file(
    file: str,
    named: Mapping[int, Frame],
    costs: Mapping[int, _Cost],
    texts: list[str] | None,
    marks: Mapping[int, Marked],
    *,
    timed: bool,
) -> SourceFile:
    numbers = range(1, len(texts) + 1) if texts is not None else sorted(named)
    spent = [costs.get(number, _Cost()) for number in numbers]
    marked = [
        marks.get(number, Marked(Status.TRACED if cost.total and texts is None else Status.NONE))
        for number, cost in zip(numbers, spent, strict=True)
    ]
    return SourceFile(
        file,
        tuple(numbers),
        tuple(texts if texts is not None else (named[number].code for number in numbers)),
        tuple(int(mark.status) for mark in marked),
        tuple(mark.note for mark in marked),
        tuple(cost.total for cost in spent),
        tuple(cost.bytes for cost in spent),
        tuple(tuple(cost.own) for cost in spent),
        tuple(cost.share for cost in spent) if timed else (),
        _NAMED if texts is None else "",
    )


def _marks(
    snapshot: Snapshot,
    files: list[str],
    named: Mapping[str, Mapping[int, Frame]],
    costs: Mapping[str, Mapping[int, _Cost]],
) -> dict[str, tuple[list[str] | None, Mapping[int, Marked]]]:
    """By file: its lines, None where only those are known that the program names; and their marks."""
    arcs, guards = arcs_of(snapshot), _guards(snapshot)
    read = unwatched_lines(snapshot) if arcs else None
    kept = {one.file: one for one in snapshot.detail.sources}
    found: dict[str, tuple[list[str] | None, Mapping[int, Marked]]] = {}
    for file in files:
        content = None
        if file in arcs and file in kept:  # a watched file is kept whole
            content = "\n".join(kept[file].text)
        elif snapshot.is_captured:  # only then its code ran here: another program may name any file
            content = matching_text(file, {line: frame.code for line, frame in named[file].items()})
        tree = None if content is None else _tree(content)
        if content is None or tree is None:
            found[file] = None, {}
            continue
        evidence = FileEvidence(
            {line for line, cost in costs.get(file, {}).items() if cost.total},
            guards.get(file, {}),
            arcs.get(file),
            None if read is None else read.get(file, ()),
            [one for one in snapshot.detail.python_values if one.file == file],
        )
        found[file] = content.splitlines(), mark_lines(tree, evidence)
    return found


def _tree(content: str) -> ast.Module | None:
    try:
        return ast.parse(content)
    except (SyntaxError, ValueError, RecursionError):  # of another version of Python, or no Python
        return None


def _guards(snapshot: Snapshot) -> Mapping[str, Mapping[int, list[str]]]:
    """The conditions on sizes by the file and line that caused them, with the user's names of symbols."""
    found: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for method in in_user_names(snapshot).methods.values():
        known = {symbol.name for symbol in method.symbols}
        for one in method.detail.guard_lines:
            if condition := python_condition(one.expr, known):
                found[one.file][one.line].append(condition)
    return found


def _named(snapshot: Snapshot) -> dict[str, dict[int, Frame]]:
    """The lines of the user's files that stack traces name."""
    found: dict[str, dict[int, Frame]] = defaultdict(dict)
    for frame in snapshot.detail.frames:
        if is_users(frame.file) and frame.file.endswith(".py"):
            found[frame.file].setdefault(frame.line, frame)
    return found


def _first(snapshot: Snapshot) -> str:
    """The file of the model itself: where most stack traces begin."""
    frames = snapshot.detail.frames
    begins: Counter[str] = Counter()
    for trace in snapshot.detail.traces:
        users = (frames[one] for one in trace if is_users(frames[one].file))
        outermost = next((frame for frame in users if frame.function == "forward"), None)
        begins.update([outermost.file] if outermost is not None else [])
    return max(begins, key=lambda one: begins[one], default="")


def _costs(snapshot: Snapshot, profile: Profile | None) -> dict[str, dict[int, _Cost]]:
    """By file and line: the ops that the line made, itself or in what it calls."""
    shares: dict[str, float] = {}
    if profile is not None:
        from exir_viz.measure.time_shares import time_shares

        shares = time_shares("source", profile, snapshot)
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
                    cost.share += shares.get(node.id, 0.0)
                    if depth == 0:
                        cost.own.append(node.id)
    return found


def _places(graph: Graph, at: int) -> tuple[tuple[str, int], ...]:
    """The user's lines on the stack of a node, its own line first, each once."""
    frames = graph[at].frames
    own = users_frame(frames)
    several = ([] if own is None else [own]) + [frame for frame in reversed(frames) if is_users(frame.file)]
    return tuple(dict.fromkeys((frame.file, frame.line) for frame in several))
