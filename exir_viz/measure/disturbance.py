"""Remarks on what the machine did while a program was measured, and on runs that are unlike one another."""

from __future__ import annotations

from collections.abc import Iterator

from exir_viz.snapshot.format import time_text

from .conditions import waits
from .records import Conditions, Remark, Times
from .statistic import LONG, Disturbed

# What is less of a run does not change what is read in it.
_MUCH = 0.02


def away(found: Disturbed | None, whole: Times, conditions: Conditions, of: str) -> Iterator[Remark]:
    """Where the processor was, by the thread's account; or else what the load was before the first run.

    `of` says what was taken out of.
    """
    if found is not None and (found.out or found.away > _MUCH * whole.time):
        out = f"{_time(found.out)} a run are taken out of {of}" if found.out else "None is taken out"
        yield Remark(
            "busy",
            f"The processor was away in {found.runs} of {whole.n} runs, {_time(found.away)} a run in the "
            f"mean, by the thread's own account. {out}.",
        )
    elif waits(conditions):
        yield Remark("busy", "Before it began the machine had more work than cores: times may be long.")


def uneven(long: int, whole: Times, *, is_own: bool) -> Iterator[Remark]:
    """Where runs are unlike one another: which of them times are the mean of, and what is known of the cause.

    `long` counts those that took far longer than the quiet half; `is_own` where the program evidently did.
    """
    many = f"{long} of {whole.n} runs took more than twice as long as the quiet half"
    if long and is_own:
        yield Remark(
            "varied",
            f"{many}, by the thread's own account because the program did: times are the mean over all runs.",
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
