"""Samples of several runs → the statistics of a Profile. Plain Python on lists of nanoseconds."""

from __future__ import annotations

from collections.abc import Sequence

from .records import Times


def quiet_runs(wholes: Sequence[int]) -> list[int]:
    """The half of the runs that took least: what else the machine did meanwhile is least in them."""
    ranked = sorted(range(len(wholes)), key=wholes.__getitem__)
    return ranked[: (len(ranked) + 1) // 2]


def times_of(samples: Sequence[int], quiet: Sequence[int]) -> Times:
    """The statistics of one column of samples; `quiet` are positions in it."""
    ranked = sorted(samples)
    mean = sum(samples[run] for run in quiet) / len(quiet)
    return Times(
        n=len(ranked),
        time=round(mean),
        min=ranked[0],
        p25=quantile(ranked, 0.25),
        median=quantile(ranked, 0.5),
        p75=quantile(ranked, 0.75),
    )


def quantile(ranked: Sequence[int], share: float) -> int:
    """A quantile of sorted numbers, between the two that are nearest."""
    at = share * (len(ranked) - 1)
    low = int(at)
    high = min(low + 1, len(ranked) - 1)
    return round(ranked[low] + (ranked[high] - ranked[low]) * (at - low))
