"""Capture the warnings that torch and ExecuTorch log while a step runs, or while an export fails.

Why: torch's loggers have their own handlers and do not propagate, so a root handler receives nothing. Every
record of every logger passes through `logging.Logger.callHandlers`, which is replaced meanwhile.
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
    purpose="Show what torch and ExecuTorch log during a step as notices of its stage, "
    "and of a failed export with its error",
    without="Logged warnings are not among the notices of a stage, and those of a failed export are printed.",
    uses=("logging.Logger.callHandlers(self, record)",),
)
_CALL_HANDLERS: Final = logging.Logger.callHandlers


@contextmanager
def captured_logs(note: Note, thread: int) -> Iterator[None]:
    """Pass records of warning level or higher that `thread` logs to `note`; other records are not changed.

    The level and handlers of the root logger stay the user's: modules of backends change them when they are
    imported, and give loggers of their own a level. Records below the user's level are dropped.
    """
    if not FEATURE.is_usable():
        yield
        return
    handle = logging.Logger.callHandlers
    root = logging.getLogger()
    level, handlers = root.level, list(root.handlers)

    def call_handlers(logger: logging.Logger, record: logging.LogRecord) -> None:
        is_own = threading.get_ident() == thread
        if is_own and record.levelno >= logging.WARNING:
            note(f"log:{record.name}", record.getMessage())
        elif is_own and record.levelno < level and _follows_root(logger):
            return
        else:
            handle(logger, record)

    logging.Logger.callHandlers = call_handlers  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        logging.Logger.callHandlers = handle  # type: ignore[method-assign]
        if root.level != level:
            root.setLevel(level)
        for added in [one for one in root.handlers if one not in handlers]:
            root.removeHandler(added)


def _follows_root(logger: logging.Logger) -> bool:
    """Whether the level of the root logger counts: no logger of the user has another one."""
    if logger.name.startswith("executorch."):
        return True
    while logger.parent is not None and logger.level == logging.NOTSET:
        logger = logger.parent
    return logger.parent is None


@contextmanager
def no_logs_of_a_failure(thread: int) -> Iterator[None]:
    """Hold back what `thread` logs until the block ends; if it fails, add that to the error as notes.

    Inside a step nothing is held back: the step has its own record.
    """
    if not FEATURE.is_usable() or logging.Logger.callHandlers is not _CALL_HANDLERS:
        yield
        return
    kept: list[tuple[logging.Logger, logging.LogRecord]] = []

    def keep(logger: logging.Logger, record: logging.LogRecord) -> None:
        if threading.get_ident() == thread and record.levelno >= logging.WARNING:
            kept.append((logger, record))
        else:
            _CALL_HANDLERS(logger, record)

    logging.Logger.callHandlers = keep  # type: ignore[method-assign, assignment]
    try:
        yield
    except Exception as error:
        for _, record in kept:
            error.add_note(f"{record.name} logged: {record.getMessage()}")
        kept.clear()
        raise
    finally:
        logging.Logger.callHandlers = _CALL_HANDLERS  # type: ignore[method-assign]
        for logger, record in kept:
            logger.callHandlers(record)
