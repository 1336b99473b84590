"""Remarks about what the machine did while a program was measured, and about runs that differ."""

from __future__ import annotations

from collections.abc import Iterator

from exir_viz.snapshot.format import time_text

from .conditions import waits
from .records import Conditions, Remark, Times
from .statistic import LONG, Disturbed

# A smaller share of a run does not change its interpretation.
_MUCH = 0.02


def away(found: Disturbed | None, whole: Times, conditions: Conditions, of: str) -> Iterator[Remark]:
    """How long the thread had no CPU, from its CPU time; else the load before the first run.

    `of` names what the time was subtracted from.
    """
    if found is not None and (found.out or found.away > _MUCH * whole.time):
        out = f"{_time(found.out)} a run are taken out of {of}" if found.out else "None is taken out"
        yield Remark(
            "busy",
            f"The processor was away in {found.runs} of {whole.n} runs, {_time(found.away)} a run in the "
            f"mean, by the thread's own CPU time. {out}.",
        )
    elif waits(conditions):
        yield Remark("busy", "Before it began the machine had more work than cores: times may be long.")


def uneven(long: int, whole: Times, *, is_own: bool) -> Iterator[Remark]:
    """Whether runs differ: which of them the times are the mean of, and what is known of the cause.

    `long` counts the runs that took much longer than the fastest half; `is_own` if the program caused that.
    """
    many = f"{long} of {whole.n} runs took more than twice as long as the quiet half"
    if long and is_own:
        yield Remark(
            "varied",
            f"{many}, by the thread's own CPU time because the program did: "
            "times are the mean over all runs.",
        )
    elif long:
        yield Remark(
            "busy",
            f"{many}; whether the machine or the program took it is not known. Times are the mean of the "
            "quiet half, without these.",
        )
    elif not is_own and whole.time > LONG * whole.min:
        yield Remark(
            "busy",
            f"The fastest run took {_time(whole.min)}, the quiet half {_time(whole.time)} in the mean: the "
            "machine was probably busy, and times may be long.",
        )


def _time(nanoseconds: float) -> str:
    return time_text(nanoseconds / 1e9)
