"""What torch's draft_export reports: the problems after which it went on.

Why: draft_export prints its report. As data it is a private attribute of the program that it returns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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


def draft_failures(program: Any) -> Iterator[DraftFailure]:
    """The problems that draft_export reports of a program that it made."""
    report = FEATURE.attribute(program, "_report") if FEATURE.is_usable() else None
    if report is None:
        return
    from torch._logging.structured import INTERN_TABLE

    # A report names the files that no report before it has named; torch keeps the numbers of all.
    files = {str(number): name for name, number in INTERN_TABLE.items()}
    for failure in report.failures:
        data: Mapping[str, Any] = failure.data
        stack = data.get("user_stack") or data.get("stack") or [{}]
        last = stack[-1]
        yield DraftFailure(
            str(failure.failure_type),
            str(data.get("expr") or data.get("op") or ""),
            files.get(str(last.get("filename")), ""),
            int(last.get("line") or 0),
            str(last.get("loc") or "").strip(),
            str(data.get("new_dynamic_shapes") or ""),
        )
