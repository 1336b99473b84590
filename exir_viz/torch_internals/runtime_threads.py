"""The number of threads of the ExecuTorch runtime.

Why: a profile uses one thread unless the user asks for more. The bindings have no public way to set it.
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
    """Set the size of the runtime's thread pool in the block, and restore it afterwards."""
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
