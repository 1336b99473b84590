"""What a page asks for when a panel shows it: reports; coverage, dtypes at edge, values of Python.

These take too long to be made before the first picture. A page without a kernel has them all.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final

import msgspec

from exir_viz.reports.registry import names, run_safely
from exir_viz.reports.report import Report
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.columns import Analysis, PageValue, SourceCoverage
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.program import ValueRole

if TYPE_CHECKING:
    from exir_viz.reports import SourceFile
    from exir_viz.snapshot.program import PythonValue
    from exir_viz.snapshot.redaction import Redaction

# Nodes of the largest program that is analyzed, and compared, at 50 µs a node.
MOST_NODES: Final = 20_000
_MOST_VALUES: Final = 5_000


def is_small(snapshot: Snapshot) -> bool:
    """Whether a page analyzes a program, and compares it with others of its session."""
    return sum(map(len, snapshot.graphs)) <= MOST_NODES


def sections_for_pages(snapshot: Snapshot, share: Redaction) -> dict[str, object]:
    """The sections of a file for a page that has no kernel to ask; a large program has no reports."""
    if not is_small(snapshot):
        return {"analysis": Analysis()}
    made = {name: _made(name, snapshot, share) for name in names()}
    reports = [_shared(report, share) for report in made.values()]
    return {"analysis": _analysis(snapshot, share, made["source"]), "reports": reports}


def report_of(name: str, snapshot: Snapshot, share: Redaction) -> Report:
    """A report of what a page may have of a Snapshot, and paths in it as a page may have them."""
    return _shared(_made(name, snapshot, share), share)


def _made(name: str, snapshot: Snapshot, share: Redaction) -> Report:
    # source files are found by their own paths, which are rewritten afterwards
    return run_safely(name, snapshot if share.has_sources else share.snapshot(snapshot))


def _shared(report: Report, share: Redaction) -> Report:
    plain = _reworded(msgspec.to_builtins(report), cache(share.text))
    return msgspec.convert(plain, Report)


def _reworded(value: Any, text: Callable[[str], str]) -> Any:
    """Plain data with every text in it as `text` writes it; ids of nodes stay."""
    if isinstance(value, str):
        return text(value)
    if isinstance(value, dict):
        return {key: one if key == "nodes" else _reworded(one, text) for key, one in value.items()}
    return [_reworded(one, text) for one in value] if isinstance(value, list | tuple) else value


def encode_report(name: str, snapshot: Snapshot, share: Redaction) -> bytes:
    """A report, packed for a page."""
    return zlib.compress(msgspec.json.encode(report_of(name, snapshot, share)))


def analysis_of(snapshot: Snapshot, share: Redaction) -> Analysis:
    """The analysis of a Snapshot; `share` says which paths and texts a page may have."""
    if not is_small(snapshot):
        return Analysis()
    return _analysis(snapshot, share, _made("source", snapshot, share))


def _analysis(snapshot: Snapshot, share: Redaction, source: Report) -> Analysis:
    """source: the report of lines; one that a user registered in place of ours has other marks."""
    from exir_viz.reports.rules.edge_dtypes import edge_dtypes
    from exir_viz.reports.shapes.python_values import python_values
    from exir_viz.reports.source.marks import MARKS
    from exir_viz.snapshot.symbol_names import in_user_names

    numbers = _numbers(snapshot)
    files = source.sources if share.has_sources and source.marks is MARKS else ()
    values = python_values(in_user_names(share.snapshot(snapshot)))
    is_watched = bool(snapshot.detail.runs)
    return Analysis(
        tuple(_file(one, numbers, share, is_watched=is_watched) for one in files),
        edge_dtypes(snapshot),
        tuple(_values(values, numbers)),
        is_watched,
    )


def encode_analysis(snapshot: Snapshot, share: Redaction) -> bytes:
    """The analysis, packed for a page."""
    return zlib.compress(msgspec.json.encode(analysis_of(snapshot, share)))


def _numbers(snapshot: Snapshot) -> dict[str, int]:
    """By id of a node: its number."""
    starts = Numbering(snapshot).starts
    return {
        f"{graph.path}/{name}": start + at
        for graph, start in zip(snapshot.graphs, starts, strict=False)
        for at, name in enumerate(graph.columns.names)
    }


_STATUSES: Final = ("traced", "specialised", "folded", "passed", "skipped", "unknown", "none")


def _file(one: SourceFile, numbers: dict[str, int], share: Redaction, *, is_watched: bool) -> SourceCoverage:
    return SourceCoverage(
        share.path(one.file),
        one.numbers,
        one.texts,
        tuple(_STATUSES[mark] for mark in one.marks),
        one.notes,
        one.ops,
        one.bytes,
        tuple(tuple(numbers[node] for node in nodes) for nodes in one.nodes),
        is_watched,
        not one.note,
    )


def _values(values: Sequence[PythonValue], numbers: dict[str, int]) -> Iterator[PageValue]:
    for one in values[:_MOST_VALUES]:
        yield PageValue(
            one.role.value,
            one.name,
            one.type,
            one.value,
            one.outcome.value,
            one.note,
            tuple(numbers[node] for node in one.nodes if node in numbers),
            f"{PurePath(one.file).name}:{one.line}" if one.role is ValueRole.VARIABLE else "",
        )
