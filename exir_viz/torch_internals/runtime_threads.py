"""How many threads the ExecuTorch runtime computes with.

Why: a profile is of one thread unless the user asks for more. The bindings have no public way to set it.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Final

from .features import Feature

_BINDINGS: Final = "executorch.extension.pybindings.portable_lib"

FEATURE: Final = Feature(
    name="runtime_threads",
    purpose="Profile in the ExecuTorch runtime with a number of threads",
    without=("threads= has no effect on the ExecuTorch runtime, which chooses the number of threads itself."),
    uses=(f"{_BINDINGS}._threadpool_get_thread_count", f"{_BINDINGS}._unsafe_reset_threadpool"),
)


@contextlib.contextmanager
def threads(count: int) -> Iterator[None]:
    """Give the runtime's thread pool so many threads; as many as before afterwards."""
    if not FEATURE.is_usable():
        yield
        return
    from executorch.extension.pybindings import portable_lib

    before = portable_lib._threadpool_get_thread_count()
    portable_lib._unsafe_reset_threadpool(count)
    try:
        yield
    finally:
        portable_lib._unsafe_reset_threadpool(before)
