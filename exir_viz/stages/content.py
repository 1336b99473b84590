"""What a stage consists of."""

from __future__ import annotations

from dataclasses import dataclass

from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.call_change import CallChange
from exir_viz.snapshot.lineage import Lineage
from exir_viz.stages.live import LivePrograms
from exir_viz.stages.plain_code import PlainCode
from exir_viz.stages.records import Failure, Finding, StageState, Step


@dataclass(frozen=True, slots=True)
class StageContent:
    """The parts of a stage; `state` says which of them exist."""

    step: Step
    state: StageState
    snapshot: Snapshot | None = None
    live: LivePrograms | None = None
    lineage: Lineage | None = None
    change: CallChange | None = None
    failure: Failure | None = None
    findings: tuple[Finding, ...] = ()
    code: PlainCode | None = None
