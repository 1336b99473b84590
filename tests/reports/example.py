"""Reports that tests register, and take away again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from exir_viz.reports import Category, Column, Fact, Outcome, Report, Row, Section, Unit, registry
from exir_viz.snapshot import Snapshot


def ops(snapshot: Snapshot) -> Report:
    """Which operators there are."""
    nodes: dict[str, list[str]] = {}
    for node in snapshot.method.graph:
        if node.op == "call_function":
            nodes.setdefault(node.target.name, []).append(node.id)
    rows = tuple(
        Row(name, severity=Outcome.WARNING, reason="It is there.", nodes=tuple(ids), values=(len(ids),))
        for name, ids in nodes.items()
    )
    every = tuple(node for row in rows for node in row.nodes)
    return Report(
        f"{len(rows)} operators",
        Outcome.WARNING,
        (Fact("ops", str(len(every)), every),),
        (Section("operators", rows, (Column("count", Unit.COUNT),)),),
        tuple(Category(row.title, row.nodes) for row in rows),
    )


def fails(snapshot: Snapshot) -> Report:
    """What never works."""
    raise RuntimeError(f"no {snapshot.method.name} in /home/ana/secret/net.py")


@contextmanager
def registered(*reports: Callable[[Snapshot], Report]) -> Iterator[None]:
    """These reports, and no others of the process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "_registered", {})
        for report in reports:
            registry.register(report)
        yield
