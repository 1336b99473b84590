"""Findings for a page: grouped by rule and remedy, nodes by number."""

from __future__ import annotations

from exir_viz.reports.report import Outcome, Row
from exir_viz.reports.rules import report_of, unchecked
from exir_viz.snapshot.columns import NONE, FindingGroup, PageFindings
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.records import NodeNumber
from exir_viz.snapshot.snapshot import Snapshot

from .run import check_snapshot


def page_findings(snapshot: Snapshot) -> PageFindings:
    """What the rules find in a Snapshot, in the dialects of its methods."""
    checked, numbering = check_snapshot(snapshot), Numbering(snapshot)
    gaps = unchecked(checked)
    severities = [one.severity for one in checked.findings]
    return PageFindings(
        ", ".join(dict.fromkeys(dialect.value for dialect in checked.dialects.values())),
        severities.count(Outcome.ERROR),
        severities.count(Outcome.WARNING),
        severities.count(Outcome.NOTE),
        tuple(_group(row, numbering) for row in report_of(checked).rows()),
        " ".join(("Not checked:", *gaps)) if gaps else "",
    )


def _group(row: Row, numbering: Numbering) -> FindingGroup:
    nodes = map(numbering.snapshot.find, row.nodes)
    return FindingGroup(
        row.name,
        "hint" if row.severity is Outcome.NOTE else row.severity.value,
        row.title,
        row.section,
        row.url,
        row.remedy,
        tuple(NodeNumber(NONE if node is None else numbering.number(node)) for node in nodes),
        row.texts,
    )
