"""A Report as text, HTML, tables and SARIF."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from exir_viz.snapshot.format import byte_text, decibel_text, plural, share_text, time_text
from exir_viz.snapshot.printable import Html, html, html_joined, one_line, printable
from exir_viz.table import Table, table

from .report import Cell, Column, Outcome, Report, Row, Section, SourceFile, Unit

_WIDTH: Final = 100
_WIDEST: Final = 40
_MOST_NODES: Final = 4
# Rows of a section that a notebook shows; the others are in `.frame`.
_MOST_HTML: Final = 40
# Units whose cells may be text.
_LEFT: Final = (Unit.TEXT, Unit.SIZE)
_LEVELS: Final = {Outcome.ERROR: "error", Outcome.WARNING: "warning", Outcome.NOTE: "note"}
# Colors of marks that are readable on light and on dark pages.
_COLORS: Final = {"green": "#2E9E6B", "orange": "#C77700", "blue": "#5B8DEF", "red": "#D1495B"}
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
        case Unit.COUNT | Unit.TEXT | Unit.SIZE:
            return f"{cell:,}"


# --- Text ------------------------------------------------------------------------------------------------


def as_text(report: Report, most: int | None) -> str:
    """The headline, the facts, what was not examined, and the sections."""
    lines = textwrap.wrap(f"{report.title}: {report.headline}", _WIDTH, subsequent_indent="  ")
    for fact in report.facts:
        lines += _wrapped(f"{fact.label}: {fact.text}", "  ", "    ")
    for reason in report.unexamined:
        lines += _wrapped(f"Not examined: {reason}", "  ", "    ")
    for section in report.sections:
        lines += ["", *_section_lines(section, most)]
    for source in report.sources[:1]:
        lines += ["", *_listing(report, source)]
    return printable("\n".join(lines))


def _section_lines(section: Section, most: int | None) -> Iterator[str]:
    yield f"{section.title} ({len(section.rows):,})"
    yield from _wrapped(section.note, "  ", "  ")
    shown = section.rows[:most]
    if section.columns:
        yield from _grid(section, shown, most)
    else:
        for row in shown:
            yield from _row_lines(row, most)
    if len(shown) < len(section.rows):
        yield f"  … {len(section.rows) - len(shown):,} more in .frame"


def _grid(section: Section, rows: Sequence[Row], most: int | None) -> Iterator[str]:
    """Titles and values, one line a row, numbers to the right; under it what there is to say."""
    cells = [["", *(column.name for column in section.columns)]]
    cells += [[_title(row), *map(_clipped, _values(section.columns, row))] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line, row in zip(cells, (None, *rows), strict=True):
        parts = [line[0].ljust(widths[0])]
        for cell, width, column in zip(line[1:], widths[1:], section.columns, strict=True):
            parts.append(cell.ljust(width) if column.unit in _LEFT else cell.rjust(width))
        yield f"  {'  '.join(parts)}".rstrip()
        if row is not None:
            yield from _says(row, most)


def _clipped(text: str) -> str:
    """A cell of a line: long ones are whole in `.frame`."""
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def _values(columns: Sequence[Column], row: Row) -> Iterator[str]:
    for index, column in enumerate(columns):
        yield cell_text(row.values[index] if index < len(row.values) else None, column.unit)


def _title(row: Row) -> str:
    mark = "" if row.severity is Outcome.FINE else f"{row.severity.value}: "
    return f"{mark}{row.title}"


def _row_lines(row: Row, most: int | None) -> Iterator[str]:
    """The title with its nodes, and what there is to say."""
    count = f" ×{len(row.nodes):,}" if row.nodes else ""
    if any(row.texts) or not row.nodes:
        yield from _wrapped(f"{_title(row)}{count}", "  ", "      ")
    else:
        shown = row.nodes if most is None else row.nodes[:_MOST_NODES]
        names = ", ".join(node.rpartition("/")[2] for node in shown)
        rest = len(row.nodes) - len(shown)
        more = f" and {rest:,} more" if rest else ""
        yield from _wrapped(f"{_title(row)}{count} ({names}{more})", "  ", "      ")
        yield from _wrapped(next(filter(None, row.places), ""), "    ", "    ")
    yield from _says(row, most)


def _says(row: Row, most: int | None) -> Iterator[str]:
    """What there is to say of each node, and of the row."""
    if any(row.texts):
        shown = len(row.nodes) if most is None else min(len(row.nodes), _MOST_NODES)
        for where, text in _by_node(row, shown):
            yield from _wrapped(f"{where}: {text}" if where else text, "    ", "      ")
        if shown < len(row.nodes):
            yield f"    … {len(row.nodes) - shown:,} more in .node_table()"
    for text in (row.reason, f"→ {row.remedy}" if row.remedy else "", _stated(row)):
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


class _Line(NamedTuple):
    """A source line; its cost: "6 · 40 KB", or "0+32 · 64 KB" if it only calls what made ops."""

    number: int
    mark: int
    cost: str
    text: str
    note: str


def _lines(source: SourceFile) -> Iterator[_Line]:
    columns = (source.numbers, source.marks, source.texts, source.notes, source.ops, source.nodes)
    for index, (number, mark, text, note, ops, nodes) in enumerate(zip(*columns, strict=True)):
        size = share_text(source.shares[index]) if source.shares else byte_text(source.bytes[index])
        count = f"{ops}" if ops == len(nodes) else f"{len(nodes)}+{ops - len(nodes)}"
        yield _Line(number, mark, f"{count} · {size}" if ops else "", text, note)


def _listing(report: Report, source: SourceFile) -> Iterator[str]:
    """Every line with its sign, its ops and its note; control characters are escaped later."""
    yield source.file
    if source.note:
        yield from _wrapped(source.note, "  ", "  ")
    yield "  ".join(f"{mark.sign} {mark.label}" for mark in report.marks)
    width = len(str(max(source.numbers, default=1)))
    for line in _lines(source):
        sign = report.marks[line.mark].sign if line.mark >= 0 else " "
        indent = len(line.text) - len(line.text.lstrip())
        text = line.text[:indent] + one_line(line.text[indent:], max(20, _WIDTH - indent))
        note = f"  # {line.note}" if line.note else ""
        yield f"{line.number:>{width}} {sign} {line.cost:>14} {text}".rstrip() + note


# --- HTML ------------------------------------------------------------------------------------------------


def as_html(report: Report) -> Html:
    """As `as_text`, for a cell of a notebook of 600 pixels, in the theme's colors."""
    facts = html_joined(html("<br>{}: {}", fact.label, fact.text) for fact in report.facts)
    gaps = html_joined(html("<br><i>Not examined: {}</i>", text) for text in report.unexamined)
    head = html("<p><b>{}: {}</b>{}{}</p>", report.title, report.headline, facts, gaps)
    sections = html_joined(map(_html_section, report.sections))
    sources = html_joined(
        _html_source(report, source, is_open=index == 0) for index, source in enumerate(report.sources)
    )
    return html("{}{}{}", head, sections, sources)


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
    return "left" if column.unit in _LEFT else "right"


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


def _html_source(report: Report, source: SourceFile, *, is_open: bool) -> Html:
    """The listing of a file."""
    cell = "padding:0 6px;text-align:left;white-space:pre"
    shown = []
    for line in _lines(source):
        mark = report.marks[line.mark] if line.mark >= 0 else None
        color = _COLORS.get(mark.color if mark else "", "inherit")
        sign = html(
            '<td style="{};color:{}" title="{}">{}</td>', cell, color, mark.label if mark else "",
            mark.sign if mark else "",
        )  # fmt: skip
        note = html("  <i># {}</i>", line.note) if line.note else ""
        shown.append(
            html(
                '<tr><td style="{};opacity:.6">{}</td>{}<td style="{};opacity:.8">{}</td>'
                '<td style="{}">{}{}</td></tr>',
                cell, line.number, sign, cell, line.cost, cell, line.text, note,
            )
        )  # fmt: skip
    legend = html_joined(
        html(' <span style="color:{}" title="{}">{} {}</span>', _COLORS.get(mark.color, "inherit"),
             mark.about, mark.sign, mark.label)
        for mark in report.marks
    )  # fmt: skip
    return html(
        "<details{}><summary><b>{}</b></summary><p>{}</p><p>{}</p><div style='overflow-x:auto'>"
        '<table style="border-collapse:collapse;font-family:monospace"><tbody>{}</tbody></table>'
        "</div></details>",
        " open" if is_open else "", source.file, source.note, legend, html_joined(shown),
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
    names = (*fixed, *(column.name for column in columns))
    whole = ("nodes", *(column.name for column in columns if column.unit in (Unit.COUNT, Unit.BYTES)))
    parts = (column.name for column in columns if column.unit in (Unit.SHARE, Unit.SECONDS, Unit.DECIBELS))
    return table(f"reports.run({report.name!r}).frame", lines, names, integers=whole, floats=parts)


def nodes_table(report: Report) -> Table:
    """A line per node of each row."""
    lines = []
    for section in report.sections:
        for row in section.rows:
            for index, node in enumerate(row.nodes or ("",)):
                text = row.texts[index] if index < len(row.texts) else ""
                place = row.places[index] if index < len(row.places) else ""
                head = (section.title, row.severity.value, row.title)
                lines.append((*head, node, place, text, row.reason, row.remedy))
    names = ("section", "severity", "title", "node", "place", "text", "reason", "remedy")
    return table(f"reports.run({report.name!r}).node_table()", lines, names)


def lines_table(report: Report) -> Table:
    """A line per source line of each file."""
    lines: list[tuple[Cell, ...]] = []
    for source in report.sources:
        labels = [report.marks[mark].label if mark >= 0 else "" for mark in source.marks]
        files, shares = [source.file] * len(labels), source.shares or [None] * len(labels)
        nodes = map(", ".join, source.nodes)
        columns = (source.ops, source.bytes, shares, source.notes, source.texts, nodes)
        lines += zip(files, source.numbers, labels, *columns, strict=True)
    names = ("file", "line", "mark", "ops", "bytes", "share", "note", "text", "nodes")
    whole = ("line", "ops", "bytes")
    return table(f"reports.run({report.name!r}).line_table()", lines, names, integers=whole, floats=["share"])


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
    for index, node in enumerate(row.nodes or ("",)):
        text = row.texts[index] if index < len(row.texts) else row.reason
        place = row.places[index] if index < len(row.places) else ""
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
