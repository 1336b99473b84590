"""The garbage collector, paused while a program is read or compared.

Both make hundreds of thousands of small objects and free almost none: the collector would look at all of them
again and again, for a sixth of the time of reading a program of 100,000 nodes, a third of comparing two.
"""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


def paused(work: Callable[P, T]) -> Callable[P, T]:
    """The function with the collector paused while it runs, and left as it was.

    A context manager would leave it paused if it is interrupted when it begins to exit.
    """

    @functools.wraps(work)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        if not gc.isenabled():
            return work(*args, **kwargs)
        try:
            gc.disable()
            return work(*args, **kwargs)
        finally:
            gc.enable()

    return run
