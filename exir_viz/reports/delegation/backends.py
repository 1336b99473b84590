"""Lower a copy of a live program to edge, and ask backends what they would run of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Final

from exir_viz.extras import missing, needs_extra
from exir_viz.progress_display import progress_display
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.program import Dialect

if TYPE_CHECKING:
    from exir_viz.stages.backend_trial import BackendTrial
    from exir_viz.stages.stage import Stage

_ATEN: Final = (Dialect.ATEN_TRAINING, Dialect.ATEN, Dialect.ATEN_CORE)


@dataclass(frozen=True)
class Trials:
    """What came of it. `failure` says why lowering to edge fails; "" if it does not, or was not tried.

    is_live: there is a live program, so that as much is known as can be.
    """

    snapshot: Snapshot
    edge: Stage | None = None
    trials: tuple[BackendTrial, ...] = ()
    failure: str = ""
    notes: list[str] = field(default_factory=list)
    is_live: bool = True

    @property
    def answered(self) -> tuple[str, ...]:
        """The titles of the backends that could be asked."""
        return tuple(trial.title for trial in self.trials if not trial.failure)


def try_backends(program: object, wanted: Sequence[object] | None) -> Trials:
    """Ask backends, by name or as partitioners; None asks all that are installed. The program is not changed.

    Raises NotPossible where there is no such backend, CaptureError for what cannot be lowered.
    """
    needs_extra("the report 'delegation' of a live program", "torch")
    from exir_viz.stages.backend_trial import try_backend
    from exir_viz.stages.records import StepKind
    from exir_viz.stages.session import Session
    from exir_viz.stages.steps.partitioners import offered

    root = Session(program).root
    assert root.live is not None
    dialect = root.snapshot.method.dialect
    if missing("executorch"):
        if wanted:
            needs_extra("the report 'delegation' with backends", "executorch")
        return Trials(
            root.snapshot,
            notes=["Install executorch to ask its backends: pip install 'exir-viz[executorch]'."],
        )
    edge, failure = None, ""
    if dialect in _ATEN:
        made = root.session.do(root, StepKind.EDGE, {"check_ir": False})
        edge, failure = (made, "") if made.failure is None else (None, made.failure.reason)
    backends = offered() if wanted is None else wanted
    trials: list[BackendTrial] = []
    notes: list[str] = []
    began = perf_counter()
    with progress_display() as update:
        for backend in () if dialect is Dialect.EXECUTORCH or failure else backends:
            if update is not None:
                title = backend if isinstance(backend, str) else type(backend).__name__
                update(f"asking {title}", None, perf_counter() - began)
            trials.append(try_backend(root.live, dialect, backend))
            if trials[-1].failure:
                lowered = None if edge is None else edge.live
                answers = lowered is not None and not try_backend(lowered, Dialect.EDGE, backend).failure
                way_out = ". Lower to edge first, then it answers: stage.edge()." if answers else ""
                notes.append(f"{trials[-1].title} could not be asked: {trials[-1].failure}{way_out}")
    return Trials(root.snapshot, edge, tuple(trials), failure, notes)
