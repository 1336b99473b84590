"""Record which lines of the user's files run, and which values their functions have, while a block runs."""

from __future__ import annotations

import sys
import sysconfig
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Any, NamedTuple

from exir_viz.readers.library_files import is_library
from exir_viz.readers.traces import parse
from exir_viz.snapshot.frames import is_graph_code, is_users
from exir_viz.snapshot.records import Frame

from .recorded import OUTSIDE, Arcs

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
