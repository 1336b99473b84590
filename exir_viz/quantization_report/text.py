"""The quantization report as text."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final

from exir_viz.snapshot.format import decibel_text, plural
from exir_viz.snapshot.printable import printable

from .records import TITLES, OpQuantization, OpStatus, number_text

if TYPE_CHECKING:
    from .report import QuantizationReport

_WIDTH: Final = 100
_MOST_MODULES: Final = 40
_MOST_NODES: Final = 4


def headline(report: QuantizationReport) -> str:
    """ "12 ops: 9 integer, 2 float between integers, 1 float."."""
    counts = [f"{count:,} {TITLES[status]}" for status, count in report.counts.items() if count]
    return f"{plural(len(report), 'op')}: {', '.join(counts) or 'none computes floats'}."


def summarise(report: QuantizationReport) -> str:
    """Plain text: the outcome, warnings, a line per module, and the float ops with their reasons."""
    lines = [headline(report)]
    for warning in report.warnings:
        lines += textwrap.wrap(f"Warning: {warning}", _WIDTH, subsequent_indent="  ")
    if not report.is_quantized and not report.where(OpStatus.BETWEEN):
        return printable("\n".join(lines))
    lines += ["", *_modules(report)]
    for status in (OpStatus.BETWEEN, OpStatus.FLOAT, OpStatus.WEIGHTS):
        lines += _explained(report, status)
    return printable("\n".join(lines))


def _modules(report: QuantizationReport) -> Iterator[str]:
    shown = [status for status, count in report.counts.items() if count]
    found = report.modules().records()
    has_snr = any(row.snr is not None for row in report)
    rows = [("module", *(TITLES[status] for status in shown), *(["least SNR"] * has_snr), "result")]
    results: dict[str, set[str]] = {}
    for each in report:
        results.setdefault(each.module, set()).update({number_text(each.output)} - {""})
    for one in found[:_MOST_MODULES]:
        name = str(one["module"] or "")
        counts = (str(one[status.value] or "–") for status in shown)
        snr = ["–" if one["snr"] is None else decibel_text(float(one["snr"]))] * has_snr
        rows.append((name or "(no module)", *counts, *snr, _result(results[name])))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        middle = (cell.rjust(width) for cell, width in zip(row[1:-1], widths[1:-1], strict=True))
        yield "  ".join([row[0].ljust(widths[0]), *middle, row[-1]]).rstrip()
    if len(found) > _MOST_MODULES:
        yield f"… {plural(len(found) - _MOST_MODULES, 'more module is', 'more modules are')} in .modules()."


def _result(texts: Collection[str]) -> str:
    """How the ops of a module quantize their results: as one, or in how many ways."""
    return f"{len(texts)} different" if len(texts) > 1 else next(iter(texts), "")


def _explained(report: QuantizationReport, status: OpStatus) -> Iterator[str]:
    groups: dict[tuple[str, str], list[OpQuantization]] = {}
    for row in report.where(status):
        groups.setdefault((row.op, row.reason), []).append(row)
    if groups:
        yield from ("", TITLES[status].capitalize())
    for (op, reason), rows in groups.items():
        names = ", ".join(row.node.rpartition("/")[2] for row in rows[:_MOST_NODES])
        more = f" and {len(rows) - _MOST_NODES:,} more" if len(rows) > _MOST_NODES else ""
        title = f"{op} ×{len(rows):,} ({names}{more})"
        yield from textwrap.wrap(title, _WIDTH, initial_indent="  ", subsequent_indent="      ")
        yield from textwrap.wrap(reason, _WIDTH, initial_indent="    ", subsequent_indent="    ")
