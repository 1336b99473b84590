"""Findings for a page: grouped by rule and remedy, nodes by number."""

from __future__ import annotations

from exir_viz.snapshot.columns import NONE, FindingGroup, PageFindings
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.records import NodeNumber
from exir_viz.snapshot.snapshot import Snapshot

from .records import Finding, Severity
from .rules import BY_NAME
from .run import check_snapshot, node_of
from .text import unchecked_text


def page_findings(snapshot: Snapshot) -> PageFindings:
    """What the rules find in a Snapshot, in the dialects of its methods."""
    findings, numbering = check_snapshot(snapshot), Numbering(snapshot)
    groups: dict[tuple[str, str], list[Finding]] = {}
    for one in findings:
        groups.setdefault((one.rule, one.remedy), []).append(one)
    counts = findings.counts
    return PageFindings(
        ", ".join(dict.fromkeys(dialect.value for dialect in findings.dialects.values())),
        counts[Severity.ERROR],
        counts[Severity.WARNING],
        counts[Severity.HINT],
        tuple(_group(rule, remedy, found, numbering) for (rule, remedy), found in groups.items()),
        unchecked_text(findings),
    )


def _group(name: str, remedy: str, found: list[Finding], numbering: Numbering) -> FindingGroup:
    rule = BY_NAME[name]
    nodes = (node_of(numbering.snapshot, one.method, one.node) for one in found)
    return FindingGroup(
        name,
        rule.severity.value,
        rule.title,
        str(rule.section),
        rule.section.url,
        remedy,
        tuple(NodeNumber(NONE if node is None else numbering.number(node)) for node in nodes),
        tuple(one.message for one in found),
    )
