"""Which methods of two programs are each other's, and with them the whole models that they are of."""

from __future__ import annotations

from collections.abc import Iterator

from exir_viz.compare.reading.side import Side
from exir_viz.snapshot import Method, Snapshot
from exir_viz.snapshot.columns import NONE

Pair = tuple[int, int]


def methods(a: Snapshot, b: Snapshot) -> Iterator[tuple[Method, Method]]:
    """Methods of one name; or the only ones."""
    if len(a.methods) == len(b.methods) == 1:
        yield a.method, b.method
        return
    for name, method in a.methods.items():
        if name in b.methods:
            yield method, b.methods[name]


def outermost_calls(a: Side, b: Side) -> list[Pair]:
    """The calls of whole models that make methods of one name, where there are several of either."""
    if max(len(a.snapshot.methods), len(b.snapshot.methods)) < 2:
        return []
    found = ((_outermost(x), _outermost(y)) for x, y in methods(a.snapshot, b.snapshot))
    return list(dict.fromkeys((x, y) for x, y in found if NONE not in (x, y)))


def _outermost(method: Method) -> int:
    """The one module call that all of a method stands in; NONE where there are several."""
    table = method.snapshot.scopes
    found = {scope for graph in method.graphs() for scope in graph.columns.scopes} - {NONE}
    while any(table[scope].parent != NONE for scope in found):
        found = {scope if table[scope].parent == NONE else table[scope].parent for scope in found}
    return found.pop() if len(found) == 1 else NONE
