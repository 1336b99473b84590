"""Report what a long step is doing, from its call stack: ExecuTorch itself reports no progress.

A thread samples the call stack of the step's thread a few times a second. It reports the pass that it finds
there, and how far an interpreter is in its graph. It changes nothing and does not slow the step down.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from exir_viz.snapshot.gc_pause import paused
from exir_viz.torch_internals import call_stack

_EVERY: Final = 0.25

Seen = Callable[[str, float | None], None]


@contextmanager
def monitored(seen: Seen) -> Iterator[None]:
    """Call `seen` with what the calling thread is doing, whenever that changes."""
    if not call_stack.FEATURE.is_usable():
        yield
        return
    done = threading.Event()
    thread = threading.get_ident()
    watcher = threading.Thread(
        target=_watch, args=(thread, done, seen), name="exir_viz progress", daemon=True
    )
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def _watch(thread: int, done: threading.Event, seen: Seen) -> None:
    last: tuple[str, float | None] = ("", None)
    while not done.wait(_EVERY):
        # Python 3.11 collects garbage while it makes the objects of frames. If a finalizer then lets the
        # other thread run, the frame may be gone, and the process crashes when it is read.
        with paused():
            now = call_stack.work_of(thread)
        if now[0] and now != last:
            last = now
            seen(*now)
