"""The record of a stage, for views and files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exir_viz.snapshot.delegation import Share, share_of
from exir_viz.stages import available_steps
from exir_viz.stages.records import StageRecord
from exir_viz.stages.step import calls

if TYPE_CHECKING:
    from exir_viz.stages.stage import Stage


def record_of(stage: Stage) -> StageRecord:
    """The current record. It is not cached, because a stage's memory and available steps can change."""
    content = stage.content
    share = Share(0, {}) if content.snapshot is None else share_of(content.snapshot)
    return StageRecord(
        id=stage.id,
        name=stage.name,
        parent=None if stage.parent is None else stage.parent.id,
        state=content.state,
        step=content.step,
        dialect=stage.dialect,
        calls=0 if content.snapshot is None else calls(content.snapshot),
        on_cpu=share.on_cpu,
        delegated=share.delegated,
        share=share.text,
        change=content.change,
        unshared_bytes=stage.unshared_bytes,
        failure=content.failure,
        offers=available_steps.available_steps(stage),
        findings=content.findings,
        edge_stage=None if stage.edge_stage is None else stage.edge_stage.id,
        code="" if content.code is None else content.code.text,
        unverified=stage.unverified,
    )


def first_name(dialect: str) -> str:
    """The name of a session's first stage."""
    return "export" if dialect in ("aten.training", "aten") else dialect or "program"
