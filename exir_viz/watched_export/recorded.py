"""The lines that a Snapshot keeps of a watched export."""

from __future__ import annotations

from collections import Counter

from exir_viz.snapshot import Snapshot

# How often a line was reached from another; -1 is the line from which a call begins, and to which it ends.
Arcs = Counter[tuple[int, int]]


def arcs_of(snapshot: Snapshot) -> dict[str, Arcs]:
    """The lines that were watched, by file; empty where none were."""
    return {
        one.file: Arcs(dict(zip(zip(one.sources, one.lines, strict=False), one.counts, strict=False)))
        for one in snapshot.detail.runs
    }
