"""A pending answer: of an Executor, or of a call that starts on demand."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, Protocol

from .own_process import in_own_process
from .worker import Answer


class PendingAnswer(Protocol):
    """The part of Future's interface that a sweep needs."""

    def result(self) -> Answer:
        """The answer, when it exists; raises the call's error instead."""

    def cancel(self) -> bool:
        """Cancel it before it starts; False if it has started."""

    def done(self) -> bool:
        """Whether the answer exists."""


def begun(executor: Executor | None, function: Callable[..., Answer], *arguments: Any) -> PendingAnswer:
    """Submit the call to the Executor; without one it starts on demand."""
    if executor is None:
        return Turn(in_own_process, function, *arguments)
    try:
        return executor.submit(function, *arguments)
    except Exception as error:  # noqa: BLE001  an Executor raises what it likes
        return failed(error)


def failed(error: Exception) -> PendingAnswer:
    """An answer that failed."""
    future: Future[Answer] = Future()
    future.set_exception(error)
    return future


class Turn:
    """A call that starts when its result is requested."""

    def __init__(self, function: Callable[..., Answer], *arguments: Any) -> None:
        self._function = function
        self._arguments = arguments

    def result(self) -> Answer:
        return self._function(*self._arguments)

    def cancel(self) -> bool:
        return True

    def done(self) -> bool:
        return False
