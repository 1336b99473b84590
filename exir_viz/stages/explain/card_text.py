"""Print an OpCard as plain text, for a terminal and a notebook cell."""

from __future__ import annotations

from textwrap import wrap

from exir_viz.snapshot.format import plural
from exir_viz.snapshot.printable import printable

from .op_card import DecompositionKind, DtypeRule, OpCard

_WIDTH = 96
_MOST_COMBINATIONS = 8
_DECOMPOSES = {
    DecompositionKind.IMPLICIT: "always: in-place or composite",
    DecompositionKind.TABLE: "by run_decompositions()",
    DecompositionKind.BY_NAME: "only when you name it",
    DecompositionKind.NONE: "none",
}
_MAY = {True: "yes", False: "no", None: "not known"}


def card_text(card: OpCard) -> str:
    """The whole card, without empty parts."""
    sentences = [card.sentence, f"({card.source})" if card.source else ""]
    lines = [card.op, *_wrapped(" ".join(part for part in sentences if part)), ""]
    for label, rows in _rows(card):
        for at, row in enumerate(line for text in rows for line in _wrapped(text, _WIDTH - 16)):
            lines.append(f"{label if at == 0 else '':<14}  {row}")
    return printable("\n".join(lines).rstrip())


def _rows(card: OpCard) -> list[tuple[str, list[str]]]:
    return [
        ("schema", [card.schema]),
        ("effects", list(card.effects)),
        ("tags", [", ".join(tag.name for tag in card.tags)]),
        ("dialects", _dialects(card)),
        ("decomposition", [_DECOMPOSES[card.decomposition]] if card.schema else []),
        ("out variant", [card.out_variant]),
        ("edge dtypes", _dtypes(card.dtypes)),
        ("made of", [", ".join(card.made_of)]),
        ("uses", [_uses(card)] if card.uses else []),
    ]


def _dialects(card: OpCard) -> list[str]:
    """A line for each answer (yes, no, unknown), with the dialects that give it."""
    same: dict[str, list[str]] = {}
    for rule in card.dialects:
        answer = _MAY[rule.allowed] + (f" ({rule.reason})" if rule.reason else "")
        same.setdefault(answer, []).append(rule.dialect.value)
    return [f"{', '.join(names)}: {answer}" for answer, names in same.items()]


def _dtypes(rule: DtypeRule | None) -> list[str]:
    if rule is None:
        return []
    names = [name.replace("__ret_", "result ") for name in rule.arguments]
    rows = [
        ", ".join(f"{name}: {' '.join(dtypes)}" for name, dtypes in zip(names, row, strict=True))
        for row in rule.combinations[:_MOST_COMBINATIONS]
    ]
    more = len(rule.combinations) - len(rows)
    return rows + ([f"… and {plural(more, 'more combination')}"] if more > 0 else [])


def _uses(card: OpCard) -> str:
    more = card.uses - len(card.nodes)
    return f"{card.uses:,}: {', '.join(card.nodes)}{f' and {more:,} more' if more > 0 else ''}"


def _wrapped(text: str, width: int = _WIDTH) -> list[str]:
    return wrap(text, width, break_on_hyphens=False) if text else []
