"""Recognize ExecuTorch's managers and stages, which can be profiled too, by their attributes.

Their classes are not imported: ExecuTorch takes seconds to import, and `measure` must not import stages.
"""

from __future__ import annotations

from collections.abc import Iterable

from exir_viz.options import is_text, wrong_argument


def is_manager(x: object) -> bool:
    """Whether it is an EdgeProgramManager or an ExecutorchProgramManager."""
    return hasattr(x, "exported_program") and hasattr(x, "methods")


def is_stage(x: object) -> bool:
    """Whether it is a stage of a session (see `exir_viz.stages`)."""
    return all(hasattr(type(x), name) for name in ("snapshot", "programs", "live"))


def chosen(methods: Iterable[str], method: str | None) -> str:
    """The requested method, else `forward`, else the only one; raises MeasureError if there is none."""
    names = sorted(methods)
    if method is None:
        if "forward" in names:
            return "forward"
        if len(names) == 1:
            return names[0]
        raise wrong_argument(
            f"The program has the methods {', '.join(names)}, and none is called 'forward'. Choose one, "
            f"such as method={names[0]!r}."
        )
    if not is_text(method) or method not in names:
        raise wrong_argument(f"The program has no method {method!r}: it has {', '.join(names)}.")
    return method
