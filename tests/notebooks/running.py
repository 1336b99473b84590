"""Run the cells of a notebook in this process: torch is imported once for all lessons, and no kernel starts.

It does what a kernel does for cells of plain Python: all cells share a namespace, the value of a last
expression is shown, and source lines can be read. Lessons use no IPython magic. An explorer is shown as text,
or as the picture that `picture` makes of it.
"""

from __future__ import annotations

import ast
import io
import linecache
import sys
import time
import traceback
import types
import warnings
from collections.abc import Callable, Sequence
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, Self

from IPython.core.formatters import DisplayFormatter
from ipywidgets import DOMWidget
from nbformat import NotebookNode
from nbformat.v4 import new_output

from exir_viz.errors import ExirVizError
from exir_viz.types import Story

Picture = Callable[[DOMWidget], str]
FOLDER = Path(__file__).resolve().parents[2] / "notebooks"
# An error's message is cut after so many lines: torch adds pages of hints.
ERROR_LINES = 6

# The namespace of every lesson, one after another: TorchDynamo keeps the `__main__` that it imported first.
MAIN = types.ModuleType("__main__")

# Those that Python itself does not show.
HIDDEN_WARNINGS = (DeprecationWarning, PendingDeprecationWarning, ImportWarning, ResourceWarning)


@dataclass
class Runner:
    """Runs cells in one namespace.

    Parameters
    ----------
    folder
        Where cells that write files write them, and where their source seems to be.
    picture
        Makes a PNG of an explorer, in base64. None: explorers are shown as text.

    Attributes
    ----------
    frames
        How many frames of others' code, mostly torch's, a kernel shows above the message of the last error.
    """

    folder: Path
    picture: Picture | None = None
    module: types.ModuleType = MAIN
    cpu_seconds: float = 0.0
    frames: int = 0
    _count: int = 0
    _shown: list[NotebookNode] = field(default_factory=list)
    _undo: ExitStack = field(default_factory=ExitStack)

    def __post_init__(self) -> None:
        self.module.__dict__.clear()
        self.module.__dict__.update(vars(types.ModuleType("__main__")))
        self.module.__dict__["display"] = self._show

    @property
    def names(self) -> dict[str, Any]:
        """What the cells have defined."""
        return self.module.__dict__

    def __enter__(self) -> Self:
        """While a lesson runs, `__main__` is its namespace, as in a kernel: torch looks names up in it."""
        before = sys.modules["__main__"]
        self._undo.callback(sys.modules.__setitem__, "__main__", before)
        sys.modules["__main__"] = self.module
        self._undo.enter_context(warnings.catch_warnings())
        warnings.resetwarnings()
        for category in HIDDEN_WARNINGS:
            warnings.simplefilter("ignore", category)
        return self

    def __exit__(self, *raised: object) -> None:
        self._undo.close()

    def run(self, source: str) -> list[NotebookNode]:
        """The outputs of a cell; an exception is an output of type `error`."""
        self._count += 1
        self._shown = []
        out, err = io.StringIO(), io.StringIO()
        errors: list[NotebookNode] = []
        began = time.process_time()
        with redirect_stdout(out), redirect_stderr(err):
            try:
                self._execute(source)
            except Exception as error:  # noqa: BLE001 - shown as a kernel shows it
                errors = [self._error(error)]
        self.cpu_seconds += time.process_time() - began
        streams = [
            new_output("stream", name=name, text=stream.getvalue().replace(f"{self.folder}/", ""))
            for name, stream in (("stdout", out), ("stderr", err))
            if stream.getvalue()
        ]
        return [*streams, *self._shown, *errors]

    def _execute(self, source: str) -> None:
        file = str(self.folder / f"cell-{self._count:02}.py")
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        tree = ast.parse(source, file)
        last = tree.body[-1] if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        if last is not None and not source.rstrip().endswith(";"):
            tree.body.pop()
        else:
            last = None
        exec(compile(tree, file, "exec"), self.names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), file, "eval"), self.names)
            if value is not None:
                self._show(value)

    def _show(self, *values: Any) -> None:
        for value in values:
            self._shown.append(new_output("display_data", data=self._data(value), metadata={}))

    def _data(self, value: Any) -> dict[str, str]:
        if isinstance(value, DOMWidget):
            text = "Story" if isinstance(value, Story) else f"Explorer({getattr(value, 'title', 'diff')!r})"
            if self.picture is None:
                return {"text/plain": text}
            return {"image/png": self.picture(value), "text/plain": text}
        data: dict[str, str] = DisplayFormatter().format(value)[0]
        return {kind: text for kind, text in data.items() if kind in ("text/plain", "text/html")}

    def _error(self, error: Exception) -> NotebookNode:
        lines = str(error).replace(f"{self.folder}/", "").strip().splitlines()
        value = "\n".join(lines[:ERROR_LINES]) + ("\n…" if len(lines) > ERROR_LINES else "")
        name = type(error).__name__
        self.frames = self._frames_of_others(error)
        return new_output("error", ename=name, evalue=value, traceback=[f"{name}: {value}"])

    def _frames_of_others(self, error: BaseException | None) -> int:
        if error is None or isinstance(error, ExirVizError):  # errors of ours leave these frames out
            return 0
        own = (str(self.folder), __file__)
        files = [frame.f_code.co_filename for frame, _ in traceback.walk_tb(error.__traceback__)]
        before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
        return sum(not file.startswith(own) for file in files) + self._frames_of_others(before)


def tags(cell: NotebookNode) -> Sequence[str]:
    return cell.metadata.get("tags", [])


def versions() -> dict[str, str]:
    """What the texts of outputs depend on."""
    return {name: metadata.version(name).partition("+")[0] for name in ("torch", "executorch")}


def notebooks() -> list[Path]:
    """The tour, and the lessons."""
    return sorted(FOLDER.glob("[0-9][0-9]-*.ipynb"))


def lessons() -> list[Path]:
    """The notebooks of the course, in its order; the tour is not one of them."""
    return [path for path in notebooks() if not path.stem.startswith("00")]
