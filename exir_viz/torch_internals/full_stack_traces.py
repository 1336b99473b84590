"""Stack traces of exported nodes with all functions, not only those called `forward`.

Why: torch.export leaves every other function out of the traces, so that the ops of a helper function all name
the line of `forward` that calls it. The tracer has a switch, but no option of torch.export sets it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from .features import Feature

FEATURE: Final = Feature(
    name="full_stack_traces",
    purpose="Find the line of a helper function that made an op, for coverage",
    without="Ops of functions that are not called forward count for the line of forward that calls them.",
    uses=("torch.fx.proxy.TracerBase._filter_traceback_frames(self, user_stack_summary)",),
    attributes=("torch.fx.proxy.TracerBase._record_forward_stack_traces_only",),
)


@contextmanager
def full_stack_traces() -> Iterator[None]:
    """While the block runs, what this thread exports has whole stack traces."""
    if not FEATURE.is_usable():
        yield
        return
    from torch.fx.proxy import TracerBase

    original, thread = TracerBase._filter_traceback_frames, threading.get_ident()

    def whole(self: Any, user_stack_summary: Any) -> Any:
        is_short = getattr(self, "_record_forward_stack_traces_only", False)
        if threading.get_ident() != thread or not is_short:
            return original(self, user_stack_summary)
        self._record_forward_stack_traces_only = False
        try:
            return original(self, user_stack_summary)
        finally:
            self._record_forward_stack_traces_only = is_short

    TracerBase._filter_traceback_frames = whole  # type: ignore[method-assign]
    try:
        yield
    finally:
        TracerBase._filter_traceback_frames = original  # type: ignore[method-assign]
