"""The blockers that come after the first: export goes on with the values of the example inputs.

Non-strict export takes each branch on data as the real values decide, and uses the real result of what it
cannot trace. For strict export, TorchDynamo lists the lines at which it stops. Every blocker is reported by
torch itself. Only code that runs with the example inputs is examined.
"""

from __future__ import annotations

import ast
import copy
import linecache
import traceback
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from traceback import FrameSummary
from typing import TYPE_CHECKING, Any, Final

from exir_viz.errors import ExportFailed
from exir_viz.readers.exporting import export, failure, innermost_user_frame, user_frames
from exir_viz.readers.source_lines import matching_text
from exir_viz.stages.output_capture import discarded_output
from exir_viz.torch_internals.export import GRAPH_BREAKS, REAL_VALUES, graph_breaks, real_results, real_values

from .blockers import blocker
from .records import Blocker, BlockerKind

if TYPE_CHECKING:
    import torch

# Frames of torch and Python below the user's that are kept with a report.
_DEPTH: Final = 400


class LaterBlockers:
    """What an export with real values found.

    Parameters
    ----------
    mode
        The name of this way of exporting.
    module, args
        The module, and its example inputs.
    other_call
        The call of the other way of exporting, if it works.
    """

    def __init__(self, mode: str, module: torch.nn.Module, args: tuple[Any, ...], *, other_call: str) -> None:
        self.found: list[Blocker] = []
        # Whether the whole module was examined, and what stopped it if not.
        self.is_complete = False
        self.stopped: ExportFailed | None = None
        self._mode, self._module, self._args, self._other_call = mode, module, args, other_call
        self._paths = {id(one): path for path, one in module.named_modules()}
        self._running: list[str] = []

    def export(self, kwargs: Mapping[str, Any], shapes: Any) -> None:
        """Export with real values, and note the blockers."""
        import torch

        if not REAL_VALUES.is_usable():
            return
        try:
            with (
                torch.random.fork_rng(devices=()),
                discarded_output(),
                real_values(self._report),
                self._followed(),
            ):
                export(self._module, self._args, kwargs=kwargs, dynamic_shapes=shapes)
        except ExportFailed as error:
            if self.is_complete:  # what torch checks when it has traced the module
                last = self._blocker(error)
                self.found += [last] if last.kind is BlockerKind.DYNAMIC_SHAPES else []
            else:
                self.stopped = error

    @contextmanager
    def _followed(self) -> Iterator[None]:
        """Follow which module runs; functions of torch that fail use real values within the root."""
        from torch.nn.modules import module as hooks

        with ExitStack() as stack:

            def before(module: torch.nn.Module, _args: object) -> None:
                path = self._paths.get(id(module))
                if path is None:
                    return
                if not self._running:
                    stack.enter_context(real_results(self._report, self._is_caught))
                self._running.append(path)

            def after(module: torch.nn.Module, _args: object, _result: object) -> None:
                if id(module) not in self._paths or not self._running:
                    return
                self._running.pop()
                if not self._running:
                    self.is_complete = True
                    stack.close()

            removable = [
                hooks.register_module_forward_pre_hook(before),
                hooks.register_module_forward_hook(after),
            ]
            try:
                yield
            finally:
                for one in removable:
                    one.remove()

    def _report(self, reason: str) -> None:
        frame = innermost_user_frame(_inner_frames())
        if frame is None:
            return
        self.found.append(self._blocker(_failed(self._module, reason, frame)))

    def _blocker(self, error: ExportFailed) -> Blocker:
        path = self._running[-1] if self._running else ""
        return blocker(error, self._mode, path, other_call=self._other_call)

    def _is_caught(self) -> bool:
        return any(is_in_try(frame.filename, frame.lineno or 0) for frame in user_frames(_inner_frames()))


def _failed(module: torch.nn.Module, reason: str, frame: FrameSummary) -> ExportFailed:
    """The error of an export that would stop at a frame."""
    return ExportFailed(
        type(module).__name__,
        reason,
        file=frame.filename,
        line=frame.lineno or 0,
        code=(frame.line or "").strip(),
    )


def _inner_frames() -> list[FrameSummary]:
    """The stack below the call of the export."""
    frames = traceback.extract_stack(limit=_DEPTH)
    own = [at for at, one in enumerate(frames) if one.filename == __file__ and one.name == "export"]
    return frames[own[-1] + 1 :] if own else frames


def is_in_try(file: str, line: int) -> bool:
    """Whether a line of a file is in a `try` that catches errors."""
    text = matching_text(file, {line: linecache.getline(file, line)})
    return any(line in lines for lines in _lines_in_try(text or ""))


@lru_cache(maxsize=64)
def _lines_in_try(text: str) -> tuple[range, ...]:
    """The lines in each `try` of a file that catches errors."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    return tuple(
        range(node.body[0].lineno, (node.body[-1].end_lineno or 0) + 1)
        for node in ast.walk(tree)
        if isinstance(node, ast.Try | ast.TryStar) and node.handlers
    )


def strict_blockers(
    mode: str,
    module: torch.nn.Module,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    notes: list[str],
    *,
    other_call: str,
) -> Iterator[Blocker]:
    """What TorchDynamo cannot trace in a copy of a module, which runs."""
    if not GRAPH_BREAKS.is_usable():
        return
    copied = copy.deepcopy(module)
    try:
        with discarded_output():
            breaks = list(graph_breaks(copied, copy.deepcopy(args), copy.deepcopy(dict(kwargs))))
    except Exception as failed:  # noqa: BLE001  the user's code runs: whatever it raises is reported
        notes.append(f"Of strict export only the first problem is known: {failure(module, failed).reason}")
        return
    for reason, stack in breaks:
        frame = innermost_user_frame(stack)
        if frame is not None:
            yield blocker(_failed(module, reason, frame), mode, "", other_call=other_call)
