"""Two Snapshots → a Comparison: match, group, tell the differences, count them.

The matcher always sees the smaller program first, and what it finds is turned round where that was b; so
the comparison of b with a is the mirror of that of a with b.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import msgspec

from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.build import Interner
from exir_viz.snapshot.call_change import call_change
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.gc_pause import paused

from .align.evidence import WORDS, Evidence
from .align.folded_norms import attach_folded
from .align.known_links import Known, confidence, to_items
from .align.match_groups import Group, Groups, group
from .align.matcher import match
from .align.pairing import Pairing
from .classify.contents import Comparer
from .classify.counts import count_kinds, module_changes, op_changes
from .classify.facts.method import method_changes, with_names
from .classify.facts.missing_from_pte import unheld
from .classify.facts.renames import other_names
from .classify.node_fields import PLACE_FIELDS, Fields
from .explain.reasons import Reason, Reasons, is_minor
from .normalize.delegates import running_nodes
from .normalize.emitted_programs import is_emitted
from .normalize.schemas import with_schemas
from .normalize.side import Side, Tables
from .normalize.stored_contents import LiveState, StoredContents
from .normalize.symbol_names import in_words_of
from .records import KINDS, SCHEMA, Comparison, Ground, MatchColumns, MatchKind, Rule

_NUMBER = {MatchKind(kind): number for number, kind in enumerate(KINDS)}


# A longer reason is no rule: it is told at its match.
_LONGEST_RULE = 140


class Told(NamedTuple):
    """What is said of one group."""

    kind: MatchKind
    fields: tuple[str, ...]
    reason: Reason | None


def compare(
    a: Snapshot,
    b: Snapshot,
    known: Known,
    titles: tuple[str, str],
    live: tuple[LiveState | None, LiveState | None] = (None, None),
) -> Comparison:
    """Compare b with a, from the Snapshots alone; what is known beforehand is believed.

    live: the programs' own state, to read what was too much for a Snapshot.
    """
    with paused():
        return _compare(a, b, known, titles, live)


def _compare(
    a: Snapshot,
    b: Snapshot,
    known: Known,
    titles: tuple[str, str],
    live: tuple[LiveState | None, LiveState | None],
) -> Comparison:
    b_first = _comes_first(b, a)
    a, b = with_schemas(a, b), with_schemas(in_words_of(a, b), a)
    tables = Tables()
    sides = Side(a, tables, is_met_emitted=is_emitted(b)), Side(b, tables, is_met_emitted=is_emitted(a))
    links = to_items(known.links, *sides)
    words = {(link.a, link.b): link.text for link in links}
    pairing = _match(*sides, [(link.a, link.b) for link in links], b_first)
    stored = StoredContents(sides[0], live[0]), StoredContents(sides[1], live[1])
    attach_folded(pairing, *stored)
    groups = group(pairing)
    contents = Comparer(*stored)
    told = _tell(pairing, groups, _with_delegates(known, a, b), contents)
    kinds = [one.kind for one in told]
    methods = with_names(contents.with_unread(method_changes(a, b, pairing)))
    found = contents.found()
    comparison = Comparison(
        schema=SCHEMA,
        a=titles[0],
        b=titles[1],
        matches=MatchColumns((), (), (), (), (), (), (), (), ()),
        counts=count_kinds(kinds),
        ops=op_changes(*sides),
        calls=call_change(a, b, (one.told for one in groups.groups)),
        modules=module_changes(sides, pairing.scopes, groups, kinds),
        methods=methods,
        contents=msgspec.structs.replace(
            found, left=(*found.left, *unheld(a, b), *other_names(a, b, pairing))
        ),
    )
    return _with_matches(comparison, groups.groups, told, words)


def _match(a: Side, b: Side, links: list[tuple[int, int]], b_first: bool) -> Pairing:
    return match(b, a, [(j, i) for i, j in links]).turned() if b_first else match(a, b, links)


def _comes_first(one: Snapshot, other: Snapshot) -> bool:
    """The smaller comes first; of two of one size, that whose bytes do."""
    sizes = [sum(map(len, snapshot.graphs)) for snapshot in (one, other)]
    return sizes[0] < sizes[1] or (sizes[0] == sizes[1] and _bytes(one) < _bytes(other))


def _bytes(snapshot: Snapshot) -> bytes:
    encode = msgspec.msgpack.encode
    return encode(snapshot.skeleton) + encode(snapshot.detail)


def _with_delegates(known: Known, a: Snapshot, b: Snapshot) -> Known:
    """With what is known of nodes that run delegates, where nothing else is."""
    return known._replace(
        reasons_a=running_nodes(a) | dict(known.reasons_a), reasons_b=running_nodes(b) | dict(known.reasons_b)
    )


def _tell(pairing: Pairing, groups: Groups, known: Known, contents: Comparer) -> list[Told]:
    fields = Fields(pairing, (groups.of_a, groups.of_b), contents)
    reasons = Reasons(pairing.a.snapshot, pairing.b.snapshot)
    return [_told(one, pairing, known, fields, reasons) for one in groups.groups]


_SAME = Told(MatchKind.SAME, (), None)


def _told(one: Group, pairing: Pairing, known: Known, fields: Fields, reasons: Reasons) -> Told:
    a, b = pairing.a, pairing.b
    if not one.a:
        return Told(MatchKind.ADDED, (), reasons.added(b.node(one.b[0]), known.reasons_b.get(one.b[0], "")))
    if not one.b:
        return Told(
            MatchKind.REMOVED, (), reasons.removed(a.node(one.a[0]), known.reasons_a.get(one.a[0], ""))
        )
    ours, theirs = one.told
    if len(ours) > 1 or len(theirs) > 1:
        nodes = [a.node(i) for i in ours], [b.node(j) for j in theirs]
        why = reasons.rewritten(*nodes, one.confidence, is_folded=one.evidence is Evidence.FOLDED)
        return Told(MatchKind.REWRITTEN, (), why)
    i, j = ours[0], theirs[0]
    differ = fields.differ(i, j)
    if one.moved:
        differ = ("order", *differ)
    if not differ:
        return _SAME
    kind = MatchKind.MOVED if PLACE_FIELDS.issuperset(differ) else MatchKind.CHANGED
    inputs = fields.inputs(i, j) if "inputs" in differ else None
    return Told(kind, differ, reasons.changed(a.node(i), b.node(j), differ, one.confidence, inputs))


def _with_matches(
    comparison: Comparison, groups: list[Group], told: list[Told], words: dict[tuple[int, int], str]
) -> Comparison:
    """The comparison with its columns, and the tables that these refer to."""
    fields: Interner[tuple[str, ...]] = Interner()
    evidence: Interner[Ground] = Interner()
    reasons: Interner[str] = Interner()
    rules: Interner[tuple[MatchKind, str, tuple[str, ...], tuple[str, ...]]] = Interner()
    grounds = {used: evidence[Ground(used[0].value, WORDS[used[0]], used[1])] for used in _used(groups)}
    rule_numbers = [
        NONE if why is None else rules[kind, why.rule, why.before, why.after] for kind, _, why in told
    ]
    counts = Counter(rule_numbers)
    in_full = _in_full(told, rule_numbers)
    matches = MatchColumns(
        kinds=tuple(_NUMBER[one.kind] for one in told),
        fields=tuple(fields[one.fields] for one in told),
        evidence=tuple(
            grounds[one.evidence, one.confidence]
            if one.evidence is not Evidence.LINK
            else evidence[_link(one, words)]
            for one in groups
        ),
        reasons=tuple(NONE if one.reason is None else reasons[one.reason.text] for one in told),
        rules=tuple(rule_numbers),
        a_counts=tuple(len(one.a) for one in groups),
        a_nodes=tuple(i for one in groups for i in one.a),
        b_counts=tuple(len(one.b) for one in groups),
        b_nodes=tuple(j for one in groups for j in one.b),
    )
    return msgspec.structs.replace(
        comparison,
        matches=matches,
        fields=tuple(fields),
        evidence=tuple(evidence),
        reasons=tuple(reasons),
        rules=tuple(
            Rule(
                kind,
                in_full.get(number, text),
                counts[number],
                before,
                after,
                minor=is_minor(kind, before, after),
            )
            for number, (kind, text, before, after) in enumerate(rules)
        ),
    )


def _in_full(told: list[Told], rules: list[int]) -> dict[int, str]:
    """The rules of changes whose every instance has the same reason: that says more."""
    found: dict[int, set[str]] = {}
    for one, rule in zip(told, rules, strict=True):
        if one.kind is MatchKind.CHANGED and one.reason is not None:
            found.setdefault(rule, set()).add(one.reason.text)
    alike = {rule: texts.pop() for rule, texts in found.items() if len(texts) == 1}
    return {rule: text for rule, text in alike.items() if len(text) <= _LONGEST_RULE}


def _used(groups: list[Group]) -> list[tuple[Evidence, float]]:
    found = {(one.evidence, one.confidence) for one in groups if one.evidence is not Evidence.LINK}
    order = list(Evidence)
    return sorted(found, key=lambda used: (order.index(used[0]), -used[1]))


def _link(one: Group, words: dict[tuple[int, int], str]) -> Ground:
    text = words[one.link] if one.link is not None else ""
    return Ground(text, WORDS[Evidence.LINK], confidence(text))
