"""Which whole models of two programs are each other's: those that methods of one name are of."""

from __future__ import annotations

from exir_viz.compare.normalize.module_attribution import outermost
from exir_viz.compare.normalize.paired_methods import methods
from exir_viz.compare.normalize.side import Side
from exir_viz.snapshot import Method
from exir_viz.snapshot.columns import NONE

Pair = tuple[int, int]


def outermost_calls(a: Side, b: Side) -> list[Pair]:
    """The calls of whole models that make methods of one name, where there are several of either."""
    if max(len(a.snapshot.methods), len(b.snapshot.methods)) < 2:
        return []
    found = ((_outermost(x), _outermost(y)) for x, y in methods(a.snapshot, b.snapshot))
    return list(dict.fromkeys((x, y) for x, y in found if NONE not in (x, y)))


def _outermost(method: Method) -> int:
    """The one module call that all of a method stands in; NONE where there are several."""
    found = outermost(method.graphs())
    return found.pop() if len(found) == 1 else NONE
