"""The shortcuts that tests and the builder of the corpus take in torch: each gives what torch gives, sooner.

Those that exir_viz takes during a step are taken here in between too. The one for guards has no test.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from exir_viz.stages.step_runner import quick_torch

from .guard_timing import measure_no_guards

_taken = ExitStack()


@functools.cache  # a second time would wrap what the first replaced
def take_shortcuts() -> None:
    """In this process, from now on."""
    measure_no_guards()
    _taken.enter_context(quick_torch())


@contextmanager
def without_shortcuts() -> Iterator[None]:
    """While the block runs, torch is as exir_viz finds it."""
    were_taken = take_shortcuts.cache_info().currsize > 0
    _taken.close()
    try:
        yield
    finally:
        if were_taken:
            _taken.enter_context(quick_torch())
