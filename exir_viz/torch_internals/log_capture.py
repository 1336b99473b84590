"""Catch the warnings that torch and ExecuTorch log while a step runs.

Why: torch's loggers have handlers of their own and do not propagate, so a handler at the root hears nothing.
What every record of every logger goes through is `logging.Logger.callHandlers`, which is replaced meanwhile.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from .features import Feature, Note

FEATURE: Final = Feature(
    name="log_capture",
    purpose="Show what torch and ExecuTorch log during a step as notices of its stage",
    without="Logged warnings are not among the notices of a stage.",
    uses=("logging.Logger.callHandlers(self, record)",),
)


@contextmanager
def captured_logs(note: Note, thread: int) -> Iterator[None]:
    """Hand warnings and worse that `thread` logs to `note`; all else goes where it always went."""
    if not FEATURE.is_usable():
        yield
        return
    handle = logging.Logger.callHandlers

    def call_handlers(logger: logging.Logger, record: logging.LogRecord) -> None:
        if threading.get_ident() == thread and record.levelno >= logging.WARNING:
            note(f"log:{record.name}", record.getMessage())
        else:
            handle(logger, record)

    logging.Logger.callHandlers = call_handlers  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        logging.Logger.callHandlers = handle  # type: ignore[method-assign]
