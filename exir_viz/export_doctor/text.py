"""A diagnosis as text for a terminal and as HTML for a notebook."""

from __future__ import annotations

import html
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from exir_viz.snapshot.format import plural
from exir_viz.snapshot.printable import printable

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


def as_html(diagnosis: Diagnosis) -> str:
    """A list for a notebook; all text of the program is escaped."""
    head = f"<p><b>{html.escape(headline(diagnosis))}</b></p>"
    head += "".join(f"<p>{html.escape(note)}</p>" for note in diagnosis.notes)
    items = "".join(map(_item, diagnosis))
    return printable(f"{head}<ol>{items}</ol>" if items else head)


def _item(one: Blocker) -> str:
    where = f' <code>"{html.escape(one.file)}", line {one.line}</code><pre>{html.escape(one.code)}</pre>'
    fixes = "".join(
        f"<p>{html.escape(fix.title + _where(fix))}</p>"
        + (f"<pre>{html.escape(fix.code)}</pre>" if fix.code else "")
        for fix in one.fixes
    )
    module = f" in <code>{html.escape(one.module)}</code>" if one.module else ""
    title = "The error" if one.kind is BlockerKind.RUN else "What torch says"
    return (
        f"<li><b>{html.escape(one.kind.value)}</b>{module} ({', '.join(one.modes)})"
        f"{where if one.file else ''}<p>{html.escape(one.explanation)}</p>"
        f"<details><summary>{title}</summary><pre>{html.escape(one.reason)}</pre></details>"
        f"{fixes}</li>"
    )
