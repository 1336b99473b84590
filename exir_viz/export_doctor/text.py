"""A diagnosis as text for a terminal and as HTML for a notebook."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from exir_viz.snapshot.format import plural
from exir_viz.snapshot.printable import Html, html, html_joined, printable

from .records import Blocker, BlockerKind, Fix

if TYPE_CHECKING:
    from .diagnosis import Diagnosis

_WIDTH: Final = 96
_MOST_LINES: Final = 4


def headline(diagnosis: Diagnosis) -> str:
    """The outcome in one line."""
    modes = ", ".join(f"{mode} {'works' if works else 'fails'}" for mode, works in diagnosis.works.items())
    count = len(diagnosis)
    found = "nothing to fix" if not count else plural(count, "blocker")
    return f"Export of {diagnosis.model}: {modes}; {found}."


def summarise(diagnosis: Diagnosis) -> str:
    """Each blocker: where, why, and what to paste; control characters are escaped."""
    lines = [headline(diagnosis)]
    lines += [line for note in diagnosis.notes for line in textwrap.wrap(f"Note: {note}", _WIDTH)]
    for number, one in enumerate(diagnosis, 1):
        lines += ["", *_blocker(number, one)]
    return printable("\n".join(lines))


def _blocker(number: int, one: Blocker) -> Iterator[str]:
    where = f" in {one.module}" if one.module else ""
    yield f"{number}. {one.kind.value}{where} ({', '.join(one.modes)})"
    if one.file:
        yield f'   File "{one.file}", line {one.line}'
        yield f"     {one.code}"
    yield from textwrap.wrap(one.explanation, _WIDTH, initial_indent="   ", subsequent_indent="   ")
    for line in one.reason.splitlines()[:_MOST_LINES]:
        yield from textwrap.wrap(
            f"{_source(one)}: {line.strip()}", _WIDTH, initial_indent="   ", subsequent_indent="     "
        )
    for fix in one.fixes:
        yield f"   → {fix.title}{_where(fix)}{':' if fix.code else '.'}"
        yield from (f"       {line}" for line in fix.code.splitlines())


def _source(one: Blocker) -> str:
    """Who says the reason."""
    return "error" if one.kind is BlockerKind.RUN else "torch"


def _where(fix: Fix) -> str:
    if not fix.first:
        return " (tried)" if fix.is_tried else ""
    lines = f"line {fix.first}" if fix.first == fix.last else f"lines {fix.first}–{fix.last}"
    where = f"before line {fix.first}" if fix.last < fix.first else f"replaces {lines}"
    return f" ({where}; {'tried' if fix.is_tried else 'not tried'})"


def as_html(diagnosis: Diagnosis) -> Html:
    """A list for a notebook; all text of the program is escaped."""
    notes = html_joined(html("<p>{}</p>", note) for note in diagnosis.notes)
    items = html_joined(map(_item, diagnosis))
    listed = html("<ol>{}</ol>", items) if items else ""
    return html("<p><b>{}</b></p>{}{}", headline(diagnosis), notes, listed)


def _item(one: Blocker) -> Html:
    fixes = html_joined(
        html("<p>{}{}</p>{}", fix.title, _where(fix), html("<pre>{}</pre>", fix.code) if fix.code else "")
        for fix in one.fixes
    )
    return html(
        "<li><b>{}</b>{} ({}){}<p>{}</p><details><summary>{}</summary><pre>{}</pre></details>{}</li>",
        one.kind.value,
        html(" in <code>{}</code>", one.module) if one.module else "",
        ", ".join(one.modes),
        html(' <code>"{}", line {}</code><pre>{}</pre>', one.file, one.line, one.code) if one.file else "",
        one.explanation,
        "The error" if one.kind is BlockerKind.RUN else "What torch says",
        one.reason,
        fixes,
    )
