"""Collect coverage: export with the lines watched, or read what a program names, and mark the files."""

from __future__ import annotations

import ast
import inspect
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from exir_viz.extras import needs_extra
from exir_viz.options import instance
from exir_viz.readers.accepted_inputs import check_inputs_unused
from exir_viz.readers.files import recorded
from exir_viz.readers.source_lines import matching_text
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.frames import is_users, users_frame
from exir_viz.snapshot.graph import Graph
from exir_viz.snapshot.placement import working
from exir_viz.snapshot.records import Frame
from exir_viz.snapshot.sizes import Sizes, moved_bytes
from exir_viz.snapshot.symbol_names import renamed_text, symbols_of, user_names

from .coverage import Coverage, FileCoverage
from .line_watch import Arcs
from .marks import Mark, mark_lines
from .ran import Inferred, Watched
from .records import Line, LineStatus

if TYPE_CHECKING:
    from exir_viz.measure.profile import Profile

# By file and line.
Guards = Mapping[str, Mapping[int, list[str]]]


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
    given = {"args": args, **export}
    kept = recorded(x)
    if kept is not None:
        check_inputs_unused("coverage", x, given)
        if profile is None and hasattr(type(x), "hottest"):
            profile = instance("coverage", "x", x, _profile_class())
        programs = getattr(getattr(x, "live", None), "programs", {})
        return _of_snapshot(kept, _guards(kept, programs.values()), profile)
    needs_extra("coverage() of a live program", "torch")
    import torch

    from exir_viz.readers.live import capture

    if isinstance(x, torch.nn.Module) and not isinstance(x, torch.fx.GraphModule):
        return _of_module(x, args, export, profile)
    check_inputs_unused("coverage", x, given)
    snapshot = capture(x)
    programs = [x] if hasattr(x, "graph_signature") else []
    return _of_snapshot(snapshot, _guards(snapshot, programs), profile)


def _profile_class() -> type[Profile]:
    from exir_viz.measure.profile import Profile

    return Profile


def _of_module(
    module: Any, args: tuple[Any, ...], export: Mapping[str, Any], profile: Profile | None
) -> Coverage:
    """Export a module, and watch its lines run unless torch reads them instead of running them (strict)."""
    from exir_viz.readers.exporting import export as exported
    from exir_viz.readers.live import capture_programs
    from exir_viz.torch_internals.full_stack_traces import full_stack_traces

    from .line_watch import watched_lines

    with full_stack_traces(), watched_lines() as watch:
        program, dims = exported(module, args, **export)
    snapshot = capture_programs(type(module).__name__, {"forward": program}, None, dims=dims)
    guards = _guards(snapshot, [program])
    if export.get("strict"):
        return _of_snapshot(snapshot, guards, profile, _file_of(module))
    return _of_snapshot(snapshot, guards, profile, _file_of(module), watch.arcs)


def _file_of(module: object) -> str:
    """The file that defines the class of a module."""
    try:
        return inspect.getsourcefile(type(module)) or ""
    except TypeError:  # a class of C, or of a prompt
        return ""


def _guards(snapshot: Snapshot, programs: Iterable[Any]) -> Guards:
    """The conditions on sizes by the file and line that caused them, with the user's names of symbols."""
    names = user_names(symbols_of(snapshot))
    found: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for program in programs:
        from exir_viz.torch_internals.guard_lines import guard_lines

        for file, line, text in guard_lines(program):
            found[file][line].append(renamed_text(text, names))
    return found


def _of_snapshot(
    snapshot: Snapshot,
    guards: Guards,
    profile: Profile | None,
    first: str = "",
    arcs: Mapping[str, Arcs] | None = None,
) -> Coverage:
    costs = _costs(snapshot, profile)
    named = _named(snapshot)
    files = sorted(named, key=lambda file: (file != first, -len(costs.get(file, ())), file))
    found = []
    for file in files:
        text = matching_text(file, {line: frame.code for line, frame in named[file].items()})
        lines = text.splitlines() if text is not None else []
        watched = None if arcs is None else arcs.get(file)
        execution = Inferred(named[file]) if watched is None else Watched(watched)
        here = costs.get(file, {})
        traced = {line for line, cost in here.items() if cost.total}
        tree = None if text is None else _tree(text)
        marks = {} if tree is None else mark_lines(tree, execution, traced, guards.get(file, {}))
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
        _known = instance("coverage", "profile", profile, _profile_class())
        shares = {cost.node.id: _known.share(cost.time) for cost in _known if cost.time is not None}
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
                for depth, (file, line) in enumerate(places[trace]):
                    cost = found[file][line]
                    cost.total += 1
                    cost.bytes += moved_bytes(node, sizes)
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
