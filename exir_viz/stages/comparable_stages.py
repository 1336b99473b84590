"""Checks the stages to compare: at least two, each once, and each with a program."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from exir_viz.options import refuse
from exir_viz.stages.live import NotPossible

if TYPE_CHECKING:
    from exir_viz.stages.session import Session
    from exir_viz.stages.stage import Stage


def comparable_stages(session: Session, stages: Sequence[Stage | str]) -> tuple[Stage, ...]:
    """The stages to show, from left to right, given as stages, ids or names."""
    if isinstance(stages, str | bytes) or not isinstance(stages, Iterable):
        refuse("compare", "stages", stages, "several stages: Stage objects, ids or names")
    for each in stages:
        if not isinstance(each, str) and not hasattr(each, "failed"):
            refuse("compare", "a stage", each, "a Stage, its id or its name")
    found = tuple(dict.fromkeys(session[each] if isinstance(each, str) else each for each in stages))
    have = ", ".join(stage.name for stage in session.stages if not stage.failed)
    for stage in found:
        if stage not in session.stages:
            raise NotPossible(f"{stage.name!r} is not a stage of this session. Stages: {have}.")
        if stage.failed:
            raise NotPossible(
                f"{stage.name!r} failed, so it has no program to compare. Stages with a program: {have}."
            )
    if len(found) < 2:
        raise NotPossible(f"Pass at least two stages to compare. This session has: {have}.")
    return found
