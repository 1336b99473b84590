"""Compute the statistics of a Profile from samples of several runs. Plain Python on lists of nanoseconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .processor_time import ProcessorTime
from .records import UNKNOWN, Times

# An op was interrupted if it took this many times its median, and this share of a run.
_FAR, _MUCH = 3, 0.02
# A run is long if it takes this many times the fastest half; this share of runs, and at least two, is no
# chance.
LONG, _OFTEN = 2, 0.1
# Nanoseconds that cold caches may cost a run: at the start, and after a preemption.
_COLD = 1_000_000
# A slow op is responsible if it has this share of a run's additional time.
_MOSTLY = 0.5


def fastest_half(wholes: Sequence[int]) -> list[int]:
    """The fastest half of the runs, which other programs disturbed least."""
    ranked = sorted(range(len(wholes)), key=wholes.__getitem__)
    return ranked[: (len(ranked) + 1) // 2]


def times_of(samples: Sequence[int], mean_runs: Sequence[int], calm: Sequence[int] | None = None) -> Times:
    """The statistics of one column of samples. `mean_runs` are positions in it.

    `calm`: the samples without preempted time, for the mean.
    """
    return spread(samples, _mean([(samples if calm is None else calm)[run] for run in mean_runs]))


def spread(samples: Sequence[int], time: float) -> Times:
    """A time with the spread of its samples."""
    ranked = sorted(samples)
    quarters = (quantile(ranked, share) for share in (0.25, 0.5, 0.75))
    return Times(len(ranked), round(time), ranked[0], *quarters)


def without_spread(time: int) -> Times:
    """A time that is a difference of separate measurements: it has no quartiles."""
    return Times(0, time, *[UNKNOWN] * 4)


class Disturbed(NamedTuple):
    """In how many runs the thread was preempted, for how many nanoseconds per run, and how many were
    subtracted from ops.

    `number` is the op with the largest subtraction; None if that is no op, or nothing was subtracted.
    """

    runs: int
    away: float
    out: float
    number: int | None = None


class Settled(NamedTuple):
    """Samples without the time of other programs: totals, and each node by run."""

    wholes: list[int]
    runs: list[list[int]]
    disturbed: Disturbed | None


def settled(
    wholes: Sequence[int], runs: Sequence[Sequence[int]], processor_times: Sequence[ProcessorTime | None]
) -> Settled:
    """Subtract preempted time from the nodes (or the rest) that are far above their medians.

    A preemption of a few milliseconds falls into some op, but is not caused by it. Time is subtracted only in
    a run whose processor time shows a preemption, and at most that much; the total is reduced equally, so
    that each run still adds up. An op that is itself slow now and then keeps its time.
    """
    away = [_away(processor, whole) for whole, processor in zip(wholes, processor_times, strict=True)]
    if not any(away):
        return Settled(list(wholes), [list(times) for times in runs], None)
    rows = [[*times, whole - sum(times)] for whole, times in zip(wholes, runs, strict=True)]
    medians = [_median(column) for column in zip(*rows, strict=True)]
    much = _MUCH * sum(medians)
    out = [0] * len(medians)
    left = list(wholes)
    for run, row in enumerate(rows):
        far = [at for at, time in enumerate(row) if _is_far(time, medians[at], much)] if away[run] else []
        budget = away[run]
        for at in sorted(far, key=lambda one: medians[one] - row[one]):
            less = min(row[at] - medians[at], budget)
            row[at] -= less
            out[at] += less
            left[run] -= less
            budget -= less
    most = max(range(len(out)), key=out.__getitem__)
    is_op = out[most] > 0 and most < len(out) - 1
    found = Disturbed(sum(map(bool, away)), _mean(away), sum(out) / len(away), most if is_op else None)
    return Settled(left, [row[:-1] for row in rows], found)


def without_away(
    samples: Sequence[int], processor_times: Sequence[ProcessorTime | None]
) -> tuple[list[int], Disturbed | None]:
    """Samples of a program that is timed as a whole, each without preempted time."""
    away = [_away(processor, time) for time, processor in zip(samples, processor_times, strict=True)]
    if not any(away):
        return list(samples), None
    found = Disturbed(sum(map(bool, away)), _mean(away), _mean(away))
    return [time - one for time, one in zip(samples, away, strict=True)], found


class MeanRuns(NamedTuple):
    """The runs over which times are means: the fastest half, or all of them.

    `long` counts the runs that took much longer than the quiet ones, if they are too many to be chance;
    `is_own` is whether their processor times show that the program caused that.
    """

    runs: list[int]
    long: int
    is_own: bool


def mean_runs(
    wholes: Sequence[int],
    calm: Sequence[int],
    processor_times: Sequence[ProcessorTime | None],
    runs: Sequence[Sequence[int]] | None = None,
) -> MeanRuns:
    """Choose the runs of one program; `calm` are the totals without preempted time, `runs` their nodes.

    CPU time alone does not prove that the program had more to do: cold caches use it too, at the start and
    after a preemption. Proof is more time than these can cost, or in warm runs; and, if nodes are timed
    separately, the same op again and again.
    """
    fastest = fastest_half(calm)
    limit = LONG * _mean([calm[run] for run in fastest])
    few = max(2, _OFTEN * len(calm))
    own = _own(wholes, processor_times, limit)
    if runs is not None:
        own = _of_one_op(own, calm, runs, fastest)
    if len(own) >= few:
        return MeanRuns(list(range(len(calm))), len(own), True)
    long = sum(one > limit for one in calm)
    return MeanRuns(fastest, long if long >= few else 0, False)


def _own(wholes: Sequence[int], processor_times: Sequence[ProcessorTime | None], limit: float) -> list[int]:
    """The long runs that the program itself caused, according to their processor times."""
    found, is_cold = [], True
    for run, (whole, processor_time) in enumerate(zip(wholes, processor_times, strict=True)):
        if processor_time is None:
            continue
        is_cold = is_cold or processor_time.lost > 0
        own = processor_time.own(whole)
        if own > limit + is_cold * _COLD * max(processor_time.lost, 1):
            found.append(run)
        elif own <= limit and not processor_time.lost:
            is_cold = False
    return found


def _of_one_op(
    long: Sequence[int], calm: Sequence[int], runs: Sequence[Sequence[int]], fastest: Sequence[int]
) -> list[int]:
    """The long runs that one op explains, the same in two of them or more."""
    if len(long) < 2:
        return []
    usual = [_mean([column[run] for run in fastest]) for column in zip(*runs, strict=True)]
    usually = _mean([calm[run] for run in fastest])
    slow: dict[int, list[int]] = {}
    for run in long:
        more = [time - one for time, one in zip(runs[run], usual, strict=True)]
        most = max(range(len(more)), key=more.__getitem__, default=None)
        if most is not None and more[most] > _MOSTLY * (calm[run] - usually):
            slow.setdefault(most, []).append(run)
    return sorted(run for some in slow.values() if len(some) > 1 for run in some)


def quantile(ranked: Sequence[int], share: float) -> int:
    """A quantile of sorted numbers, interpolated between the two nearest."""
    at = share * (len(ranked) - 1)
    low = int(at)
    high = min(low + 1, len(ranked) - 1)
    return round(ranked[low] + (ranked[high] - ranked[low]) * (at - low))


def _away(processor_time: ProcessorTime | None, whole: int) -> int:
    return 0 if processor_time is None else processor_time.away(whole)


def _is_far(time: int, median: int, much: float) -> bool:
    return median > 0 and time > _FAR * median and time - median > much


def _median(samples: Sequence[int]) -> int:
    """The median over the runs in which it ran."""
    ran = sorted(one for one in samples if one > 0)
    return quantile(ran, 0.5) if ran else 0


def _mean(samples: Sequence[float]) -> float:
    return sum(samples) / len(samples)
