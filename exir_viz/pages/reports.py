"""The reports of a page: made when the user opens one; a page without a kernel has them all."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from exir_viz.reports.registry import names, run_safely
from exir_viz.reports.report import Report
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.wire import is_large

if TYPE_CHECKING:
    from exir_viz.snapshot.redaction import Redaction


def sections_for_pages(snapshot: Snapshot, share: Redaction) -> dict[str, object]:
    """The sections of a file for a page that has no kernel to ask; a large program has no reports."""
    return {} if is_large(snapshot) else {"reports": [report_of(name, snapshot, share) for name in names()]}


def report_of(name: str, snapshot: Snapshot, share: Redaction) -> Report:
    """A report of what a page may have of a Snapshot, and paths in it as a page may have them."""
    # source files are found by their own paths, which are rewritten afterwards
    report = run_safely(name, snapshot if share.has_sources else share.snapshot(snapshot))
    return msgspec.convert(_reworded(msgspec.to_builtins(report), cache(share.text)), Report)


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
