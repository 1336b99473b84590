"""How long a run's thread was on a CPU, and whether it was preempted or yielded, from the operating system.

This separates the time of other programs from a run's own time. It is known for one thread only, and not on
every system.
"""

from __future__ import annotations

import time
from typing import NamedTuple

try:
    import resource
except ImportError:  # Windows
    _IS_KNOWN = False
else:
    _IS_KNOWN = hasattr(resource, "RUSAGE_THREAD")


class ProcessorTime(NamedTuple):
    """For one run: nanoseconds on a CPU, how often the thread was preempted, how often it yielded.

    A thread yields the CPU to wait: for time to pass, for a file, a lock, or another thread.
    """

    cpu: int
    lost: int
    left: int

    def away(self, whole: int) -> int:
        """How long another program had the CPU, as far as that is certain.

        In a run that also waited, the two cannot be separated.
        """
        return max(whole - self.cpu, 0) if self.lost and not self.left else 0

    def own(self, whole: int) -> int:
        """The run's own time, including waiting: a lower bound."""
        return whole if self.left and not self.lost else min(whole, self.cpu)


class ProcessorTimer:
    """Measures the account of one run after the other; nothing if other threads work too."""

    def __init__(self, threads: int) -> None:
        self._is_known = threads == 1 and _IS_KNOWN
        self._before = ProcessorTime(0, 0, 0)

    def start(self) -> None:
        """Start a run."""
        if self._is_known:
            self._before = _reading()

    def stop(self) -> ProcessorTime | None:
        """The account since `start`; None if unknown."""
        if not self._is_known:
            return None
        cpu, lost, left = (now - then for now, then in zip(_reading(), self._before, strict=True))
        return ProcessorTime(cpu, lost, left)


def _reading() -> ProcessorTime:
    used = resource.getrusage(resource.RUSAGE_THREAD)
    return ProcessorTime(time.thread_time_ns(), used.ru_nivcsw, used.ru_nvcsw)
