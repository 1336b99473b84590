"""Coverage as text for a terminal and as HTML for a notebook."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from exir_viz.snapshot.format import byte_text, plural, share_text
from exir_viz.snapshot.printable import Html, html, html_joined, one_line, printable

from .coverage import FileCoverage
from .records import Line, LineStatus

if TYPE_CHECKING:
    from .coverage import Coverage

_WIDTH: Final = 96
# A sign for each status, and a color that is readable on light and on dark pages.
_SIGNS: Final = {
    LineStatus.TRACED: "●",
    LineStatus.SPECIALISED: "◆",
    LineStatus.FOLDED: "○",
    LineStatus.PASSED: "·",
    LineStatus.SKIPPED: "✕",
    LineStatus.UNKNOWN: "?",
    LineStatus.NONE: " ",
}
_COLORS: Final = {
    LineStatus.TRACED: "#2E9E6B",
    LineStatus.SPECIALISED: "#C77700",
    LineStatus.FOLDED: "#5B8DEF",
    LineStatus.SKIPPED: "#D1495B",
}
_LEGEND: Final = {
    LineStatus.TRACED: "traced",
    LineStatus.SPECIALISED: "specialised",
    LineStatus.FOLDED: "folded",
    LineStatus.PASSED: "passed on",
    LineStatus.SKIPPED: "never reached",
    LineStatus.UNKNOWN: "not known",
}


def headline(one: FileCoverage) -> str:
    """A file in one line: "llama/model.py: 34 ops; lines: 12 traced, 2 specialised"."""
    counts = [f"{one.counts[status]} {word}" for status, word in _LEGEND.items() if one.counts[status]]
    name = "/".join(PurePath(one.file).parts[-2:])
    return f"{name}: {plural(one.ops, 'op')}; lines: {', '.join(counts) or 'none'}"


def notes(one: FileCoverage) -> Iterator[str]:
    """What a reader must know of a file."""
    if not one.is_read:
        yield "Only lines that the program names are shown: the source file is missing, changed or not read."
    elif not one.is_watched:
        yield "What ran is inferred from the program. To watch it, pass the module and its inputs."


def summarise(coverage: Coverage) -> str:
    """A line per file where there are several, and the listing of the first."""
    if not coverage.files:
        return "The program names no lines of yours."
    if len(coverage.files) == 1:
        return listing(coverage.files[0])
    lines = [printable(headline(one)) for one in coverage.files]
    return "\n".join([*lines, "", listing(coverage.files[0])])


def listing(one: FileCoverage) -> str:
    """Every line with its sign, its ops and its note; control characters are escaped."""
    legend = "  ".join(f"{_SIGNS[status]} {word}" for status, word in _LEGEND.items())
    lines = [headline(one), *notes(one), legend, ""]
    width = len(str(one.lines[-1].number)) if one.lines else 1
    return printable("\n".join([*lines, *(_listed(line, width) for line in one.lines)]))


def _listed(line: Line, width: int) -> str:
    cost = _cost(line)
    text = _indented(line.text)
    row = f"{line.number:>{width}} {_SIGNS[line.status]} {cost:>14} {text}".rstrip()
    return f"{row}  # {line.note}" if line.note else row


def _cost(line: Line) -> str:
    """ "3 ops, 1.2 KB"; of a line that only calls others, their ops in parentheses."""
    if not line.total_ops:
        return ""
    size = byte_text(line.bytes) if line.time_share is None else share_text(line.time_share)
    count = f"{line.ops}" if line.ops == line.total_ops else f"{line.ops}+{line.total_ops - line.ops}"
    return f"{count} · {size}"


def _indented(text: str) -> str:
    """The text of a line with its indentation, cut where it is too long."""
    indent = len(text) - len(text.lstrip())
    return text[:indent] + one_line(text[indent:], max(20, _WIDTH - indent))


def as_html(coverage: Coverage) -> Html:
    """The listings of all files, the first one open; all text of the program is escaped."""
    if not coverage.files:
        return html("<p>The program names no lines of yours.</p>")
    return html_joined(_file(one, is_open=at == 0) for at, one in enumerate(coverage.files))


def _file(one: FileCoverage, *, is_open: bool) -> Html:
    legend = html_joined(
        (
            html('<span style="color:{}">{} {}</span>', _COLORS.get(status, "inherit"), _SIGNS[status], word)
            for status, word in _LEGEND.items()
        ),
        html(" "),
    )
    return html(
        "<details{}><summary>{}</summary>{}<p>{}</p><div style='overflow-x:auto'>"
        '<table style="border-collapse:collapse;font-family:monospace"><tbody>{}</tbody></table>'
        "</div></details>",
        " open" if is_open else "",
        headline(one),
        html_joined(html("<p>{}</p>", note) for note in notes(one)),
        legend,
        html_joined(map(_row, one.lines)),
    )


def _row(line: Line) -> Html:
    cell = "padding:0 6px;text-align:left;white-space:pre"
    return html(
        '<tr><td style="{};opacity:.6">{}</td><td style="{};color:{}" title="{}">{}</td>'
        '<td style="{};opacity:.8">{}</td><td style="{}">{}{}</td></tr>',
        cell, line.number,
        cell, _COLORS.get(line.status, "inherit"), line.status.value, _SIGNS[line.status],
        cell, _cost(line),
        cell, line.text, html("  <i># {}</i>", line.note) if line.note else "",
    )  # fmt: skip
