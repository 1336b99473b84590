"""Export a module with its lines watched: which of the user's lines run, and which values its functions have.

What was seen is kept in the Snapshot: `runs` and `python_values` of its detail, and the stack traces of all
functions. `exir_viz.load(model, x, watch=True)` comes here.
"""

from __future__ import annotations

import sys
import sysconfig
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.build import Interner
from exir_viz.snapshot.frames import assigned_variable, is_graph_code, is_users
from exir_viz.snapshot.program import FileRuns
from exir_viz.snapshot.records import Frame, SourceText

from .library_files import is_library
from .source_lines import matching_text, read_sources
from .traces import parse

if TYPE_CHECKING:
    import torch
    from torch.export import ExportedProgram

    from .exporting import DimNames

# How often a line was reached from another; -1 is the line from which a call begins, and to which it ends.
Arcs = Counter[tuple[int, int]]
# The line from which the first line of a call is reached, and to which its last one leads.
OUTSIDE: Final = -1


def arcs_of(snapshot: Snapshot) -> dict[str, Arcs]:
    """The lines that were watched, by file; empty where none were."""
    return {
        one.file: Arcs(dict(zip(zip(one.sources, one.lines, strict=False), one.counts, strict=False)))
        for one in snapshot.detail.runs
    }


def last_generated(frames: Sequence[Frame]) -> int | None:
    """The last frame of generated code that the user's code called; None if there is none."""
    first = next((at for at, one in enumerate(frames) if is_users(one.file)), len(frames))
    found = [at for at in range(first, len(frames)) if is_graph_code(frames[at].file)]
    return found[-1] if found else None


def unwatched_lines(snapshot: Snapshot) -> dict[str, set[int]] | None:
    """The lines of functions that TorchDynamo read instead of running, and that ops name, by file.

    Such functions are the bodies of torch.cond, while_loop and scan, and what they call. None: it read none.
    """
    every = snapshot.detail.frames
    found: dict[str, set[int]] | None = None
    for trace in snapshot.detail.traces:
        frames = [every[one] for one in trace]
        at = last_generated(frames)
        if at is None:
            continue
        found = defaultdict(set) if found is None else found
        for frame in frames[at + 1 :]:
            if is_users(frame.file) and frame.function.isidentifier():  # a lambda's line is its function's
                found[frame.file].add(frame.line)
    return found


# Of a variable that has more values, only so many are kept.
_MOST_VALUES = 8
# Python's own files, and packages, of which a model may be one.
_STANDARD = sysconfig.get_path("stdlib")
_PACKAGES = (sysconfig.get_path("purelib"), sysconfig.get_path("platlib"))
# A file and a line in it.
Place = tuple[str, int]


class Variable(NamedTuple):
    """A variable of a function: the function's first line and name, and its own name."""

    file: str
    first: int
    function: str
    name: str


class LineWatch:
    """What ran, and with which values.

    arcs: by file, how often each line was reached from each other line. lines: by path of a module, the lines
    that its methods ran. values: by variable, its values at the end of calls, each once. generated: by file
    of generated code, the user's lines that each of its variables comes from.

    TorchDynamo reads the functions given to torch.cond and the like instead of running them. What runs then
    is the code that it generates from them.
    """

    def __init__(self, modules: Mapping[int, str]) -> None:
        """modules: by the id of a module, its path."""
        self.arcs: dict[str, Arcs] = {}
        self.lines: dict[str, set[Place]] = defaultdict(set)
        self.values: dict[Variable, dict[tuple[type, str], object]] = {}
        self.generated: dict[str, dict[str, tuple[Frame, ...]]] = {}
        self._modules = modules
        self._is_watched: dict[str, bool] = {}

    def keep(self, files: Collection[str]) -> None:
        """Forget all files but these: of Python, and of packages that have no line of the model."""
        self.arcs = {file: arcs for file, arcs in self.arcs.items() if file in files}
        self.values = {one: values for one, values in self.values.items() if one.file in files}

    def call(self, frame: FrameType, _event: str, _arg: object) -> Callable[..., Any] | None:
        """What `sys.settrace` takes: it watches the calls of functions in the user's files."""
        code = frame.f_code
        file = code.co_filename
        watched = self._is_watched.get(file)
        if watched is None and is_graph_code(file):
            self._note_generated(file, frame)
            return None
        if watched is None:
            watched = self._is_watched[file] = _may_be_model(file)
        if not watched:
            return None
        arcs = self.arcs.setdefault(file, Counter())
        path = self._modules.get(id(frame.f_locals.get(code.co_varnames[0]))) if code.co_argcount else None
        own = None if path is None else self.lines[path]
        before = OUTSIDE

        def line(frame: FrameType, event: str, _arg: object) -> Callable[..., Any]:
            nonlocal before
            if event == "line":
                arcs[before, frame.f_lineno] += 1
                before = frame.f_lineno
                if own is not None:
                    own.add((file, before))
            elif event == "return":
                arcs[before, OUTSIDE] += 1
                self._note(frame)
            return line

        return line

    def _note_generated(self, file: str, frame: FrameType) -> None:
        """Keep the user's lines from which torch generated the code of a graph."""
        graph = getattr(frame.f_locals.get("self"), "graph", None)
        if file in self.generated or graph is None:
            return
        traces = {node.name: parse(node.stack_trace) for node in graph.nodes if node.stack_trace}
        self.generated[file] = {
            name: tuple(one for one in frames if is_users(one.file)) for name, frames in traces.items()
        }

    def _note(self, frame: FrameType) -> None:
        """Keep the values of a function's variables. Equal tensors cannot be asked for: only plain values."""
        code = frame.f_code
        if code.co_name.startswith("<"):  # a comprehension, a lambda, or the file itself
            return
        for name, value in frame.f_locals.items():
            if not is_plain(value):
                continue
            variable = Variable(code.co_filename, code.co_firstlineno, code.co_qualname, name)
            known = self.values.setdefault(variable, {})
            if len(known) < _MOST_VALUES:
                known.setdefault((type(value), str(value)), value)


def _may_be_model(file: str) -> bool:
    """Whether a file may have lines of the model: not torch's, Python's, or our own."""
    is_standard = file.startswith(_STANDARD) and not file.startswith(_PACKAGES)
    return file.endswith(".py") and is_users(file) and not is_standard and not is_library(file)


_PLAIN = (bool, int, float, complex, str, type(None))
_MOST_ITEMS = 8


def is_symbol(value: object) -> bool:
    """Whether a value is a number that torch keeps symbolic."""
    kind = type(value)
    return kind.__module__ == "torch" and kind.__name__ in ("SymInt", "SymFloat", "SymBool")


def is_plain(value: object) -> bool:
    """Whether a value is a number, text, None, a symbolic number, or a short list of these."""
    if isinstance(value, tuple | list):
        return len(value) <= _MOST_ITEMS and all(type(one) in _PLAIN or is_symbol(one) for one in value)
    return type(value) in _PLAIN or is_symbol(value)


@contextmanager
def watched_lines(modules: Mapping[int, str] | None = None) -> Iterator[LineWatch]:
    """Watch the lines that this thread runs. A debugger's own tracing pauses meanwhile."""
    watch, before = LineWatch(modules or {}), sys.gettrace()
    sys.settrace(watch.call)
    try:
        yield watch
    finally:
        sys.settrace(before)


def export_watched(
    module: torch.nn.Module, args: tuple[Any, ...], options: Mapping[str, Any]
) -> tuple[ExportedProgram, DimNames, LineWatch]:
    """The program of a module, the user's names of its dimensions, and what was seen."""
    from exir_viz.torch_internals.export import full_stack_traces
    from exir_viz.torch_internals.process_state import Interruption, undisturbed

    from .exporting import export

    paths = {id(one): path for path, one in module.named_modules()}

    def watched(_interruption: Interruption) -> tuple[ExportedProgram, DimNames, LineWatch]:
        with full_stack_traces(), watched_lines(paths) as watch:
            return *export(module, args, **options), watch

    return undisturbed(watched)


def with_watched(snapshot: Snapshot, module: torch.nn.Module, watch: LineWatch) -> Snapshot:
    """The Snapshot of the program, with what was seen."""
    from .seen_values import seen_values

    snapshot = _with_users_traces(snapshot, watch)
    watch.keep({frame.file for frame in snapshot.detail.frames if is_users(frame.file)})
    detail = msgspec.structs.replace(
        snapshot.detail,
        runs=_runs(watch),
        python_values=seen_values(module, watch, snapshot),
        sources=tuple(_with_whole_files(snapshot, watch)),
    )
    return snapshot.reworded(snapshot.skeleton, detail)


def _with_whole_files(snapshot: Snapshot, watch: LineWatch) -> Iterator[SourceText]:
    """The kept lines of sources; of files that were watched all lines, so that a file can show them later."""
    quoted: dict[str, dict[int, str]] = defaultdict(dict)
    for frame in snapshot.detail.frames:
        quoted[frame.file][frame.line] = frame.code
    for one in snapshot.detail.sources:
        if one.file not in watch.arcs:
            yield one
        elif (text := matching_text(one.file, quoted[one.file])) is not None:
            lines = tuple(text.splitlines())
            yield SourceText(one.file, tuple(range(1, len(lines) + 1)), lines)


def _with_users_traces(snapshot: Snapshot, watch: LineWatch) -> Snapshot:
    """The stack traces without functions of torch, which torch.export leaves out too.

    Generated code is followed by the user's lines that it comes from.
    """
    frames = Interner[Frame]({frame: number for number, frame in enumerate(snapshot.detail.frames)})
    traces = []
    for trace in snapshot.detail.traces:
        named = [snapshot.detail.frames[one] for one in trace]
        kept = [one for one in named if is_users(one.file) or one.function == "forward"] or named
        traces.append(tuple(frames[one] for one in (*kept, *_generated_from(kept, watch))))
    detail = msgspec.structs.replace(
        snapshot.detail, frames=tuple(frames), traces=tuple(traces), sources=tuple(read_sources(frames))
    )
    return snapshot.reworded(snapshot.skeleton, detail)


def _generated_from(frames: list[Frame], watch: LineWatch) -> tuple[Frame, ...]:
    """The user's lines from which the innermost line of a trace was generated: "sin = x.sin();"."""
    at = last_generated(frames)
    if at is None or at + 1 < len(frames):
        return ()
    variable = assigned_variable(frames[at].code)
    return watch.generated.get(frames[at].file, {}).get(variable, ())


def _runs(watch: LineWatch) -> tuple[FileRuns, ...]:
    return tuple(
        FileRuns(file, tuple(one for one, _ in arcs), tuple(one for _, one in arcs), tuple(arcs.values()))
        for file, arcs in watch.arcs.items()
    )
