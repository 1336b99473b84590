"""Why a chart has nothing to draw, and what must be said of a run that was cut short: told by the Profile."""

from __future__ import annotations

from exir_viz.measure.profile import Profile
from exir_viz.measure.records import Executor

_NOTHING = "Nothing in this program computes."
_CUT = "It was not looked at: it ended before<br>the run that is not timed came to its end."

# What to pass where a chart is asked for of something else.
HOW = "exir_viz.profile(program) makes one."


def no_memory(profile: Profile) -> str:
    """Why nothing is known of what is alive."""
    if profile.conditions.executor is not Executor.CPU:
        return "It was not looked at:<br>only executor='cpu' sees what is alive."
    return _NOTHING if profile.complete else _CUT


def no_flops(profile: Profile) -> str:
    """Why no node has a place on the roofline."""
    if profile.conditions.executor is not Executor.CPU:
        return "Of no node that has a time are FLOPs counted:<br>executor='cpu' counts them."
    if not profile.complete:
        return _CUT
    if len(profile) == 0:
        return _NOTHING
    return "Of none of its ops are FLOPs counted: torch counts<br>those of products, convolutions, attention."


def cut_short(profile: Profile) -> str:
    """What must be said beside times of a run that did not come to its end; "" of one that did."""
    if profile.complete:
        return ""
    cold = "" if profile.whole is not None else "; each time is of a first call, which takes longer"
    return f"Not complete: it ended before its last run{cold}"
