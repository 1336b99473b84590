"""Compare the bytes of weights, buffers, constants and delegates.

Enters: two sides, and live programs if there are any. Leaves: for two nodes, whether their contents differ;
and in total, how much was compared and what could not be, with the reason. Nothing is called the same that
was not compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import product

import msgspec

from exir_viz.compare.normalize.stored_contents import Stored, StoredContents
from exir_viz.compare.records import Contents, FactChange, MethodChange
from exir_viz.snapshot import Method
from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.program import StateEntry, StateKind
from exir_viz.snapshot.records import TensorValue


class Comparer:
    """Compares the contents of nodes of two sides, and counts the comparisons."""

    def __init__(self, a: StoredContents, b: StoredContents) -> None:
        self._a = a
        self._b = b
        self._compared = {"weight": 0, "delegate": 0}
        self._other = {"weight": 0, "delegate": 0}
        self._left: Counter[tuple[str, str]] = Counter()
        self._reshaped = 0

    def differ(self, i: int, j: int) -> bool:
        """Whether two contents have different bytes. Called once for each pair."""
        x, y = self._a.stored.get(i), self._b.stored.get(j)
        if x is None or y is None or (x.delegate is None) != (y.delegate is None):
            return False
        if x.delegate is not None and y.delegate is not None:
            return x.delegate.backend == y.delegate.backend and self._differs("delegate", x, y)
        if x.packed and y.packed:
            return False  # their delegates count
        if x.packed or y.packed:
            return self._leave("weight", "they are inside a delegate on one side")
        if _is_object(x) or _is_object(y):
            return self._leave("weight", "they are objects, whose contents are not read")
        before, after = self._a.value(x), self._b.value(y)
        if before is not None and after is not None:
            if (before.dtype, before.shape) != (after.dtype, after.shape):
                self._reshaped += 1
                return False  # reported separately
            if _order(before) != _order(after):
                return self._leave("weight", "their dimensions have another order in memory")
        return self._differs("weight", x, y)

    def tied(self, i: int, j: int) -> Iterator[tuple[int, int]]:
        """The pairs of inputs with the same memory as these two; the two themselves if there is none."""
        return product(self._a.tied.get(i, (i,)), self._b.tied.get(j, (j,)))

    def with_unread(self, methods: tuple[MethodChange, ...]) -> tuple[MethodChange, ...]:
        """The changes of methods, with those of unused state, which is matched by name."""
        return tuple(
            msgspec.structs.replace(one, facts=(*one.facts, *self._unread(one.a, one.b)))
            if one.a and one.b
            else one
            for one in methods
        )

    def _unread(self, a: str, b: str) -> Iterator[FactChange]:
        ours, theirs = _unread(self._a.snapshot.methods[a]), _unread(self._b.snapshot.methods[b])
        for name, entry in theirs.items():
            if name in ours and self._differs("weight", Stored(a, name, ours[name]), Stored(b, name, entry)):
                yield FactChange(
                    "state", name, f"state `{name}`: different values", "values", "different values"
                )

    def found(self) -> Contents:
        """The totals."""
        texts = [
            f"{self._share(what)} {_verb(other, what)}{self._and_reshaped(what)}"
            for what, other in self._other.items()
            if other
        ]
        remarks = [
            f"{count:,} {what}{'s' if count > 1 else ''} not compared: {why}"
            for (what, why), count in sorted(self._left.items(), reverse=True)
        ]
        return Contents(
            self._compared["weight"],
            self._other["weight"],
            self._compared["delegate"],
            self._other["delegate"],
            tuple(texts),
            tuple(remarks),
        )

    def _share(self, what: str) -> str:
        """ "12 of 200 weights", "all 3 weights", "the only delegate"; of those that both have."""
        other, shared = self._other[what], self._compared[what] + self._reshapes(what)
        if other < shared:
            return f"{other:,} of {shared:,} {what}s"
        if any(left == what for left, _ in self._left):
            return (
                f"all {shared:,} {what}s that were compared"
                if shared > 1
                else f"the {what} that was compared"
            )
        both = " that both have" if self._is_short(what) else ""
        return f"all {shared:,} {what}s{both}" if shared > 1 else f"the only {what}{both}"

    def _reshapes(self, what: str) -> int:
        return self._reshaped if what == "weight" else 0

    def _and_reshaped(self, what: str) -> str:
        count = self._reshapes(what)
        return f", {count:,} a different shape or dtype" if count else ""

    def _is_short(self, what: str) -> bool:
        """Whether a side has more of them than both have."""
        shared = self._compared[what] + self._reshapes(what)
        return any(side.count(what) > shared for side in (self._a, self._b))

    def _differs(self, what: str, x: Stored, y: Stored) -> bool:
        place = self._a.place(x)
        if place is not None and place == self._b.place(y):
            same = True
        else:
            before, after = self._a.checksum(x), self._b.checksum(y)
            if before is None or after is None:
                return self._leave(what, self._why((x, y), (before, after)))
            same = before == after
        self._compared[what] += 1
        self._other[what] += not same
        return not same

    def _leave(self, what: str, why: str) -> bool:
        self._left[what, why] += 1
        return False

    def _why(self, stored: tuple[Stored, Stored], checksums: tuple[int | None, int | None]) -> str:
        rows = zip(("a", "b"), (self._a, self._b), stored, checksums, strict=True)
        sides = [(name, side, one) for name, side, one, crc32 in rows if crc32 is None]
        empty = [name for name, side, one in sides if _is_empty(side, one)]
        if empty:
            verb = "as .pte files, hold" if len(empty) > 1 else "as a .pte file, holds"
            return f"{' and '.join(empty)}, {verb} no initial values of mutable state"
        names = " and ".join(name for name, _, _ in sides)
        if any(side.is_cut for _, side, _ in sides):
            return f"{names} {'have' if len(sides) > 1 else 'has'} more weights than are read for checksums"
        return f"{names} {'carry' if len(sides) > 1 else 'carries'} no checksum"


def _is_empty(side: StoredContents, stored: Stored) -> bool:
    """Whether it is a buffer without initial values in a file."""
    entry = stored.entry
    return entry is not None and entry.storage is None and side.snapshot.is_pte


def _is_object(stored: Stored) -> bool:
    return stored.entry is not None and stored.entry.kind is StateKind.CUSTOM_OBJ


def _order(value: TensorValue) -> tuple[int, ...] | None:
    """The dimensions in memory order, outermost first, without those of size one or stride zero."""
    steps = value.stride
    if steps is None:
        return None
    dims = [
        (-step, dim)
        for dim, (size, step) in enumerate(zip(value.shape, steps, strict=True))
        if isinstance(step, int) and size != 1 and step != 0
    ]
    return tuple(dim for _, dim in sorted(dims))


def _unread(method: Method) -> dict[str, StateEntry]:
    read = set(index_of(method.graph).states.values())
    return {entry.name: entry for entry in method.state if entry.name not in read}


def _verb(count: int, what: str) -> str:
    if what == "delegate":
        return "has different bytes" if count == 1 else "have different bytes"
    return "has different values" if count == 1 else "have different values"
