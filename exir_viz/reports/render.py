"""A Report as text, HTML, tables and SARIF."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, Final
from urllib.parse import quote

from exir_viz.snapshot.format import byte_text, decibel_text, plural, share_text, time_text
from exir_viz.snapshot.printable import Html, html, html_joined, printable
from exir_viz.table import Table, table

from .report import Cell, Column, Outcome, Report, Row, Section, Unit

_WIDTH: Final = 100
_WIDEST: Final = 40
_MOST_NODES: Final = 4
# Rows of a section that a notebook shows; the others are in `.frame`.
_MOST_HTML: Final = 40
_LEVELS: Final = {Outcome.ERROR: "error", Outcome.WARNING: "warning", Outcome.NOTE: "note"}
_SARIF: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def cell_text(cell: Cell, unit: Unit) -> str:
    """A cell as it is read: "1.5 MB", "12.3%", a dash for what is not known."""
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return cell
    match unit:
        case Unit.BYTES:
            return byte_text(cell)
        case Unit.SHARE:
            return share_text(cell)
        case Unit.SECONDS:
            return time_text(cell)
        case Unit.DECIBELS:
            return decibel_text(cell)
        case Unit.COUNT | Unit.TEXT:
            return f"{cell:,}"


# --- Text ------------------------------------------------------------------------------------------------


def as_text(report: Report, most: int | None) -> str:
    """The headline, the facts, what was not examined, and the sections."""
    lines = textwrap.wrap(f"{report.title}: {report.headline}", _WIDTH, subsequent_indent="  ")
    for fact in report.facts:
        lines += _wrapped(f"{fact.label}: {fact.text}", "  ", "    ")
    for one in report.unexamined:
        lines += _wrapped(f"Not examined: {one}", "  ", "    ")
    for section in report.sections:
        lines += ["", *_section_lines(section, most)]
    return printable("\n".join(lines))


def _section_lines(section: Section, most: int | None) -> Iterator[str]:
    yield f"{section.title} ({len(section.rows):,})"
    yield from _wrapped(section.note, "  ", "  ")
    shown = section.rows[:most]
    yield from _grid(section, shown) if section.columns else ()
    for row in shown:
        yield from _row_lines(row, most, has_title=not section.columns)
    if len(shown) < len(section.rows):
        yield f"  … {len(section.rows) - len(shown):,} more in .frame"


def _grid(section: Section, rows: Sequence[Row]) -> Iterator[str]:
    """Titles and values, one line a row, numbers to the right."""
    cells = [["", *(column.name for column in section.columns)]]
    cells += [[_title(row), *map(_clipped, _values(section.columns, row))] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        parts = [line[0].ljust(widths[0])]
        for cell, width, column in zip(line[1:], widths[1:], section.columns, strict=True):
            parts.append(cell.ljust(width) if column.unit is Unit.TEXT else cell.rjust(width))
        yield f"  {'  '.join(parts)}".rstrip()


def _clipped(text: str) -> str:
    """A cell of a line: long ones are whole in `.frame`."""
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def _values(columns: Sequence[Column], row: Row) -> Iterator[str]:
    for at, column in enumerate(columns):
        yield cell_text(row.values[at] if at < len(row.values) else None, column.unit)


def _title(row: Row) -> str:
    mark = "" if row.severity is Outcome.FINE else f"{row.severity.value}: "
    return f"{mark}{row.title}"


def _row_lines(row: Row, most: int | None, *, has_title: bool) -> Iterator[str]:
    """The title with its nodes, and what there is to say; in a grid only the latter, under its name."""
    says = [row.reason, f"→ {row.remedy}" if row.remedy else "", _stated(row)]
    if not has_title and not any(says) and not any(row.texts):
        return
    shown = row.nodes if most is None else row.nodes[:_MOST_NODES]
    rest = len(row.nodes) - len(shown)
    if any(row.texts):
        yield from _wrapped(f"{_title(row)} ×{len(row.nodes):,}", "  ", "      ")
        for where, text in _by_node(row, len(shown)):
            yield from _wrapped(f"{where}: {text}" if where else text, "    ", "      ")
        if rest:
            yield f"    … {rest:,} more in .node_table()"
    else:
        names = ", ".join(node.rpartition("/")[2] for node in shown)
        more = f" and {rest:,} more" if rest else ""
        nodes = f" ×{len(row.nodes):,} ({names}{more})" if row.nodes else ""
        yield from _wrapped(f"{_title(row)}{nodes}", "  ", "      ")
        yield from _wrapped(next(filter(None, row.places), ""), "    ", "    ")
    for text in filter(None, says):
        yield from _wrapped(text, "    ", "    ")


def _by_node(row: Row, count: int) -> Iterator[tuple[str, str]]:
    """Of the first nodes: "forward/relu · model.py:12", and what there is to say of it."""
    columns = (row.nodes[:count], row.places[:count], row.texts[:count])
    for node, place, text in zip_longest(*columns, fillvalue=""):
        yield " · ".join(filter(None, (node, place))), text


def _stated(row: Row) -> str:
    """The rule and where it is stated: "no-mutation · torch.export: Functionalization"."""
    return " · ".join(filter(None, (row.name, row.section)))


def _wrapped(text: str, first: str, further: str) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=first, subsequent_indent=further)


# --- HTML ------------------------------------------------------------------------------------------------


def as_html(report: Report) -> Html:
    """As `as_text`, for a cell of a notebook of 600 pixels, in the theme's colors."""
    facts = html_joined(html("<br>{}: {}", fact.label, fact.text) for fact in report.facts)
    gaps = html_joined(html("<br><i>Not examined: {}</i>", text) for text in report.unexamined)
    head = html("<p><b>{}: {}</b>{}{}</p>", report.title, report.headline, facts, gaps)
    return html("{}{}", head, html_joined(map(_html_section, report.sections)))


def _html_section(section: Section) -> Html:
    rows = html_joined(_html_row(section, row) for row in section.rows[:_MOST_HTML])
    rest = len(section.rows) - _MOST_HTML
    more = html("<p>… {} in <code>.frame</code></p>", plural(rest, "more row")) if rest > 0 else Html("")
    names = html_joined(
        html('<th style="text-align:{}">{}</th>', _side(column), column.name) for column in section.columns
    )
    heads = html("<thead><tr><th></th>{}</tr></thead>", names) if section.columns else Html("")
    note = html("<p>{}</p>", section.note) if section.note else Html("")
    body = html('<table style="width:100%">{}<tbody>{}</tbody></table>', heads, rows)
    head = html("<summary><b>{}</b> ({})</summary>", section.title, f"{len(section.rows):,}")
    return html("<details open>{}{}{}{}</details>", head, note, body, more)


def _side(column: Column) -> str:
    return "left" if column.unit is Unit.TEXT else "right"


def _html_row(section: Section, row: Row) -> Html:
    shown = row.nodes[:_MOST_NODES]
    rest = len(row.nodes) - len(shown)
    says: list[Html] = []
    if any(row.texts):
        says += [html("<br><code>{}</code> {}", *each) for each in _by_node(row, len(shown))]
        says += (
            [html("<br><small>… {} more in <code>.node_table()</code></small>", f"{rest:,}")] if rest else []
        )
    else:
        names = ", ".join(node.rpartition("/")[2] for node in shown) + (", …" if rest else "")
        count = f"×{len(row.nodes):,} {names}" if row.nodes else ""
        place = next(filter(None, row.places), "")
        says += [html("<br><small>{}</small>", text) for text in (count, place) if text]
    says += [html("<br>{}", row.reason)] if row.reason else []
    says += [html("<br><i>→ {}</i>", row.remedy)] if row.remedy else []
    says += [html("<br><small>{}</small>", _stated(row))] if _stated(row) else []
    values = html_joined(
        html('<td style="text-align:{};vertical-align:top">{}</td>', _side(column), text)
        for column, text in zip(section.columns, _values(section.columns, row), strict=True)
    )
    return html(
        '<tr><td style="text-align:left;overflow-wrap:anywhere">{}{}</td>{}</tr>',
        _title(row), html_joined(says), values,
    )  # fmt: skip


# --- Tables ----------------------------------------------------------------------------------------------


def rows_table(report: Report) -> Table:
    """A line per row, with the columns of all sections."""
    columns = list(dict.fromkeys(column for section in report.sections for column in section.columns))
    lines = []
    for section in report.sections:
        for row in section.rows:
            values = dict(zip(section.columns, row.values, strict=False))
            head = (section.title, row.severity.value, row.name, row.title, len(row.nodes))
            cells = (values.get(column) for column in columns)
            lines.append((*head, row.reason, row.remedy, *cells))
    fixed = ("section", "severity", "name", "title", "nodes", "reason", "remedy")
    names = (*fixed, *(one.name for one in columns))
    whole = ("nodes", *(one.name for one in columns if one.unit in (Unit.COUNT, Unit.BYTES)))
    parts = (one.name for one in columns if one.unit in (Unit.SHARE, Unit.SECONDS, Unit.DECIBELS))
    return table(f"reports.run({report.name!r}).frame", lines, names, integers=whole, floats=parts)


def nodes_table(report: Report) -> Table:
    """A line per node of each row."""
    lines = []
    for section in report.sections:
        for row in section.rows:
            for at, node in enumerate(row.nodes or ("",)):
                text = row.texts[at] if at < len(row.texts) else ""
                place = row.places[at] if at < len(row.places) else ""
                head = (section.title, row.severity.value, row.title)
                lines.append((*head, node, place, text, row.reason, row.remedy))
    names = ("section", "severity", "title", "node", "place", "text", "reason", "remedy")
    return table(f"reports.run({report.name!r}).node_table()", lines, names)


# --- SARIF -----------------------------------------------------------------------------------------------


def sarif(report: Report) -> str:
    """One run, with a result for each node of each row that is at least a note."""
    rows = [row for row in report.rows() if row.severity is not Outcome.FINE]
    named = {_rule_id(report, row): row for row in reversed(rows)}
    rules = [
        {
            "id": name,
            "shortDescription": {"text": row.title},
            "fullDescription": {
                "text": f"{row.title}. Stated in: {row.section}." if row.section else row.title
            },
            **({"helpUri": row.url} if row.url else {}),
            "defaultConfiguration": {"level": _LEVELS[row.severity]},
        }
        for name, row in reversed(named.items())
    ]
    driver = {"name": "exir-viz", "informationUri": "https://pypi.org/project/exir-viz/", "rules": rules}
    results = [result for row in rows for result in _results(report, row)]
    run = {"tool": {"driver": driver}, "results": results}
    return json.dumps({"$schema": _SARIF, "version": "2.1.0", "runs": [run]}, indent=1, ensure_ascii=False)


def _rule_id(report: Report, row: Row) -> str:
    return row.name or f"{report.name}/{row.title}"


def _results(report: Report, row: Row) -> Iterator[dict[str, Any]]:
    for at, node in enumerate(row.nodes or ("",)):
        text = row.texts[at] if at < len(row.texts) else row.reason
        place = row.places[at] if at < len(row.places) else ""
        locations = _location(node, place, report.program)
        yield {
            "ruleId": _rule_id(report, row),
            "level": _LEVELS[row.severity],
            "message": {"text": _message(f"{text or row.title} {row.remedy}".strip())},
            **({"locations": [locations]} if locations else {}),
        }


def _location(node: str, place: str, program: str) -> dict[str, Any]:
    """The user's line, else the program as a whole; and the node."""
    location: dict[str, Any] = {}
    if node:
        name = node.rpartition("/")[2]
        location["logicalLocations"] = [{"name": name, "fullyQualifiedName": node, "kind": "member"}]
    file, _, line = place.rpartition(":")
    if file or program:
        uri = quote((file or program).replace("\\", "/"), safe="/~")
        location["physicalLocation"] = {"artifactLocation": {"uri": uri}}
        if file:
            location["physicalLocation"]["region"] = {"startLine": int(line)}
    return location


def _message(text: str) -> str:
    """Text of a message, in which SARIF makes links of brackets that are not escaped."""
    return re.sub(r"[\[\]\\]", r"\\\g<0>", printable(text))
