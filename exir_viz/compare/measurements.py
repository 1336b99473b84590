"""The measurements of a diff for a page: where values diverge, and what changes cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exir_viz.errors import ExirVizError
from exir_viz.options import instance
from exir_viz.snapshot.records import Record

from .costs import CostChange, Costs
from .values.records import ValuesRecord

if TYPE_CHECKING:
    from .diff import Diff
    from .values.values import Values


class Measured(Record, frozen=True):
    """Each is absent if it was not measured."""

    values: ValuesRecord | None = None
    costs: CostChange | None = None


def measured(diff: Diff, values: Values | None, costs: CostChange | None) -> Measured:
    """The measurements of this diff. Raises ExirVizError for those of another."""
    from .values.values import Values as Numbers

    if values is not None:
        instance("to_html", "values", values, Numbers, "exir_viz.diff(a, b).values() makes one.")
    if costs is not None:
        instance("to_html", "costs", costs, CostChange, "diff.costs(before, after) makes one.")
    if values is not None and values.diff is not diff and values.diff.comparison != diff.comparison:
        raise ExirVizError(
            f"These values are of {values.record.a} and {values.record.b}, but of another diff. Pass "
            "values of this diff, or show values.diff."
        )
    if costs is not None and any(one.match >= len(diff) for one in costs.matches):
        raise ExirVizError("These costs belong to another diff. Use diff.costs() of this one.")
    return Measured(None if values is None else values.record, costs)


def known(diff: Diff, values: Values | None, before: Costs | None, after: Costs | None) -> Measured:
    """The same, with the profiles of both sides, if they belong to these programs."""
    if before is None or after is None or before.snapshot != diff.a or after.snapshot != diff.b:
        return measured(diff, values, None)
    return measured(diff, values, diff.costs(before, after))
