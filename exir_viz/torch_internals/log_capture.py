"""Capture the warnings that torch and ExecuTorch log while a step runs, or while an export fails.

Why: torch's loggers have their own handlers and do not propagate, so a root handler receives nothing. Every
record of every logger passes through `logging.Logger.callHandlers`, which is replaced meanwhile.
"""

from __future__ import annotations

import itertools
import logging
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
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

    Modules of backends change the level and handlers of the root logger when they are imported: this is
    undone. What the user's own code changes, such as a pass, stays. Modules also give loggers of their own a
    level: records below the user's level are dropped.
    """
    if not FEATURE.is_usable():
        yield
        return
    handle = logging.Logger.callHandlers
    root = _OwnRoot(thread)

    def call_handlers(logger: logging.Logger, record: logging.LogRecord) -> None:
        is_own = threading.get_ident() == thread
        if is_own and record.levelno >= logging.WARNING:
            note(f"log:{record.name}", record.getMessage())
        elif is_own and record.levelno < root.level and _follows_root(logger):
            return
        else:
            handle(logger, record)

    logging.Logger.callHandlers = call_handlers  # type: ignore[method-assign, assignment]
    try:
        with root.watched():
            yield
    finally:
        logging.Logger.callHandlers = handle  # type: ignore[method-assign]


class _OwnRoot:
    """The root logger as the user's own code leaves it: changes of modules that are imported are undone."""

    def __init__(self, thread: int) -> None:
        self._root = logging.getLogger()
        self._thread = thread
        self.level = self._root.level
        self._added: list[logging.Handler] = []

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Note who changes the root logger until the block ends, then undo what imports changed."""
        root = self._root
        outer = set(_frames())
        before = dict(vars(root))  # of a capture around this one
        set_level, add_handler = root.setLevel, root.addHandler

        def level_set(level: int | str) -> None:
            set_level(level)
            if not self._is_import(outer):
                self.level = root.level

        def handler_added(handler: logging.Handler) -> None:
            is_new = handler not in root.handlers
            add_handler(handler)
            if is_new and self._is_import(outer):
                self._added.append(handler)

        root.setLevel, root.addHandler = level_set, handler_added  # type: ignore[method-assign, assignment]
        try:
            yield
        finally:
            for name in ("setLevel", "addHandler"):
                delattr(root, name)
                if name in before:
                    setattr(root, name, before[name])
            if root.level != self.level:
                root.setLevel(self.level)
            for added in self._added:
                root.removeHandler(added)

    def _is_import(self, outer: set[FrameType]) -> bool:
        """Whether the caller is a module that is being imported since the block began."""
        if threading.get_ident() != self._thread:
            return False
        inner = itertools.takewhile(lambda frame: frame not in outer, _frames())
        return any(frame.f_code.co_filename.startswith("<frozen importlib") for frame in inner)


def _frames() -> Iterator[FrameType]:
    """The frames of this thread, innermost first."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        yield frame
        frame = frame.f_back


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
