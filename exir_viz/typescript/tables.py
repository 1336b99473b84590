"""Tables that both languages share in addition to the schema: kinds of ops, colors, short dtype names.

What leaves: the text of tables.ts. The rules that read these tables are `opkind.op_kind` and `describe.short`
here, `opKind` and `short` there; a test checks that both give the same results.
"""

from __future__ import annotations

import json
import textwrap

from exir_viz.snapshot.colors import PALETTE
from exir_viz.snapshot.describe import DTYPES, ITEM_BYTES
from exir_viz.snapshot.opkind import (
    ASSERTS,
    ITEM,
    KINDS,
    MEMORY,
    NAMESPACES,
    NO_WORK,
    PREFIXES,
    SIZE_ARITHMETIC,
    SUFFIXES,
)

from .types import constant

HEAD = """\
/**
 * Kinds of ops, colors and short names of dtypes. Made by `python -m exir_viz.typescript` from the Python
 * that owns them: change them there.
 */"""


def tables_text() -> str:
    """All of tables.ts."""
    prefixes = _record({prefix: kind.value for prefix, kind in PREFIXES})
    parts = [
        HEAD,
        "export type OpKind = keyof typeof KINDS;",
        _kinds(),
        _const("NAMESPACES", _words(sorted(NAMESPACES), ""), "Whose op names mean what ATen's do."),
        _const(
            "SIZE_ARITHMETIC",
            json.dumps(" ".join(SIZE_ARITHMETIC)),
            "How Python's arithmetic on sizes begins.",
        ),
        _const(
            "PREFIXES",
            f"{prefixes} as const",
            "Families of ops that KINDS does not list, by their beginning.",
        ),
        _const("SUFFIXES", json.dumps(" ".join(SUFFIXES)), "Endings of variants that go with their base."),
        _const(
            "ASSERTS",
            _words(sorted(ASSERTS), "  "),
            "Names of ops that check something at run time and yield nothing.",
        ),
        _const("ITEM", json.dumps(ITEM), "The name of the op that takes one item out of a tuple."),
        _const("MEMORY", json.dumps(MEMORY), "The name of the op that allocates memory for a result."),
        constant("Names of ops that are part of another op's work.", "NO_WORK", tuple(sorted(NO_WORK))),
        _const("DTYPES: Readonly<Record<string, string>>", _record(DTYPES), "Short names, by torch's name."),
        constant("Colors of categories.", "PALETTE", tuple(PALETTE.values())),
        _const("ITEM_BYTES: Readonly<Record<string, number>>", _record(ITEM_BYTES), "Bytes of one element."),
    ]
    return "\n\n".join(parts) + "\n"


def _const(name: str, value: str, doc: str) -> str:
    return f"/** {doc} */\nexport const {name} = {value};"


def _kinds() -> str:
    lines = ["/** By kind: its words, its color, and the ops that are of it. */", "export const KINDS = {"]
    for kind, entry in KINDS.items():
        lines += [
            f"  {kind.value}: {{",
            f"    title: {json.dumps(entry.title)},",
            f"    color: {json.dumps(entry.color)},",
            f"    ops: {_words(sorted(entry.ops), '      ')},",
            "  },",
        ]
    return "\n".join([*lines, "} as const;"])


def _words(words: list[str], indent: str) -> str:
    """A template string: a formatter does not change its lines."""
    text = " ".join(words)
    if len(text) < 80:
        return json.dumps(text)
    wrapped = textwrap.wrap(
        text, 100, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )
    return "`\n" + "\n".join(wrapped) + "`"


def _record(table: dict[str, str] | dict[str, int]) -> str:
    return "{\n" + "".join(f"  {key}: {json.dumps(value)},\n" for key, value in table.items()) + "}"
