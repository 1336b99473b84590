"""Which rules of the Export IR and of its dialect a program breaks: see `exir_viz.check` and docs/check.md.

Each rule is one `Rule` object in `all_rules.RULES`. Rules read a Snapshot and need no torch; the facts they
need about operators are data (see `snapshot.operators`). For a live program the
verifiers of torch and ExecuTorch run too, and their verdicts are findings like those of the rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from exir_viz.options import one_of
from exir_viz.readers.accepted_inputs import live_programs
from exir_viz.reports.report import Fact, Outcome, Report, Row, Section, worst
from exir_viz.snapshot.format import plural
from exir_viz.snapshot.program import Dialect
from exir_viz.snapshot.snapshot import Snapshot

from .all_rules import BY_NAME, named_rules
from .records import RuleBreak, Verdict
from .run import Checked, check_snapshot
from .verifiers import disagreements, verdicts_of

_TITLES = {Outcome.ERROR: "Errors", Outcome.WARNING: "Warnings", Outcome.NOTE: "Notes"}


def rules(
    snapshot: Snapshot,
    *,
    live: object = None,
    dialect: Dialect | str | None = None,
    rules: Sequence[str] | str | None = None,
) -> Report:
    """Find the rules of the Export IR and of its dialect that the program breaks."""
    wanted = None if dialect is None else Dialect(one_of("check", "dialect", dialect, tuple(Dialect)))
    chosen = named_rules("check", rules)
    verdicts: tuple[Verdict, ...] = ()
    programs = {} if live is None else live_programs(live)
    if programs:
        verdicts = verdicts_of(programs, snapshot)
    return report_of(check_snapshot(snapshot, wanted, chosen, verdicts))


def report_of(checked: Checked) -> Report:
    """A row for each rule that is broken and each remedy, errors first."""
    groups: dict[tuple[str, str], list[RuleBreak]] = {}
    for broken in checked.findings:
        groups.setdefault((broken.rule, broken.remedy), []).append(broken)
    rows = [_row(breaks) for breaks in groups.values()]
    sections = [
        Section(_TITLES[severity], tuple(members))
        for severity, members in groupby(rows, key=lambda row: row.severity)
    ]
    return Report(
        _headline(checked),
        worst(rows),
        tuple(_facts(checked)),
        tuple(sections),
        unexamined=unchecked(checked),
    )


def _headline(checked: Checked) -> str:
    """ "3 errors, 1 note (edge, 45 rules)"."""
    severities = [broken.severity for broken in checked.findings]
    counts = [plural(severities.count(each), each.value) for each in _TITLES if each in severities]
    dialects = ", ".join(dict.fromkeys(dialect.value for dialect in checked.dialects.values()))
    return f"{', '.join(counts) or 'No findings'} ({dialects}, {plural(len(checked.rules), 'rule')})"


def _facts(checked: Checked) -> Iterator[Fact]:
    for verdict in checked.verdicts:
        text = "accepts it" if verdict.is_accepted else f"rejects it: {verdict.message}"
        yield Fact(f"verifier {verdict.verifier} of {verdict.method}", text, verdict.nodes)
    for sentence in disagreements(checked):
        yield Fact("rules and verifiers differ", sentence)


def unchecked(checked: Checked) -> tuple[str, ...]:
    """Which rules were not applied, and why: "plan-overlap and branch-results: A .pte does not say …"."""
    sentences = []
    for reason, rules in groupby(checked.unchecked, key=lambda rule: rule.why_unchecked):
        *more, last = [rule.name for rule in rules]
        sentences.append(f"{', '.join(more)} and {last}: {reason}" if more else f"{last}: {reason}")
    return tuple(sentences)


def _row(breaks: Sequence[RuleBreak]) -> Row:
    first = breaks[0]
    rule = BY_NAME.get(first.rule)
    return Row(
        title=rule.title if rule is not None else "A verifier rejects the program",
        remedy=first.remedy,
        severity=first.severity,
        nodes=tuple(broken.node for broken in breaks),
        texts=tuple(broken.message for broken in breaks),
        name=first.rule,
        section=first.section,
        url="" if rule is None else rule.section.url,
    )
