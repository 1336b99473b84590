"""Readiness as text for a terminal and as HTML for a notebook."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from exir_viz.snapshot.delegation import share_of
from exir_viz.snapshot.format import byte_text, percent, plural, share_text
from exir_viz.snapshot.printable import Html, html, html_joined, printable

from .records import OpReadiness, Status

if TYPE_CHECKING:
    from .readiness import Readiness

_WIDTH: Final = 96
_MOST_REASONS: Final = 3
_MOST_EXPLAINED: Final = 8
_RUNS: Final = {
    Status.BLOCKED: "blocked",
    Status.CPU: "CPU",
    Status.UNKNOWN: "not known",
    Status.PARTLY: "partly",
    Status.DELEGATED: "backend",
    Status.REMOVED: "removed",
}
# The columns of words, aligned at the left.
_LEFT: Final = ("operator", "runs on", "Core ATen", "dtypes", "kernel")
# The operators of which the text says why.
_EXPLAINED: Final = (Status.BLOCKED, Status.CPU, Status.PARTLY)


def headline(ready: Readiness) -> str:
    """The outcome in one line: "1 operator blocks lowering. XNNPACK would run 137 of 198 calls (69.2%)."."""
    blocked = len(ready.where(Status.BLOCKED))
    verb = "operator blocks" if blocked == 1 else "operators block"
    unknown = sum(row.unknown for row in ready)
    sentences = [f"Lowering to edge fails: {ready.failure.rstrip('.')}."] if ready.failure else []
    if blocked:
        sentences.append(f"{blocked} {verb} lowering.")
    elif not ready.failure:
        sentences.append("No known operator blocks lowering." if unknown else "No operator blocks lowering.")
    if unknown:
        sentences.append(
            f"{unknown:,} of {plural(ready.calls, 'call')} {'is' if unknown == 1 else 'are'} not known."
        )
    removed = sum(row.removed for row in ready)
    total = ready.calls - removed
    sentences += _by_backend(ready, total)
    if removed and ready.backends:
        sentences.append(f"Lowering removes {plural(removed, 'other call')}.")
    return " ".join(sentences)


def _by_backend(ready: Readiness, total: int) -> Iterator[str]:
    """What each backend would run; of a delegated program, what it runs, and of the other ops would run."""
    share = share_of(ready.snapshot)
    runs = share.backends
    for name in dict.fromkeys((*runs, *ready.backends)):
        count = runs.get(name, 0)
        if count:
            runs_text = f"{name} runs {count:,} of {plural(share.ops, 'op')}"
            yield f"{runs_text} ({percent(count, share.ops)}%)."
        if name not in ready.backends:
            continue
        more = ready.delegated(name) - count
        if not runs:
            part = f" ({share_text(more / total)})" if total else ""  # a program may only return its inputs
            yield f"{name} would run {more:,} of {plural(total, 'call')}{part}."
        elif more or not count:
            yield f"{name} would run {more:,} of the other {share.on_cpu:,}."


def _columns(ready: Readiness) -> tuple[str, ...]:
    share = "time" if _is_timed(ready) else "bytes"
    gain = ("gain",) if _has_gain(ready) else ()
    return ("operator", "calls", share, *gain, "runs on", "Core ATen", "dtypes", "kernel", *_backends(ready))


def _backends(ready: Readiness) -> dict[str, None]:
    return dict.fromkeys(name for row in ready for name in row.delegated)


def _has_gain(ready: Readiness) -> bool:
    return any(row.gain is not None for row in ready)


def _is_timed(ready: Readiness) -> bool:
    return any(row.time_share is not None for row in ready)


def _cells(ready: Readiness, row: OpReadiness) -> tuple[str, ...]:
    size = share_text(row.time_share) if _is_timed(ready) else byte_text(row.bytes)
    gain = (share_text(row.gain),) if _has_gain(ready) else ()
    return (
        *(row.op, f"{row.calls:,}", size, *gain, _RUNS[row.status]),
        *(row.core or "–", row.dtypes or "–", row.kernel or "–"),
        *(f"{row.delegated.get(name, 0):,}" for name in _backends(ready)),
    )


def summarise(ready: Readiness) -> str:
    """Plain text: a line per operator, then why and what to do; control characters are escaped."""
    lines = [*textwrap.wrap(headline(ready), _WIDTH)]
    for note in ready.notes:
        lines += textwrap.wrap(f"Note: {note}", _WIDTH, subsequent_indent="  ")
    columns = _columns(ready)
    rows = [columns, *(_cells(ready, row) for row in ready)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    is_left = [name in _LEFT for name in columns]
    lines += ["", *(_line(row, widths, is_left) for row in rows)]
    explained = [row for row in ready if row.reasons and row.status in _EXPLAINED]
    for row in explained[:_MOST_EXPLAINED]:
        lines += ["", *_why(row)]
    if len(explained) > _MOST_EXPLAINED:
        lines += [
            "",
            f"The reasons of {plural(len(explained) - _MOST_EXPLAINED, 'more operator')} are in .frame.",
        ]
    return printable("\n".join(lines))


def _line(cells: tuple[str, ...], widths: list[int], is_left: list[bool]) -> str:
    parts = (cell.ljust(width) if left else cell.rjust(width)
             for cell, width, left in zip(cells, widths, is_left, strict=True))  # fmt: skip
    return "  ".join(parts).rstrip()


def _why(row: OpReadiness) -> Iterator[str]:
    yield f"{row.op} ({row.calls:,})"
    for reason in row.reasons[:_MOST_REASONS]:
        yield from textwrap.wrap(reason, _WIDTH, initial_indent="  ", subsequent_indent="  ")
    if len(row.reasons) > _MOST_REASONS:
        yield f"  … {plural(len(row.reasons) - _MOST_REASONS, 'more reason')}"
    for fix in row.fixes[:_MOST_REASONS]:
        yield from textwrap.wrap(f"→ {fix}", _WIDTH, initial_indent="  ", subsequent_indent="    ")


def as_html(ready: Readiness) -> Html:
    """A table for a notebook, a row per operator with its reasons; all text of the program is escaped."""
    style = "text-align:left;vertical-align:top;overflow-wrap:anywhere"
    notes = html_joined(html("<p>{}</p>", note) for note in ready.notes)
    names = html_joined(html('<th style="{}">{}</th>', style, name) for name in _columns(ready))
    rows = html_joined(_row(ready, row, style) for row in ready)
    return html(
        '<p><b>{}</b></p>{}<div style="overflow-x:auto">'
        "<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table></div>",
        headline(ready), notes, names, rows,
    )  # fmt: skip


def _row(ready: Readiness, row: OpReadiness, style: str) -> Html:
    op, *cells = _cells(ready, row)
    is_explained = row.status in _EXPLAINED
    notes = [html("<br><small>{}</small>", one) for one in row.reasons[:_MOST_REASONS] if is_explained]
    notes += [html("<br><small><i>{}</i></small>", one) for one in row.fixes[:_MOST_REASONS] if is_explained]
    first = html("<code>{}</code>{}", op, html_joined(notes))
    return html(
        "<tr>{}</tr>", html_joined(html('<td style="{}">{}</td>', style, cell) for cell in (first, *cells))
    )
