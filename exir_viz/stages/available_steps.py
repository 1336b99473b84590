"""Which steps can run on a stage, and why the others cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exir_viz.errors import MissingExtra
from exir_viz.extras import needs_extra
from exir_viz.stages.live import NotPossible
from exir_viz.stages.records import Offer, StageState
from exir_viz.stages.steps import StepSpec, table

if TYPE_CHECKING:
    from exir_viz.stages.stage import Stage


def available_steps(stage: Stage) -> tuple[Offer, ...]:
    """Each kind of step, with the reason if it cannot run here."""
    return tuple(
        Offer(
            spec.kind,
            spec.title,
            spec.about,
            unavailable_reason(spec, stage) or _missing(spec),
            spec.asks(stage),
        )
        for spec in table()
    )


def check_available(spec: StepSpec, stage: Stage) -> None:
    """Raise NotPossible if a step cannot run on a stage, MissingExtra if a package is missing."""
    why = unavailable_reason(spec, stage)
    if why:
        raise NotPossible(f"Cannot run {spec.title!r} on stage {stage.name!r}: {why}")
    if spec.extra:
        needs_extra(f"The step {spec.title!r}", spec.extra)


def _missing(spec: StepSpec) -> str:
    """What must be installed for a step; "" if nothing is missing."""
    try:
        if spec.extra:
            needs_extra("it", spec.extra)
    except MissingExtra as absent:
        return str(absent)
    return ""


def unavailable_reason(spec: StepSpec, stage: Stage) -> str:
    """Why a step cannot run on a stage; "" if it can."""
    if stage.state is StageState.FAILED:
        return "the step that made it failed, so it has no program."
    if stage.state is StageState.LOADED or stage.live is None:
        return "it was loaded from a file and has no live program. Start a session with the program itself."
    return spec.why_not(stage)
