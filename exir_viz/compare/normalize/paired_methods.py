"""Match methods: those with the same name, or the only one of each program."""

from __future__ import annotations

from collections.abc import Iterator

from exir_viz.snapshot import Method, Snapshot


def methods(a: Snapshot, b: Snapshot) -> Iterator[tuple[Method, Method]]:
    """All of both sides, in b's order."""
    if len(a.methods) == len(b.methods) == 1:
        yield a.method, b.method
        return
    for name, method in b.methods.items():
        if name in a.methods:
            yield a.methods[name], method
