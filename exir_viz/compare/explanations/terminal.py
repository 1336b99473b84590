"""The output of `print(diff)`: changes by rule and module, and changes outside the nodes.

Plain text for a terminal, in lines of at most WIDTH columns; omissions are counted. Control characters of the
program's text are escaped.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from exir_viz.compare.classify.counts import signed
from exir_viz.compare.records import KINDS, SIGNS, ChangeRule, Counts, OpChange
from exir_viz.snapshot.call_change import CallChange
from exir_viz.snapshot.format import plural
from exir_viz.snapshot.printable import one_line, sentence

from .similar_changes import fact_text, module_title

if TYPE_CHECKING:
    from exir_viz.compare.diff import Diff

WIDTH = 96
_RULES, _MODULES, _FACTS = 14, 12, 10
# A sentence is cut after this many lines.
_LINES = 3
_WORDS = {
    "same": "unchanged", "changed": "changed", "moved": "moved", "rewritten": "rewritten",
    "added": "added", "removed": "removed",
}  # fmt: skip


def summarise(diff: Diff) -> str:
    """The whole diff on one screen."""
    head = one_line(f"{diff.comparison.a} → {diff.comparison.b}", WIDTH)
    if diff.is_empty:
        same = f"{head}\n\nNo difference: {all_the_same(diff)}."
        return "\n".join([same, *_wrapped_sentences("Not compared", diff.contents.left, _FACTS)])
    lines = [head, "", *(f"  {line}" for line in counted(diff.counts))]
    lines += _section(
        "Rules", [(sign_of(one), f"{one.count:,}×", rule_words(one)) for one in diff.rules], _RULES
    )
    modules = [
        (signed(one.counts), f"{len(one.modules):,}×", module_title(one))
        for one in diff.comparison.module_groups
    ]
    lines += _section("Modules", modules, _MODULES)
    lines += _ops(diff.ops, diff.calls)
    contents, facts = (
        (*diff.contents.texts, *diff.contents.left),
        [fact_text(one) for one in diff.comparison.fact_groups],
    )
    lines += _wrapped_sentences("Other changes", (*contents, *facts), _FACTS + len(contents))
    return "\n".join(lines)


def _ops(ops: Sequence[OpChange], calls: CallChange) -> list[str]:
    """Calls added and removed; and one line with the ops that are called more or less often, as many as
    fit.
    """
    if not ops and not calls.added + calls.removed:
        return []
    head = f"Ops  {calls.text}"
    words = [
        f"{signed_number(one.after - one.before)} {one_line(one.op.removesuffix('.default'), WIDTH // 2)}"
        for one in ops
    ]
    line, left = "  " + " · ".join(words), ""
    while len(line) + len(left) > WIDTH:
        words.pop()
        line, left = "  " + " · ".join(words), f" · {len(ops) - len(words):,} more"
    return ["", head, line + left] if ops else ["", head]


def signed_number(number: int) -> str:
    """ "+1,204" or "−3"."""
    return f"{number:+,}".replace("-", "−")


def sign_of(rule: ChangeRule) -> str:
    return SIGNS[KINDS.index(rule.kind)]


def rule_words(rule: ChangeRule) -> str:
    """A rule without the step that the diff's own title names: "aten.view became aten.view_copy: strides"."""
    return rule.text.replace(rule.step, "", 1) if rule.step else rule.text


def all_the_same(diff: Diff) -> str:
    """ "all 12 nodes are the same", "the only node is the same"."""
    return f"all {plural(len(diff), 'node')} are the same" if len(diff) > 1 else "the only node is the same"


def counted(counts: Counts) -> list[str]:
    """Each kind that occurs, with its sign and number: "~ 336 changed"."""
    pairs = ((sign, getattr(counts, kind), kind) for kind, sign in zip(KINDS, SIGNS, strict=True))
    return [f"{sign} {count:,} {_WORDS[kind]}" for sign, count, kind in pairs if count]


def _section(title: str, rows: Sequence[tuple[str, ...]], limit: int) -> list[str]:
    if not rows:
        return []
    shown = rows if len(rows) <= limit else rows[: limit - 1]
    widths = [max(len(row[at]) for row in shown) for at in range(len(rows[0]) - 1)]
    lines = ["", title]
    for row in shown:
        head = "".join(f"{cell.rjust(width)}  " for cell, width in zip(row, widths, strict=False))
        lines.append(f"  {head}{sentence(row[-1].replace('`', ''), WIDTH - 2 - len(head))}")
    if len(rows) > len(shown):
        lines.append(f"  … {len(rows) - len(shown):,} more")
    return lines


def _wrapped_sentences(title: str, texts: Sequence[str], limit: int) -> list[str]:
    """Sentences, each on as many lines as it needs."""
    if not texts:
        return []
    shown = texts if len(texts) <= limit else texts[: limit - 1]
    lines = ["", title]
    for text in shown:
        words = sentence(text.replace("`", ""), _LINES * (WIDTH - 8))
        lines += textwrap.wrap(
            words, WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
        )
    if len(texts) > len(shown):
        lines.append(f"  … {len(texts) - len(shown):,} more")
    return lines
