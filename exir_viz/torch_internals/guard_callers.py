"""The user's line that called the function of torch that required something of a size, such as `linear`.

Why: torch notes the place of each guard, but for functions of its own that is a line of torch. Only while it
exports is the caller on the stack.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from traceback import FrameSummary
from types import FrameType
from typing import Any, Final

from .features import Feature

FEATURE: Final = Feature(
    name="guard_callers",
    purpose="Show which line of the user's code called the function of torch that fixed a size",
    without="Sizes that functions of torch fix are shown without the line that called them.",
    uses=(
        "torch.fx.experimental.symbolic_shapes.ShapeEnv._get_stack_summary(self, is_debug, framework_loc)",
        "torch.fx.experimental.symbolic_shapes.uninteresting_files()",
    ),
)

_lock: Final = threading.Lock()
_threads: Final[Counter[int]] = Counter()


@contextmanager
def callers_of_guards(is_users: Callable[[str], bool], outermost: str) -> Iterator[None]:
    """While the block runs, guards of this thread's exports name the innermost file that is the user's.

    outermost: the file that calls torch.export. What called that file is no part of the module.
    """
    if not FEATURE.is_usable():
        yield
        return
    thread = threading.get_ident()
    with _lock:
        if not _threads:
            _replace(is_users, outermost)
        _threads[thread] += 1
    try:
        yield
    finally:
        with _lock:
            _threads[thread] -= 1
            if _threads[thread] == 0:
                del _threads[thread]
            if not _threads:
                _restore()


_original: list[Any] = []


def _replace(is_users: Callable[[str], bool], outermost: str) -> None:
    from torch.fx.experimental.symbolic_shapes import ShapeEnv, uninteresting_files

    original = ShapeEnv._get_stack_summary
    _original.append(original)

    def summary(self: Any, is_debug: bool = False, framework_loc: Any = None) -> Any:
        if framework_loc is None:
            is_ours = threading.get_ident() in _threads
            framework_loc = _place(is_users if is_ours else None, outermost, uninteresting_files())
        return original(self, is_debug, framework_loc)

    ShapeEnv._get_stack_summary = summary  # type: ignore[method-assign]


def _restore() -> None:
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    ShapeEnv._get_stack_summary = _original.pop()  # type: ignore[method-assign]


def _place(
    is_users: Callable[[str], bool] | None, outermost: str, skipped: Container[str]
) -> FrameSummary | None:
    """The innermost of the user's frames on the stack, else the one that torch notes itself."""
    frame: FrameType | None = sys._getframe(2)
    found: FrameType | None = None
    while frame is not None:
        file = frame.f_code.co_filename
        if found is None and file not in skipped:
            found = frame
        if is_users is None:
            if found is not None:
                break
        elif file == outermost:
            break
        elif is_users(file):
            found = frame
            break
        frame = frame.f_back
    if found is None:
        return None
    return FrameSummary(found.f_code.co_filename, found.f_lineno, found.f_code.co_name)
