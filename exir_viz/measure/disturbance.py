"""Remarks about what the machine did while a program was measured, and about runs that differ."""

from __future__ import annotations

from collections.abc import Iterator

from exir_viz.snapshot.format import time_text

from .conditions import waits
from .records import Conditions, Remark, Times
from .statistic import LONG, Disturbed

# A smaller share of a run does not change its interpretation.
_MUCH = 0.02


def away(
    found: Disturbed | None, whole: Times, conditions: Conditions, of: str, node: str = ""
) -> Iterator[Remark]:
    """How long the thread had no CPU, from its CPU time; else the load before the first run.

    `of` says what the time was subtracted from; `node` is the id of the node that `of` names.
    """
    if found is not None and (found.out or found.away > _MUCH * whole.time):
        out = f"{_time(found.out)} per run is excluded from {of}" if found.out else "Times include this"
        yield Remark(
            "busy",
            f"Busy machine: other programs interrupted {found.runs} of {whole.n} runs, for "
            f"{_time(found.away)} per run on average (by the thread's CPU time). {out}.",
            node if found.out else "",
        )
    elif waits(conditions):
        yield Remark("busy", "The machine was busy when this started. Times may be too high.")


def uneven(long: int, whole: Times, *, is_own: bool) -> Iterator[Remark]:
    """Whether runs differ: which of them the times are the mean of, and what is known of the cause.

    `long` counts the runs that took much longer than the fastest half; `is_own` if the program caused that.
    """
    many = f"{long} of {whole.n} runs took more than twice as long as the fastest half"
    if long and is_own:
        yield Remark(
            "varied",
            f"{many}. By the thread's CPU time the program itself caused this: times are the mean of all "
            "runs.",
        )
    elif long:
        yield Remark(
            "busy",
            f"{many}. It is unknown whether the machine or the program caused this. Times are the mean of "
            "the fastest half.",
        )
    elif not is_own and whole.time > LONG * whole.min:
        yield Remark(
            "busy",
            f"The machine was probably busy: the fastest run took {_time(whole.min)}, the mean of the "
            f"fastest half is {_time(whole.time)}. Times may be too high.",
        )


def _time(nanoseconds: float) -> str:
    return time_text(nanoseconds / 1e9)
