"""Run a step: one at a time per process, with captured output, progress, timing, and an interrupt from any
thread.

What enters is a function; what leaves is its result and the notices. If it is interrupted (Ctrl-C or the
kernel's stop button in the main thread, `stop()` for a step in a worker thread), KeyboardInterrupt is raised
and nothing is kept.
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
from exir_viz.torch_internals.decompositions import restored
from exir_viz.torch_internals.features import collecting

T = TypeVar("T")
# Seconds until an interrupt without effect is sent again: longer than torch's cleanup takes.
_INSIST: Final = 1.0
_SOON: Final = 10_000


@dataclass(frozen=True, slots=True)
class StepProgress:
    """What a step is doing, the fraction that is done (None if unknown), and seconds since the step began.

    A step has several phases; the fraction starts again in each.
    """

    text: str
    fraction: float | None
    seconds: float


Listener = Callable[[StepProgress], None]


@dataclass(frozen=True, slots=True)
class StepOutcome(Generic[T]):
    """The result of a step, and its notices."""

    value: T
    notices: tuple[Notice, ...]


class ProgressReporter:
    """Passes reports to a listener. The step reports texts; the monitor reports what it observes."""

    def __init__(self, title: str, listener: Listener | None) -> None:
        self._title = title
        self._listener = listener
        self._began = time.perf_counter()

    def __call__(self, text: str, fraction: float | None = None) -> None:
        if self._listener is not None:
            self._listener(StepProgress(text or self._title, fraction, time.perf_counter() - self._began))


class Runner:
    """The only place where steps run. `runner` below is the process's instance."""

    def __init__(self) -> None:
        self._busy = threading.Lock()
        self._lock = threading.Lock()
        self._title = ""
        self._thread: int | None = None
        self._stopped = False
        self._round = 0

    @property
    def running(self) -> str:
        """The title of the running step; "" if none is running."""
        return self._title

    def perform(
        self,
        title: str,
        work: Callable[[ProgressReporter], T],
        listener: Listener | None = None,
        *,
        streams: bool = True,
    ) -> StepOutcome[T]:
        """Run the work in this thread. Raises NotPossible if another step is running."""
        notices = NoticeLog()
        report = ProgressReporter(title, listener)
        # Some notices are emitted while the step is set up.
        with (
            self._alone(title),
            collecting(notices.note),
            captured_output(notices, streams=streams),
            restored(),
        ):
            if listener is None:
                with self._stoppable():
                    value = work(report)
            else:
                with monitored(report), self._stoppable():
                    value = work(report)
        return StepOutcome(value, notices.notices())

    def stop(self) -> bool:
        """Interrupt the running step, in whichever thread it runs; False if none is running.

        It stops when Python next executes a bytecode in that thread, so an operator that computes finishes
        first.
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
        """Interrupt again: Python loses an interrupt that arrives in a `__del__` or a weakref callback."""
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
        if self._stopped:  # torch caught the interrupt, or it came too late
            raise KeyboardInterrupt

    @contextmanager
    def _insistent(self) -> Iterator[None]:
        """Make Ctrl-C stop the step as `stop()` does, even if Python loses the first interrupt.

        Only Python's default handler is replaced.
        """
        is_main = threading.current_thread() is threading.main_thread()
        if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            yield
            return

        def interrupted(_signal: int, _frame: FrameType | None) -> None:
            self._stopped = True
            # This thread may already hold locks that starting a thread takes. Until the new thread runs,
            # Python identifies it by the number of the thread that started it, and an error raised for it
            # would arrive here.
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
        """Block further interrupts: the code that follows restores torch's state."""
        while self._thread is not None:
            try:
                with self._lock:
                    self._thread = None
                    if self._stopped:
                        _take_back(thread)
            except KeyboardInterrupt:  # it was already on its way
                self._stopped = True


def _raise_in(thread: int, error: type[BaseException]) -> None:
    """Make a thread raise an error at its next bytecode, replacing a pending one."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error))


class _Nothing(BaseException):
    """Raised by a thread in itself, and caught at once."""


def _take_back(thread: int) -> None:
    """Cancel a pending interrupt, called in the interrupted thread.

    Python's own way of cancelling leaves the interpreter checking for it: every call is slower from then on,
    and under a profiler the first never ends. So a harmless error replaces the interrupt and is caught here.
    """
    try:
        _raise_in(thread, _Nothing)
        for _ in range(_SOON):  # it arrives at the end of a loop iteration
            pass
    except _Nothing:
        return


runner = Runner()
