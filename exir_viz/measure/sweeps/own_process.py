"""Run one call in its own process, so that calls cannot affect each other."""

from __future__ import annotations

import contextlib
import multiprocessing
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from exir_viz.errors import MeasureError

T = TypeVar("T")

# Seconds that a process has to exit after its answer.
_PATIENCE = 5.0


def in_own_process(function: Callable[..., T], *arguments: Any) -> T:
    """The function's result; raises MeasureError if the process ends without an answer.

    An interrupt here ends the process, which itself ignores it. The function must not raise.
    """
    context = multiprocessing.get_context("spawn")  # torch's threads do not survive a fork
    ours, theirs = context.Pipe()
    process = context.Process(target=_call, args=(theirs,), daemon=True)
    patience = 0.0
    try:
        with _deaf_children():
            process.start()
        theirs.close()  # so that the end of the process closes the connection
        # Not as arguments of the process: `start` waits forever if it ends before it reads large ones.
        ours.send((function, arguments))
        result: T = ours.recv()
        patience = _PATIENCE
    except (EOFError, ConnectionError) as error:
        patience = _PATIENCE
        raise MeasureError(
            f"The measuring process died ({_cause(process)}). Its output is on stderr."
        ) from error
    finally:
        ours.close()
        _end(process, patience)
    return result


def _end(process: BaseProcess, patience: float) -> None:
    if process.pid is not None:
        process.join(patience)
        process.kill()
        process.join()


def _call(connection: Connection) -> None:
    function, arguments = connection.recv()
    connection.send(function(*arguments))


def _cause(process: BaseProcess) -> str:
    if process.pid is not None:
        process.join(_PATIENCE)
    code = process.exitcode
    if code == 1 and getattr(sys.modules["__main__"], "__file__", None) == "<stdin>":
        return "exit code 1; it cannot start from a script on standard input: save the script as a file"
    if code == 1:
        return "exit code 1; in a script, sweep must be called under `if __name__ == '__main__':`"
    if code is None or code >= 0:
        return f"exit code {code}"
    return f"by signal {signal.Signals(-code).name}"


@contextlib.contextmanager
def _deaf_children() -> Iterator[None]:
    """Block SIGINT for processes started here: a terminal sends Ctrl-C to all of them. We handle it
    afterwards.

    The block is for this thread. Another thread may get the signal, and then Python interrupts the main one.
    """
    if not hasattr(signal, "pthread_sigmask") or threading.current_thread() is not threading.main_thread():
        yield
        return
    interrupts: list[int] = []
    resource_tracker.ensure_running()  # it would remove the block
    handler = signal.signal(signal.SIGINT, lambda number, _: interrupts.append(number))
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        signal.signal(signal.SIGINT, signal.default_int_handler if handler is None else handler)
    if interrupts:
        signal.raise_signal(signal.SIGINT)
