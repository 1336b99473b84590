"""What became of values, as text for a terminal and as HTML for a notebook."""

from __future__ import annotations

import html
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from exir_viz.snapshot.format import plural
from exir_viz.snapshot.printable import one_line, printable
from exir_viz.snapshot.program import PythonValue, ValueOutcome, ValueRole

if TYPE_CHECKING:
    from .python_values import PythonValues

# The most rows of one role in a terminal.
_MOST: Final = 30
_TITLES: Final = {
    ValueRole.INPUT: "Inputs",
    ValueRole.ATTRIBUTE: "Attributes",
    ValueRole.VARIABLE: "Variables of functions",
}
_WIDTHS: Final = (40, 12, 30, 14)
UNWATCHED: Final = (
    "Only inputs and state are known. For attributes and variables too, pass the module and its inputs."
)


def headline(values: PythonValues) -> str:
    """The counts in one line."""
    counts = values.counts
    counts_text = ", ".join(f"{counts[one]} {one.value}" for one in ValueOutcome if counts[one])
    return f"{plural(len(values), 'value')}: {counts_text or 'none'}."


def summarise(values: PythonValues) -> str:
    """A table for each role; long ones are cut."""
    lines = [headline(values), *([] if values.is_watched else [UNWATCHED])]
    for role, title in _TITLES.items():
        found = [one for one in values if one.role is role]
        if not found:
            continue
        rows = [tuple(map(one_line, _cells(one), _WIDTHS)) for one in found[:_MOST]]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines += ["", title]
        for row, one in zip(rows, found, strict=False):
            cells = "  ".join(map(str.ljust, row, widths))
            lines.append(f"{cells}  {one.note}{_place(one)}".rstrip())
        if len(found) > _MOST:
            lines.append(f"… {len(found) - _MOST:,} more")
    return printable("\n".join(lines))


def _cells(one: PythonValue) -> tuple[str, str, str, str]:
    return one.name, one.type, one.value, one.outcome.value


def _place(one: PythonValue) -> str:
    is_named = one.role is ValueRole.VARIABLE and one.file
    return f" ({PurePath(one.file).name}:{one.line})" if is_named else ""


def as_html(values: PythonValues) -> str:
    """A table with all rows; all text of the program is escaped."""
    note = "" if values.is_watched else f"<p>{html.escape(UNWATCHED)}</p>"
    cell = "padding:1px 10px 1px 0;text-align:left;vertical-align:top"
    head = "".join(f'<th style="{cell}">{name}</th>' for name in ("", "type", "value", "became", "why"))
    parts = [f"<p>{html.escape(headline(values))}</p>{note}"]
    for role, title in _TITLES.items():
        found = [one for one in values if one.role is role]
        if found:
            rows = "".join(_row(one, cell) for one in found)
            table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
            opened = " open" if len(found) <= _MOST else ""
            parts.append(f"<details{opened}><summary>{title}: {len(found)}</summary>{table}</details>")
    return printable("".join(parts))


def _row(one: PythonValue, cell: str) -> str:
    name, kind, value, outcome = map(html.escape, _cells(one))
    note = html.escape(one.note + _place(one))
    shown = (f"<code>{name}</code>", kind, f"<code>{value}</code>", outcome, note)
    return f"<tr>{''.join(f'<td style={chr(34)}{cell}{chr(34)}>{each}</td>' for each in shown)}</tr>"
