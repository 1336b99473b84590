"""Why torch.export.load failed: it logs the reason with a traceback, and then raises a general error.

Why: only the logged error says which class or operator is not registered. It is taken from the logger
"torch.export"; if nothing is logged there, the raised error is shown.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from .features import Feature

FEATURE: Final = Feature(
    name="load_logs",
    purpose="Say why torch.export.load failed",
    without="torch's own error of a failed load is shown, without its cause.",
    uses=("logging.Logger.addFilter(self, filter)",),
    attributes=("torch.export.log",),
)


class LoggedErrors(logging.Filter):
    """Keeps the last logged error, and removes it from the log."""

    def __init__(self) -> None:
        super().__init__()
        self.found: BaseException | None = None

    def filter(self, record: logging.LogRecord) -> bool:
        if not record.exc_info or record.exc_info[1] is None:
            return True
        self.found = record.exc_info[1]
        return False


@contextmanager
def logged_errors() -> Iterator[LoggedErrors]:
    """The errors that torch.export logs within the block."""
    errors = LoggedErrors()
    if not FEATURE.is_usable():
        yield errors
        return
    log = logging.getLogger("torch.export")
    log.addFilter(errors)
    try:
        yield errors
    finally:
        log.removeFilter(errors)
