"""What torch's draft_export reports: the problems after which it went on.

Why: draft_export prints its report. As data it is a private attribute of the program that it returns. If it
fails itself, torch's trace log has what it found before.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from .features import Feature

FEATURE: Final = Feature(
    name="draft_reports",
    purpose="List what draft_export found as blockers of an export",
    without="The findings of draft_export are not listed.",
    uses=("torch.export._draft_export.DraftExportReport", "torch._logging.structured.INTERN_TABLE"),
)


class DraftFailure(NamedTuple):
    """One problem. kind: torch's name of it. subject: an expression, or the name of an operator."""

    kind: str
    subject: str
    file: str = ""
    line: int = 0
    code: str = ""
    shapes: str = ""


# Names of records in torch's trace log: what torch calls the failure in its report.
_KINDS: Final = {
    "propagate_real_tensors_provenance": "DATA_DEPENDENT_ERROR",
    "missing_fake_kernel": "MISSING_FAKE_KERNEL",
    "mismatched_fake_kernel": "MISMATCHED_FAKE_KERNEL",
}


def draft_failures(program: Any) -> Iterator[DraftFailure]:
    """The problems that draft_export reports of a program that it made."""
    report = FEATURE.attribute(program, "_report") if FEATURE.is_usable() else None
    for failure in () if report is None else report.failures:
        yield _failure(str(failure.failure_type), failure.data)


@contextmanager
def logged_failures() -> Iterator[list[DraftFailure]]:
    """The problems that draft_export logs while the block runs, each once; for one that fails."""
    found: dict[DraftFailure, None] = {}
    result: list[DraftFailure] = []
    thread = threading.get_ident()

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            metadata: Mapping[str, Any] = getattr(record, "metadata", {})
            if record.thread == thread:
                one = [_failure(kind, metadata[key]) for key, kind in _KINDS.items() if key in metadata]
                found.update(dict.fromkeys(one))

    logger, handler = logging.getLogger("torch.__trace"), Handler()
    if FEATURE.is_usable():
        logger.addHandler(handler)
    try:
        yield result
    finally:
        logger.removeHandler(handler)
        result += found


def _failure(kind: str, data: Mapping[str, Any]) -> DraftFailure:
    from torch._logging.structured import INTERN_TABLE

    # A report names the files that no report before it has named; torch keeps the numbers of all.
    files = {str(number): name for name, number in INTERN_TABLE.items()}
    stack = data.get("user_stack") or data.get("stack") or [{}]
    last = stack[-1]
    return DraftFailure(
        kind,
        str(data.get("expr") or data.get("op") or ""),
        files.get(str(last.get("filename")), ""),
        int(last.get("line") or 0),
        str(last.get("loc") or "").strip(),
        str(data.get("new_dynamic_shapes") or ""),
    )
