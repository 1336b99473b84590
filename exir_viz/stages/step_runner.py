"""Run one step's work: one at a time per process, heard, watched, timed, and stoppable from any thread.

What enters is a function; what leaves is what it returned and what was said meanwhile. Where it is
interrupted (Ctrl-C or the kernel's stop button in the main thread, `stop()` for a step in a worker thread),
KeyboardInterrupt leaves and nothing was kept.
"""

from __future__ import annotations

import _thread
import ctypes
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Final, Generic, TypeVar

from exir_viz.snapshot.program import Notice
from exir_viz.stages.live import NotPossible
from exir_viz.stages.notices import NoticeLog
from exir_viz.stages.output_capture import captured_output
from exir_viz.stages.step_monitor import monitored
from exir_viz.torch_internals.dispatch_cache import restored
from exir_viz.torch_internals.features import collecting

T = TypeVar("T")
# Seconds after which an interrupt that did nothing is sent again: longer than torch takes to clean up.
_INSIST: Final = 1.0
_SOON: Final = 10_000


@dataclass(frozen=True, slots=True)
class StepProgress:
    """What a step is doing, the part that is done (None if unknown), and seconds since the step began.

    A step does several things, one after the other: a fraction begins anew with each text.
    """

    text: str
    fraction: float | None
    seconds: float


Listener = Callable[[StepProgress], None]


@dataclass(frozen=True, slots=True)
class StepOutcome(Generic[T]):
    """What a step returned, and its notices."""

    value: T
    notices: tuple[Notice, ...]


class ProgressReporter:
    """Hands reports on to a listener; a step calls it with words, and the watcher with what it sees."""

    def __init__(self, title: str, listener: Listener | None) -> None:
        self._title = title
        self._listener = listener
        self._began = time.perf_counter()

    def __call__(self, text: str, fraction: float | None = None) -> None:
        if self._listener is not None:
            self._listener(StepProgress(text or self._title, fraction, time.perf_counter() - self._began))


class Runner:
    """The one place where steps run. `runner` below is the process's."""

    def __init__(self) -> None:
        self._busy = threading.Lock()
        self._lock = threading.Lock()
        self._title = ""
        self._thread: int | None = None
        self._stopped = False
        self._round = 0

    @property
    def running(self) -> str:
        """The title of the step that runs; "" where none does."""
        return self._title

    def perform(
        self,
        title: str,
        work: Callable[[ProgressReporter], T],
        listener: Listener | None = None,
        *,
        streams: bool = True,
    ) -> StepOutcome[T]:
        """Do the work in this thread. Raises NotPossible where another step runs."""
        heard = NoticeLog()
        tell = ProgressReporter(title, listener)
        # Some notices are emitted while the step is set up.
        with self._alone(title), collecting(heard.note), captured_output(heard, streams=streams), restored():
            if listener is None:
                with self._stoppable():
                    value = work(tell)
            else:
                with monitored(tell), self._stoppable():
                    value = work(tell)
        return StepOutcome(value, heard.notices())

    def stop(self) -> bool:
        """Interrupt the step that runs, in whichever thread: False where none does.

        It stops when Python next runs in that thread: an operator that computes is waited for.
        """
        with self._lock:
            if self._thread is None:
                return False
            self._stopped = True
            _raise_in(self._thread, KeyboardInterrupt)
            again = threading.Thread(target=self._insist, args=(self._round,), daemon=True)
        again.start()
        return True

    def _insist(self, number: int, begun: _thread.LockType | None = None) -> None:
        """Interrupt again: Python loses an interrupt that comes in a `__del__` or a weakref's callback."""
        if begun is not None:
            begun.release()
        while True:
            time.sleep(_INSIST)
            with self._lock:
                if self._thread is None or self._round != number:
                    return
                _raise_in(self._thread, KeyboardInterrupt)

    @contextmanager
    def _alone(self, title: str) -> Iterator[None]:
        if not self._busy.acquire(blocking=False):
            raise NotPossible(
                f"Cannot run {title!r} now: {self._title!r} is running. Wait for it, or stop it."
            )
        try:
            self._title = title
            yield
        finally:
            self._thread, self._title = None, ""
            self._busy.release()

    @contextmanager
    def _stoppable(self) -> Iterator[None]:
        thread = threading.get_ident()
        with self._lock:
            self._thread, self._stopped, self._round = thread, False, self._round + 1
        try:
            with self._insistent():
                yield
        finally:
            self._unreachable(thread)
        if self._stopped:  # something in torch caught the interrupt, or it came too late
            raise KeyboardInterrupt

    @contextmanager
    def _insistent(self) -> Iterator[None]:
        """Have Ctrl-C stop the step as `stop()` does, also where Python loses the first.

        No handler but Python's own is replaced.
        """
        is_main = threading.current_thread() is threading.main_thread()
        if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            yield
            return

        def interrupted(_signal: int, _frame: FrameType | None) -> None:
            self._stopped = True
            # Whatever locks a thread's start takes, this thread may hold them already. Until it runs, Python
            # knows it by the number of the thread that started it, and what is raised here would come there.
            begun = _thread.allocate_lock()
            begun.acquire()
            _thread.start_new_thread(self._insist, (self._round, begun))
            begun.acquire()
            raise KeyboardInterrupt

        signal.signal(signal.SIGINT, interrupted)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _unreachable(self, thread: int) -> None:
        """From here on no interrupt of ours may come: what follows puts things back."""
        while self._thread is not None:
            try:
                with self._lock:
                    self._thread = None
                    if self._stopped:
                        _take_back(thread)
            except KeyboardInterrupt:  # it was on its way
                self._stopped = True


def _raise_in(thread: int, error: type[BaseException]) -> None:
    """Have a thread raise at its next bytecode, in place of what it was to raise."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


class _Nothing(BaseException):
    """Raised by a thread in itself, and caught at once."""


def _take_back(thread: int) -> None:
    """In the thread itself: let no interrupt come that has not come yet.

    Python's own way of taking one back leaves the interpreter looking out for it: every call is slower from
    then on, and under a profiler the first never ends. So a harmless error takes its place and is met here.
    """
    try:
        _raise_in(thread, _Nothing)
        for _ in range(_SOON):  # it comes when a loop turns
            pass
    except _Nothing:
        return


runner = Runner()
