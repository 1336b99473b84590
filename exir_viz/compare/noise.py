"""Whether two times differ by more than noise: the one rule for all views that compare times.

The spread of a time is the range of the middle half of its runs; that of a sum is the sum of the spreads, an
upper bound. Two times differ if their spreads do not overlap and they differ by more than a tenth: two
measurements of one program may differ by that much.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

# Ratios closer to 1 than this are noise.
NOISE = 1.1
# With fewer runs, quartiles mean nothing.
FEWEST = 4


class Span(NamedTuple):
    """Seconds of one run, with their range."""

    time: float
    low: float
    high: float


NOTHING = Span(0.0, 0.0, 0.0)


def span(time: float, p25: float | None, p75: float | None, n: int) -> Span:
    """The spread of one node; without bounds if unknown."""
    if p25 is None or p75 is None or n < FEWEST:
        return Span(time, 0.0, float("inf"))
    return Span(time, min(time, p25), max(time, p75))


def total(spans: Iterable[Span]) -> Span:
    """The sum of consecutive parts."""
    time = low = high = 0.0
    for one in spans:
        time, low, high = time + one.time, low + one.low, high + one.high
    return Span(time, low, high)


def are_apart(a: Span, b: Span) -> bool:
    """Whether two times differ by more than noise."""
    shorter, longer = sorted((a, b), key=lambda one: one.time)
    return shorter.high < longer.low and longer.time > NOISE * shorter.time
