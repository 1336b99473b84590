"""The unit of an axis: one for all its numbers, chosen by the largest, as in the panels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unit:
    """`size`: its number of seconds or bytes."""

    name: str
    size: float

    def of(self, amount: float | None) -> float:
        """Seconds or bytes in this unit; 0 if unknown."""
        return (amount or 0.0) / self.size


_TIMES = (Unit("s", 1.0), Unit("ms", 1e-3), Unit("µs", 1e-6), Unit("ns", 1e-9))
_BYTES = tuple(Unit(name, float(1024**power)) for power, name in enumerate(("B", "KB", "MB", "GB", "TB")))


def time_unit(seconds: Iterable[float | None]) -> Unit:
    """The unit of an axis with these times on it."""
    return _largest(_TIMES, seconds)


def byte_unit(counts: Iterable[float | None]) -> Unit:
    """The unit of an axis with these bytes on it: KB of 1024."""
    return _largest(_BYTES[::-1], counts)


def _largest(units: Sequence[Unit], amounts: Iterable[float | None]) -> Unit:
    most = max((amount or 0.0 for amount in amounts), default=0.0)
    return next((unit for unit in units if most >= unit.size), units[-1])
