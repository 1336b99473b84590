"""Compares values at the request of a page: runs two live programs or stages on the same inputs."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypedDict

from exir_viz.errors import MeasureError
from exir_viz.pages.page_data import packed_json

from .background_answers import ReportProgress
from .messages import Message
from .profiles import PageMeasurement

if TYPE_CHECKING:
    from exir_viz.compare.diff import Diff
    from exir_viz.compare.values.values import Values

TITLE = "compare values"


class Tolerances(TypedDict, total=False):
    """The tolerances of `compare_values`; missing ones have their defaults."""

    rtol: float
    atol: float


def checked_tolerances(raw: object) -> Tolerances:
    """The tolerances of a page's request, checked."""
    given: Mapping[str, Any] = raw if isinstance(raw, dict) else {}
    found = Tolerances()
    if given.get("rtol") is not None:
        found["rtol"] = _number("rtol", given["rtol"])
    if given.get("atol") is not None:
        found["atol"] = _number("atol", given["atol"])
    return found


def _number(name: str, raw: object) -> float:
    if isinstance(raw, bool) or not isinstance(raw, int | float) or not 0 <= raw < math.inf:
        raise MeasureError(f"{name} must be a number, 0 or more.")
    return float(raw)


def compare_for_page(
    measuring: PageMeasurement,
    sides: tuple[Any, Any],
    diff: Diff,
    tolerance: Tolerances,
    tell: ReportProgress,
    keep: Callable[[Values], None],
    stage: str = "",
) -> Message:
    """Run both, in this thread; the answer to the page. `stage`: the stage named in progress reports."""

    def work(progress: Any) -> Values:
        # imports torch, which takes seconds the first time
        from exir_viz.measure.numbers.values import compare_values

        return compare_values(*sides, diff=diff, progress=progress, **tolerance)

    values = measuring.perform(TITLE, work, tell, stage)
    keep(values)
    return Message({"kind": "values"}, [packed_json(values.record)])
