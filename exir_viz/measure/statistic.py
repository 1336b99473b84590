"""Samples of several runs → the statistics of a Profile. Plain Python on lists of nanoseconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .records import Times

# A mean that is so many times its median, and by so much of the whole, is not the op's.
_FAR, _MUCH = 3, 0.02


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


class Disturbed(NamedTuple):
    """A column of samples whose mean says something else than its median."""

    number: int
    mean: float
    median: int


def disturbed(wholes: Sequence[int], runs: Sequence[Sequence[int]]) -> Disturbed | None:
    """Of runs of all nodes the node that another program was taken for, by most; None where there is none.

    Its `time` is several times its median, and the difference is a part of the whole that ranks would show.
    """
    quiet = quiet_runs(wholes)
    if not quiet:
        return None
    whole = sum(wholes[run] for run in quiet) / len(quiet)
    found: Disturbed | None = None
    for number, column in enumerate(zip(*runs, strict=True)):
        mean, median = sum(column[run] for run in quiet) / len(quiet), quantile(sorted(column), 0.5)
        far = mean > _FAR * median and mean - median > _MUCH * whole
        if far and (found is None or mean - median > found.mean - found.median):
            found = Disturbed(number, mean, median)
    return found


def quantile(ranked: Sequence[int], share: float) -> int:
    """A quantile of sorted numbers, between the two that are nearest."""
    at = share * (len(ranked) - 1)
    low = int(at)
    high = min(low + 1, len(ranked) - 1)
    return round(ranked[low] + (ranked[high] - ranked[low]) * (at - low))
