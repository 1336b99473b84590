"""Findings as text for a terminal and as HTML for a notebook."""

from __future__ import annotations

import textwrap
from itertools import groupby
from typing import TYPE_CHECKING, Final

from exir_viz.snapshot.format import plural
from exir_viz.snapshot.printable import Html, html, html_joined, printable

from .records import Finding, Severity

if TYPE_CHECKING:
    from .findings import Findings

_WIDTH: Final = 96
# How many findings of one rule are printed.
_PER_RULE: Final = 5


def headline(findings: Findings) -> str:
    """The outcome in one line: "3 errors, 1 hint (edge)"."""
    counts = findings.counts
    parts = [plural(count, severity.value) for severity, count in counts.items() if count]
    dialects = ", ".join(dict.fromkeys(dialect.value for dialect in findings.dialects.values()))
    return f"{', '.join(parts) or 'No findings'} ({dialects}, {plural(len(findings.rules), 'rule')})"


def unchecked_text(findings: Findings) -> str:
    """Which rules were not checked, and why: "plan-overlap: A .pte does not say …". "" if all were."""
    parts = []
    for reason, rules in groupby(findings.unchecked, key=lambda rule: rule.why_unchecked):
        *more, last = [rule.name for rule in rules]
        parts.append(f"{', '.join(more)} and {last}: {reason}" if more else f"{last}: {reason}")
    return f"Not checked: {' '.join(parts)}" if parts else ""


def summarise(findings: Findings, most: int = _PER_RULE) -> str:
    """Plain text, by rule; control characters in the program's text are escaped."""
    lines = [headline(findings)]
    for verdict in findings.verdicts:
        verdict_text = "accepts it" if verdict.is_accepted else f"rejects it: {verdict.message}"
        lines += textwrap.wrap(
            f"Verifier {verdict.verifier} of {verdict.method} {verdict_text}", _WIDTH, subsequent_indent="  "
        )
    lines += textwrap.wrap(unchecked_text(findings), _WIDTH, subsequent_indent="  ")
    for (severity, rule), group in groupby(_by_rule(findings), key=lambda one: (one.severity, one.rule)):
        found = list(group)
        lines += ["", f"{severity.value}: {rule} ({len(found):,}) · {found[0].section}"]
        for one in found[:most]:
            where = " · ".join(filter(None, (one.node or f"method {one.method}", one.source)))
            lines.append(f"  {where}")
            lines += textwrap.wrap(one.message, _WIDTH, initial_indent="    ", subsequent_indent="    ")
        if len(found) > most:
            lines.append(f"  … {len(found) - most:,} more")
        lines += textwrap.wrap(f"→ {found[0].remedy}", _WIDTH, initial_indent="  ", subsequent_indent="    ")
    return printable("\n".join(lines))


def _by_rule(findings: Findings) -> list[Finding]:
    order = [rule.name for rule in findings.rules]
    rank = {name: at for at, name in enumerate(order)}
    severities = list(Severity)
    return sorted(findings, key=lambda one: (severities.index(one.severity), rank.get(one.rule, -1)))


def as_html(findings: Findings) -> Html:
    """A table for a notebook, one row per finding; all text of the program is escaped.

    Two columns are readable in a cell of 600 pixels. The colors are the theme's.
    """
    head = html("<p><b>{}</b></p>", headline(findings))
    if findings.unchecked:
        head = html("{}<p>{}</p>", head, unchecked_text(findings))
    if not len(findings):
        return head
    rows = html_joined(map(_row, findings))
    return html('{}<table style="width:100%;table-layout:fixed"><tbody>{}</tbody></table>', head, rows)


def _row(one: Finding) -> Html:
    where = " · ".join(filter(None, (one.node or f"method {one.method}", one.source)))
    style = "text-align:left;vertical-align:top;overflow-wrap:anywhere"
    return html(
        '<tr><td style="{};width:25%"><b>{}</b><br>{}</td>'
        '<td style="{}"><code>{}</code><br>{}<br><i>{}</i><br><small>{}</small></td></tr>',
        style, one.severity.value, one.rule,
        style, where, one.message, one.remedy, one.section,
    )  # fmt: skip
