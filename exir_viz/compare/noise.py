"""Do two times differ by more than noise? The one rule for all views that compare times.

The spread of a time is where the middle half of its runs lies; that of a sum is taken as the sum of the
spreads, which is as wide as it can be. Two times are apart where their spreads do not touch and they differ
by more than a tenth: between two measurements of one program there may be as much.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

# Ratios nearer to 1 than this, either way.
NOISE = 1.1
# Quartiles of fewer runs say nothing.
FEWEST = 4


class Span(NamedTuple):
    """Seconds of one run, and from where to where they vary."""

    time: float
    low: float
    high: float


NOTHING = Span(0.0, 0.0, 0.0)


def span(time: float, p25: float | None, p75: float | None, n: int) -> Span:
    """The spread of one node; without bounds where it is not known."""
    if p25 is None or p75 is None or n < FEWEST:
        return Span(time, 0.0, float("inf"))
    return Span(time, min(time, p25), max(time, p75))


def total(spans: Iterable[Span]) -> Span:
    """Of what runs one after the other."""
    time = low = high = 0.0
    for one in spans:
        time, low, high = time + one.time, low + one.low, high + one.high
    return Span(time, low, high)


def are_apart(a: Span, b: Span) -> bool:
    """Are they longer and shorter than one another, beyond noise?"""
    shorter, longer = sorted((a, b), key=lambda one: one.time)
    return shorter.high < longer.low and longer.time > NOISE * shorter.time
