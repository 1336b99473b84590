"""An answer that is waited for: of an Executor, or of a call that begins when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, Protocol

from .own_process import in_own_process
from .worker import Answer


class Waiting(Protocol):
    """What a sweep needs of a Future."""

    def result(self) -> Answer:
        """The answer, when it is there; raises what was raised instead."""

    def cancel(self) -> bool:
        """Do not begin it; False where that is too late."""

    def done(self) -> bool:
        """Is the answer there?"""


def begun(executor: Executor | None, function: Callable[..., Answer], *arguments: Any) -> Waiting:
    """Hand a call to the Executor; without one it waits for its turn."""
    if executor is None:
        return Turn(in_own_process, function, *arguments)
    try:
        return executor.submit(function, *arguments)
    except Exception as error:  # noqa: BLE001  an Executor raises what it likes
        return failed(error)


def failed(error: Exception) -> Waiting:
    """An answer that there will not be."""
    future: Future[Answer] = Future()
    future.set_exception(error)
    return future


class Turn:
    """A call that begins when it is asked for its result."""

    def __init__(self, function: Callable[..., Answer], *arguments: Any) -> None:
        self._function = function
        self._arguments = arguments

    def result(self) -> Answer:
        return self._function(*self._arguments)

    def cancel(self) -> bool:
        return True

    def done(self) -> bool:
        return False
