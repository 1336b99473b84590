"""What can be profiled besides an ExportedProgram: ExecuTorch's managers and stages, told by their shape.

Neither class is imported for it: ExecuTorch takes seconds to import, and stages stand above measuring.
"""

from __future__ import annotations

from collections.abc import Iterable

from exir_viz.errors import MeasureError
from exir_viz.options import is_text


def is_manager(x: object) -> bool:
    """An EdgeProgramManager or an ExecutorchProgramManager."""
    return hasattr(x, "exported_program") and hasattr(x, "methods")


def is_stage(x: object) -> bool:
    """A stage of a session (see `exir_viz.stages`)."""
    return all(hasattr(type(x), name) for name in ("snapshot", "programs", "live"))


def chosen(methods: Iterable[str], method: str | None) -> str:
    """The method asked for, else `forward`, else the only one; raises MeasureError where none is that."""
    names = sorted(methods)
    if method is None:
        if "forward" in names:
            return "forward"
        if len(names) == 1:
            return names[0]
        raise MeasureError(
            f"The program has the methods {', '.join(names)}, and none is called 'forward': say which is to "
            f"be measured, as method={names[0]!r}."
        )
    if not is_text(method) or method not in names:
        raise MeasureError(f"The program has no method {method!r}: it has {', '.join(names)}.")
    return method
