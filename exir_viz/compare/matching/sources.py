"""What a node was computed from before something was put in between: the way past what has no counterpart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from exir_viz.compare.normalize.side import Side

# A node without counterpart that is computed from weights or numbers alone, or from several things.
_NOTHING, _SEVERAL = -2, -3


class Sources:
    """One side. `alone`: which nodes have no counterpart; `passed`: what a call around them hands to them."""

    def __init__(self, side: Side, alone: Sequence[bool], passed: Mapping[int, int]) -> None:
        self._side = side
        self._alone = alone
        self._passed = passed
        self._found: dict[int, int] = {}

    def of(self, number: int) -> int:
        """The node itself, or the one thing with a counterpart that it is computed from where it has none.

        On the way there may be a whole block, as `x + f(x)`. What came or went with it and reads nothing,
        its weights, does not count.
        """
        found, todo = self._found, [number]
        while todo:
            one = todo[-1]
            waiting = [] if one in found else [other for other in self._read(one) if other not in found]
            todo += waiting
            if not waiting:
                todo.pop()
                found.setdefault(one, self._source(one))
        return number if found[number] < 0 else found[number]

    def _read(self, number: int) -> Sequence[int]:
        if not self._alone[number]:
            return ()
        return (self._passed[number],) if number in self._passed else self._side.inputs[number]

    def _source(self, number: int) -> int:
        if not self._alone[number]:
            return number
        sources = {self._found[one] for one in self._read(number)} - {_NOTHING}
        if len(sources) > 1:
            return _SEVERAL
        return sources.pop() if sources else _NOTHING
