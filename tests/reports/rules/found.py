"""What `exir_viz.check` finds, a record a node; and what rules and verifiers say of a live program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import exir_viz
from exir_viz.readers.accepted_inputs import live_programs
from exir_viz.reports import Outcome, Report
from exir_viz.reports.rules.run import Checked, check_snapshot
from exir_viz.reports.rules.verifiers import verdicts_of


class Found(NamedTuple):
    """One node, or "" for a whole method, that breaks a rule."""

    rule: str
    severity: Outcome
    node: str
    message: str
    remedy: str
    section: str


def found(report: Report, rule: str = "") -> list[Found]:
    """The findings of a report, or those of one rule."""
    return [one for one in _found(report) if rule in ("", one.rule)]


def _found(report: Report) -> Iterator[Found]:
    for row in report.rows():
        for node, text in zip(row.nodes, row.texts, strict=True):
            yield Found(row.name, row.severity, node, text, row.remedy, row.section)


def checked(program: Any) -> Checked:
    """What rules and verifiers say of a live program or a stage."""
    snapshot = getattr(program, "snapshot", None) or exir_viz.load(program)
    return check_snapshot(snapshot, verdicts=verdicts_of(live_programs(program), snapshot))
