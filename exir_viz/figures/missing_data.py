"""Why a chart has nothing to draw, and what to say about a run that was cut short."""

from __future__ import annotations

from exir_viz.measure.profile import Profile
from exir_viz.measure.records import Executor

_NOTHING = "This program has no ops that compute."
_CUT = "Not measured: the profile stopped<br>before the first run was complete."

# The hint for a chart that needs another kind of profile.
HOW = "exir_viz.profile(program) makes one."


def no_memory(profile: Profile) -> str:
    """Why the profile has no live bytes."""
    if profile.conditions.executor is not Executor.CPU:
        return "Not measured:<br>only executor='cpu' tracks memory."
    return _NOTHING if profile.complete else _CUT


def no_flops(profile: Profile) -> str:
    """Why no node is on the roofline."""
    if profile.conditions.executor is not Executor.CPU:
        return "No timed node has a FLOP count:<br>executor='cpu' counts FLOPs."
    if not profile.complete:
        return _CUT
    if len(profile) == 0:
        return _NOTHING
    return "No op has a FLOP count: only matrix products,<br>convolutions, attention and LSTM have one."


def cut_short(profile: Profile) -> str:
    """The note for times of an interrupted run; "" for a complete one."""
    if profile.complete:
        return ""
    cold = "" if profile.whole is not None else "; each time is from a first call, which is slower"
    return f"Incomplete: stopped before the last run{cold}"
