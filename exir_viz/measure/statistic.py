"""Samples of several runs → the statistics of a Profile. Plain Python on lists of nanoseconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .records import Times

# What is so many times its median, and by so much of a run, was not the op: another program ran meanwhile.
_FAR, _MUCH = 3, 0.02


def quiet_runs(wholes: Sequence[int]) -> list[int]:
    """The half of the runs that took least: what else the machine did meanwhile is least in them."""
    ranked = sorted(range(len(wholes)), key=wholes.__getitem__)
    return ranked[: (len(ranked) + 1) // 2]


def times_of(samples: Sequence[int], quiet: Sequence[int], calm: Sequence[int] | None = None) -> Times:
    """The statistics of one column of samples; `quiet` are positions in it, `calm` what the mean is of."""
    ranked, meant = sorted(samples), samples if calm is None else calm
    mean = sum(meant[run] for run in quiet) / len(quiet)
    return Times(
        n=len(ranked),
        time=round(mean),
        min=ranked[0],
        p25=quantile(ranked, 0.25),
        median=quantile(ranked, 0.5),
        p75=quantile(ranked, 0.75),
    )


class Disturbed(NamedTuple):
    """What was taken out of the samples: in how many runs, nanoseconds a run, and where most of it was."""

    runs: int
    mean: float
    number: int


class Settled(NamedTuple):
    """Samples without what another program took: of wholes, and of each node by run."""

    wholes: list[int]
    runs: list[list[int]]
    disturbed: Disturbed | None


def settled(wholes: Sequence[int], runs: Sequence[Sequence[int]]) -> Settled:
    """Where a node, or what is in none, was far from its own median in a run, that run counts as the median.

    A processor that turns to another program for a few milliseconds does so within some op, and not because
    of it. What is taken out of a node is taken out of the whole: each run still adds up.
    """
    if not wholes:
        return Settled([], [], None)
    rests = [whole - sum(times) for whole, times in zip(wholes, runs, strict=True)]
    columns = [list(column) for column in zip(*runs, strict=True)] + [rests]
    medians = [quantile(sorted(column), 0.5) for column in columns]
    much = _MUCH * sum(medians)
    taken = [0] * len(wholes)
    by_node = [0] * len(columns)
    for number, (column, median) in enumerate(zip(columns, medians, strict=True)):
        for run, time in enumerate(column):
            if median > 0 and time > _FAR * median and time - median > much:
                column[run] = median
                taken[run] += time - median
                by_node[number] += time - median
    if not any(taken):
        return Settled(list(wholes), [list(times) for times in runs], None)
    most = max(range(len(columns) - 1), key=by_node.__getitem__)
    found = Disturbed(sum(map(bool, taken)), sum(taken) / len(taken), most)
    left = [whole - one for whole, one in zip(wholes, taken, strict=True)]
    return Settled(left, [list(times) for times in zip(*columns[:-1], strict=True)], found)


def quantile(ranked: Sequence[int], share: float) -> int:
    """A quantile of sorted numbers, between the two that are nearest."""
    at = share * (len(ranked) - 1)
    low = int(at)
    high = min(low + 1, len(ranked) - 1)
    return round(ranked[low] + (ranked[high] - ranked[low]) * (at - low))
