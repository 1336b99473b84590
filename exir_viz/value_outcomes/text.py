"""What became of values, as text for a terminal and as HTML for a notebook."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from exir_viz.snapshot.format import plural
from exir_viz.snapshot.printable import Html, html, html_joined, one_line, printable
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


def as_html(values: PythonValues) -> Html:
    """A table with all rows; all text of the program is escaped."""
    cell = "padding:1px 10px 1px 0;text-align:left;vertical-align:top"
    head = html_joined(
        html('<th style="{}">{}</th>', cell, name) for name in ("", "type", "value", "became", "why")
    )
    parts = [html("<p>{}</p>", headline(values))]
    if not values.is_watched:
        parts.append(html("<p>{}</p>", UNWATCHED))
    for role, title in _TITLES.items():
        found = [one for one in values if one.role is role]
        if found:
            rows = html_joined(_row(one, cell) for one in found)
            table = html("<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>", head, rows)
            opened = " open" if len(found) <= _MOST else ""
            parts.append(
                html("<details{}><summary>{}: {}</summary>{}</details>", opened, title, len(found), table)
            )
    return html_joined(parts)


def _row(one: PythonValue, cell: str) -> Html:
    name, kind, value, outcome = _cells(one)
    shown = (html("<code>{}</code>", name), kind, html("<code>{}</code>", value), outcome)
    cells = (html('<td style="{}">{}</td>', cell, each) for each in (*shown, one.note + _place(one)))
    return html("<tr>{}</tr>", html_joined(cells))
