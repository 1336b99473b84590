"""Changes in the order of the inputs that both methods have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from exir_viz.compare.records import FactChange
from exir_viz.snapshot.program import InputKind, InputSpec

_NTH = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
# An order of more names than this is not readable; only their number is given.
_MOST = 8


def order_changes(before: Sequence[InputSpec], after: Sequence[InputSpec]) -> Iterator[FactChange]:
    """At most one fact: two that swapped places, one that moved, or the order of those that did."""
    a, b = _places(before), _places(after)
    ours, theirs = _moved([path for path in a if path in b], [path for path in b if path in a])
    if not ours:
        return
    for path in (ours[0], ours[-1]):  # without the moved one, the others are in the same order
        if len(ours) > 2 and [one for one in ours if one != path] == [one for one in theirs if one != path]:
            was, now = _nth(a[path]), _nth(b[path])
            yield FactChange("input", path, f"input `{path}` is now {now}, it was {was}", was, now)
            return
    was, now = _listed(ours), _listed(theirs)
    names = ", ".join(f"`{path}`" for path in sorted(ours))
    is_swap = len(ours) == 2
    text = f"inputs {names} swapped places" if is_swap else f"order of inputs: {was} → {now}"
    yield FactChange("input", "order", text, was, now)


def _places(specs: Sequence[InputSpec]) -> dict[str, int]:
    """By the user's path: its index, from 0."""
    passed = [spec.path for spec in specs if spec.kind is InputKind.USER_INPUT]
    return {path: at for at, path in enumerate(passed) if path is not None}


def _moved(a: list[str], b: list[str]) -> tuple[list[str], list[str]]:
    """The part of both orders without the common beginning and end."""
    differ = [at for at, (one, other) in enumerate(zip(a, b, strict=True)) if one != other]
    return (a[differ[0] : differ[-1] + 1], b[differ[0] : differ[-1] + 1]) if differ else ([], [])


def _nth(place: int) -> str:
    return _NTH[place] if place < len(_NTH) else f"number {place + 1}"


def _listed(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - _MOST:,} more" if len(paths) > _MOST else ""
    return ", ".join(f"`{path}`" for path in paths[:_MOST]) + more
