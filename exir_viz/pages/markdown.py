"""A diff as Markdown for a review comment: short, changed modules first, long lists folded.

Enters: a Diff. Leaves: GitHub's Markdown. All text of a program is escaped, so that a name can neither be
markup nor mention anyone. Facts are folded, unless nothing else changed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from exir_viz.compare.classify.counts import signed
from exir_viz.compare.diff import Diff
from exir_viz.compare.explanations.similar_changes import WHOLE_MODEL, fact_text, short_classes
from exir_viz.compare.explanations.terminal import all_the_same, counted, rule_words, sign_of
from exir_viz.compare.records import ModuleGroup
from exir_viz.snapshot.printable import html, one_line
from exir_viz.snapshot.printable import markdown as inert

# How many rows of each list are shown; the rest is only counted.
_MODULES, _RULES, _OPS, _FACTS = 12, 20, 20, 20
_LONGEST = 160
# Inside code nothing can be escaped: characters that would end it, or its cell, are replaced by similar ones.
_NO_CODE = str.maketrans({"`": "ˋ", "|": "│"})
_CODE = re.compile(r"`([^`]*)`")


def markdown(diff: Diff) -> str:
    """The comment: a line that sums up the changes, then modules, rules and the rest as tables."""
    head = f"### {escaped(diff.comparison.a)} → {escaped(diff.comparison.b)}"
    if diff.is_empty:
        same = f"No difference: {all_the_same(diff)}."
        return "\n\n".join([head, same, *map(quoted, diff.contents.left)]) + "\n"
    parts = [head, " · ".join(counted(diff.counts))]
    if contents := (*diff.contents.texts, *diff.contents.left):
        parts.append(" · ".join(map(quoted, contents)))
    modules = [
        (_module(one), f"{len(one.modules):,}×", signed(one.counts)) for one in diff.comparison.module_groups
    ]
    parts += _table(("Module", "Times", "Each"), modules, _MODULES)
    rules = [(sign_of(one), f"{one.count:,}×", quoted(rule_words(one))) for one in diff.rules]
    parts += _folded("Rules", _table(("", "", "Change"), rules, _RULES))
    ops = [(code(one.op.removesuffix(".default")), f"{one.before:,}", f"{one.after:,}") for one in diff.ops]
    parts += _folded("Ops", _table(("Op", "Calls before", "After"), ops, _OPS))
    facts = [(escaped(fact.topic), quoted(fact_text(fact))) for fact in diff.comparison.fact_groups]
    other = _table(("Of", "Change"), facts, _FACTS)
    parts += _folded("Other changes", other) if diff.changes else other
    return "\n\n".join(parts) + "\n"


def escaped(text: str) -> str:
    """Program text with markup escaped."""
    return inert(one_line(text, _LONGEST))


def code(text: str) -> str:
    """Program text as code; a backtick would end it."""
    inert = one_line(text, _LONGEST).translate(_NO_CODE)
    return f"`{inert}`" if inert else ""


def quoted(text: str) -> str:
    """A sentence with names in backticks: the names as code, the rest as text."""
    text = one_line(text, _LONGEST)
    found, at = [], 0
    for match in _CODE.finditer(text):
        found += [inert(text[at : match.start()]), code(match[1])]
        at = match.end()
    return "".join([*found, inert(text[at:])])


def _module(one: ModuleGroup) -> str:
    return f"{code(one.path or WHOLE_MODEL)} {escaped(short_classes(one))}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], limit: int) -> list[str]:
    if not rows:
        return []
    lines = [head, ["---"] * len(head), *rows[:limit]]
    text = "\n".join(f"| {' | '.join(row)} |" for row in lines)
    return [text, f"… and {len(rows) - limit:,} more."] if len(rows) > limit else [text]


def _folded(title: str, parts: Sequence[str]) -> list[str]:
    return [html("<details><summary>{}</summary>", title), *parts, "</details>"] if parts else []
