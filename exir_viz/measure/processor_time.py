"""What the system says of a run: how long its thread had a processor, and whether it lost or left it.

It tells what another program took of a run from what the program itself took. It is known of one thread
only, and not on every system.
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


class Account(NamedTuple):
    """Of one run: nanoseconds on a processor, how often it was taken from the thread, how often given up.

    A thread gives the processor up to wait: for time to pass, for a file, a lock, or another thread.
    """

    cpu: int
    lost: int
    left: int

    def away(self, whole: int) -> int:
        """How long another program had the processor, as far as that is evident.

        In a run that waited as well, nothing says which of the time was which.
        """
        return max(whole - self.cpu, 0) if self.lost and not self.left else 0

    def own(self, whole: int) -> int:
        """What of a run was evidently the program's own, its waiting included: at least so much."""
        return whole if self.left and not self.lost else min(whole, self.cpu)


class Meter:
    """Takes the account of one run after the other; none where work is done in other threads too."""

    def __init__(self, threads: int) -> None:
        self._is_known = threads == 1 and _IS_KNOWN
        self._before = Account(0, 0, 0)

    def start(self) -> None:
        """Begin a run."""
        if self._is_known:
            self._before = _reading()

    def stop(self) -> Account | None:
        """The account since `start`; None where it is not known."""
        if not self._is_known:
            return None
        cpu, lost, left = (now - then for now, then in zip(_reading(), self._before, strict=True))
        return Account(cpu, lost, left)


def _reading() -> Account:
    used = resource.getrusage(resource.RUSAGE_THREAD)
    return Account(time.thread_time_ns(), used.ru_nivcsw, used.ru_nvcsw)
