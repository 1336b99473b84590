"""Apply the rules to a Snapshot, each method in its dialect, beside what the verifiers say."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from exir_viz.reports.report import Outcome
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.graph import Node
from exir_viz.snapshot.program import Dialect
from exir_viz.snapshot.snapshot import Method

from .all_rules import RULES
from .records import RuleBreak, Verdict
from .rule import Break, Rule, Subject

_ORDER: Final = tuple(Outcome)


@dataclass(frozen=True, slots=True)
class Checked:
    """What the rules and the verifiers find in a program.

    dialects: by method, the dialect whose rules were applied. rules: those that were. findings: errors
    first, in the order of the nodes. verdicts: of the verifiers; files have none. unchecked: the rules that
    read what a `.pte` does not hold.
    """

    dialects: Mapping[str, Dialect]
    rules: tuple[Rule, ...]
    findings: tuple[RuleBreak, ...]
    verdicts: tuple[Verdict, ...] = ()
    unchecked: tuple[Rule, ...] = ()


def check_snapshot(
    snapshot: Snapshot,
    dialect: Dialect | None = None,
    rules: Sequence[Rule] = RULES,
    verdicts: Sequence[Verdict] = (),
) -> Checked:
    """Apply rules to every method of a Snapshot, in the given dialect or in the method's own."""
    dialects = {name: dialect or method.dialect for name, method in snapshot.methods.items()}
    unchecked = [rule for rule in rules if snapshot.is_pte and rule.lost_in_pte]
    rules = [rule for rule in rules if rule not in unchecked]
    placed: list[tuple[int, int, int, RuleBreak]] = []
    for number, (name, method) in enumerate(snapshot.methods.items()):
        subject = Subject(method, dialects[name])
        for rule in rules:
            if subject.dialect not in rule.dialects:
                continue
            breaks = rule.check(subject)
            placed += [(*_place(number, broken.node), _finding(rule, method, broken)) for broken in breaks]
    placed += _unexplained(snapshot, verdicts, [broken for *_, broken in placed])
    placed.sort(key=lambda item: (_ORDER.index(item[3].severity), *item[:3]))
    findings = tuple(broken for *_, broken in placed)
    return Checked(dialects, tuple(rules), findings, tuple(verdicts), tuple(unchecked))


def _place(method: int, node: Node | None) -> tuple[int, int, int]:
    return (method, -1, -1) if node is None else (method, node.graph.number, node.position)


def _finding(rule: Rule, method: Method, broken: Break) -> RuleBreak:
    return RuleBreak(
        rule.name,
        rule.severity,
        method.name,
        "" if broken.node is None else broken.node.id,
        broken.message,
        broken.remedy,
        str(rule.section),
    )


def _unexplained(
    snapshot: Snapshot, verdicts: Iterable[Verdict], breaks: Sequence[RuleBreak]
) -> Iterator[tuple[int, int, int, RuleBreak]]:
    """A finding for each verdict against a method in which no rule finds an error."""
    wrong = {broken.method for broken in breaks if broken.severity is Outcome.ERROR}
    names = list(snapshot.methods)
    for verdict in verdicts:
        if verdict.is_accepted or verdict.method in wrong:
            continue
        nodes = [snapshot.find(name) for name in verdict.nodes]
        for node in nodes or [None]:
            yield (
                *_place(names.index(verdict.method), node),
                RuleBreak(
                    "verifier",
                    Outcome.ERROR,
                    verdict.method,
                    "" if node is None else node.id,
                    verdict.message,
                    "Correct what the verifier names.",
                    f"Verifier {verdict.verifier}",
                ),
            )
