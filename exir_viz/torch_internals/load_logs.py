"""Why torch.export.load failed: it logs the reason with a traceback, and then raises a general error.

Why: only the logged error says which class or operator is not registered. It is taken from the logger
"torch.export"; if nothing is logged there, the raised error is shown. What else torch logs is shown only if
the file is loaded: otherwise our error says more.
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
    """Removes from the log, and keeps, the last error and all other records."""

    def __init__(self) -> None:
        super().__init__()
        self.found: BaseException | None = None
        self.others: list[logging.LogRecord] = []

    def filter(self, record: logging.LogRecord) -> bool:
        if record.exc_info and record.exc_info[1] is not None:
            self.found = record.exc_info[1]
        else:
            self.others.append(record)
        return False


@contextmanager
def logged_errors() -> Iterator[LoggedErrors]:
    """The errors that torch.export logs within the block; its other records are logged if it succeeds."""
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
    for record in errors.others:
        log.handle(record)
