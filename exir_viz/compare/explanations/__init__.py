"""Step 4: give each change a reason, merge equal reasons into rules, and write the Comparison."""

from __future__ import annotations

from collections import Counter

from exir_viz.compare.align import Alignment
from exir_viz.compare.align.groups import Group
from exir_viz.compare.align.known_links import Known, confidence
from exir_viz.compare.align.pairing import WORDS, MatchEvidence
from exir_viz.compare.classify import Classification, Verdict
from exir_viz.compare.normalize import Normalized
from exir_viz.compare.normalize.delegates import running_nodes
from exir_viz.compare.records import KINDS, SCHEMA, ChangeRule, Comparison, Ground, MatchColumns, MatchKind
from exir_viz.snapshot.build import Interner
from exir_viz.snapshot.columns import NONE

from .reasons import Reason, Reasons, is_minor
from .similar_changes import fact_groups, module_groups

_NUMBER = {MatchKind(kind): number for number, kind in enumerate(KINDS)}
# A longer reason stays with its match: a rule must fit on a line.
_LONGEST_RULE = 140


def explain_changes(
    programs: Normalized,
    alignment: Alignment,
    classified: Classification,
    known: Known,
    titles: tuple[str, str],
) -> Comparison:
    """Build the record. `known` may have reasons why single nodes were added or removed."""
    groups, verdicts = alignment.groups.groups, classified.verdicts
    reasons = _reasons(programs, groups, verdicts, known)
    fields: Interner[tuple[str, ...]] = Interner()
    evidence: Interner[Ground] = Interner()
    texts: Interner[str] = Interner()
    rules: Interner[tuple[MatchKind, str, tuple[str, ...], tuple[str, ...]]] = Interner()
    grounds = {used: evidence[Ground(used[0].value, WORDS[used[0]], used[1])] for used in _used(groups)}
    rule_numbers = [
        NONE if why is None else rules[verdict.kind, why.rule, why.before, why.after]
        for verdict, why in zip(verdicts, reasons, strict=True)
    ]
    matches = MatchColumns(
        kinds=tuple(_NUMBER[one.kind] for one in verdicts),
        fields=tuple(fields[one.fields] for one in verdicts),
        evidence=tuple(
            grounds[one.evidence, one.confidence]
            if one.evidence is not MatchEvidence.LINK
            else evidence[_link(one, alignment.link_texts)]
            for one in groups
        ),
        reasons=tuple(NONE if one is None else texts[one.text] for one in reasons),
        rules=tuple(rule_numbers),
        a_counts=tuple(len(one.a) for one in groups),
        a_nodes=tuple(i for one in groups for i in one.a),
        b_counts=tuple(len(one.b) for one in groups),
        b_nodes=tuple(j for one in groups for j in one.b),
    )
    counts = Counter(rule_numbers)
    in_full = _in_full(verdicts, reasons, rule_numbers)
    in_other_graph = {
        number for number, one in zip(rule_numbers, verdicts, strict=True) if "graph" in one.fields
    }
    first = {
        number: why for number, why in zip(rule_numbers[::-1], reasons[::-1], strict=True) if why is not None
    }
    return Comparison(
        schema=SCHEMA,
        a=titles[0],
        b=titles[1],
        matches=matches,
        counts=classified.counts,
        fields=tuple(fields),
        evidence=tuple(evidence),
        reasons=tuple(texts),
        rules=tuple(
            ChangeRule(
                kind,
                first[number].text if number in in_full else text,
                first[number].short_text if number in in_full else first[number].short,
                counts[number],
                before,
                after,
                minor=is_minor(kind, before, after)
                or (kind is MatchKind.MOVED and number not in in_other_graph),
                step=first[number].step,
            )
            for number, (kind, text, before, after) in enumerate(rules)
        ),
        ops=classified.ops,
        calls=classified.calls,
        modules=classified.modules,
        module_groups=module_groups(programs.a.snapshot, programs.b.snapshot, classified.modules),
        methods=classified.methods,
        fact_groups=fact_groups(classified.methods),
        contents=classified.contents,
    )


def _reasons(
    programs: Normalized, groups: list[Group], verdicts: list[Verdict], known: Known
) -> list[Reason | None]:
    """By group: why it differs; None if it does not."""
    a, b = programs.a, programs.b
    words = Reasons(a.snapshot, b.snapshot)
    # a known reason comes first for nodes that run a delegate
    why_a = running_nodes(a.snapshot) | dict(known.reasons_a)
    why_b = running_nodes(b.snapshot) | dict(known.reasons_b)

    def reason(one: Group, verdict: Verdict) -> Reason | None:
        match verdict.kind:
            case MatchKind.SAME:
                return None
            case MatchKind.ADDED:
                return words.added(b.node(one.b[0]), why_b.get(one.b[0], ""))
            case MatchKind.REMOVED:
                return words.removed(a.node(one.a[0]), why_a.get(one.a[0], ""))
        before, after = [a.node(i) for i in one.relevant[0]], [b.node(j) for j in one.relevant[1]]
        if verdict.kind is MatchKind.REWRITTEN:
            return words.rewritten(
                before, after, one.confidence, is_folded=one.evidence is MatchEvidence.FOLDED
            )
        return words.changed(before[0], after[0], verdict.fields, one.confidence, verdict.inputs)

    return [reason(*pair) for pair in zip(groups, verdicts, strict=True)]


def _in_full(verdicts: list[Verdict], reasons: list[Reason | None], rules: list[int]) -> set[int]:
    """The rules of changes whose instances all have the same reason: the reason says more than the rule."""
    found: dict[int, set[str]] = {}
    for verdict, why, rule in zip(verdicts, reasons, rules, strict=True):
        if verdict.kind is MatchKind.CHANGED and why is not None:
            found.setdefault(rule, set()).add(why.text)
    alike = {rule: next(iter(texts)) for rule, texts in found.items() if len(texts) == 1}
    return {rule for rule, text in alike.items() if len(text) <= _LONGEST_RULE}


def _used(groups: list[Group]) -> list[tuple[MatchEvidence, float]]:
    found = {(one.evidence, one.confidence) for one in groups if one.evidence is not MatchEvidence.LINK}
    order = list(MatchEvidence)
    return sorted(found, key=lambda used: (order.index(used[0]), -used[1]))


def _link(one: Group, texts: dict[tuple[int, int], str]) -> Ground:
    text = texts[one.link] if one.link is not None else ""
    return Ground(text, WORDS[MatchEvidence.LINK], confidence(text))
