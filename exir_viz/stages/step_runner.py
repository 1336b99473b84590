"""Run a step: one at a time per process, with captured output, progress, timing, and an interrupt from any
thread.

What enters is a function; what leaves is its result and the notices. If it is interrupted (Ctrl-C or the
kernel's stop button in the main thread, `stop()` for a step in any thread), KeyboardInterrupt is raised and
nothing is kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from exir_viz.snapshot.program import Notice
from exir_viz.stages.live import NotPossible
from exir_viz.stages.notices import NoticeLog
from exir_viz.stages.output_capture import captured_output
from exir_viz.torch_internals.features import collecting
from exir_viz.torch_internals.process_state import PROCESS_STATE, Interruption, undisturbed

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StepProgress:
    """The phase of a step ("decomposing forward"), and seconds since the step began."""

    text: str
    seconds: float


Listener = Callable[[StepProgress], None]


@dataclass(frozen=True, slots=True)
class StepOutcome(Generic[T]):
    """The result of a step, and its notices."""

    value: T
    notices: tuple[Notice, ...]


class Runner:
    """The only place where steps run. `runner` below is the process's instance."""

    def __init__(self) -> None:
        self._title = ""
        self._interruption: Interruption | None = None

    @property
    def running(self) -> str:
        """The title of the running step; "" if none is running."""
        return self._title if self._interruption is not None and self._interruption.is_open else ""

    def perform(
        self,
        title: str,
        work: Callable[[Callable[[str], None]], T],
        listener: Listener | None = None,
        *,
        streams: bool = True,
    ) -> StepOutcome[T]:
        """Run the work in this thread; it gets a function that reports its phases.

        Raises NotPossible if another step is running. Waits for an export that another thread is doing.
        """
        notices = NoticeLog()
        began = time.perf_counter()

        def performed(interruption: Interruption) -> T:
            def report(text: str) -> None:
                interruption.check()
                if listener is not None:
                    listener(StepProgress(text or title, time.perf_counter() - began))

            self._refuse_second_step(title)
            try:
                self._title, self._interruption = title, interruption
                # Some notices are emitted while the step is set up.
                with collecting(notices.note), captured_output(notices, streams=streams):
                    PROCESS_STATE.is_usable()
                    return work(report)
            finally:
                self._title, self._interruption = "", None

        self._refuse_second_step(title)
        return StepOutcome(undisturbed(performed), notices.notices())

    def stop(self) -> bool:
        """Ask the running step to stop, in whichever thread it runs; False if none is running.

        It stops when it begins its next phase, or when Python executes a bytecode in its thread, whichever is
        first: an operator that computes finishes before.
        """
        interruption = self._interruption
        if interruption is None:
            return False
        interruption.interrupt()
        return True

    def _refuse_second_step(self, title: str) -> None:
        if self.running:
            raise NotPossible(
                f"Cannot run {title!r} now: {self.running!r} is running. Wait for it, or stop it."
            )


runner = Runner()
