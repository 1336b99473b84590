"""The classes of what verbs return, for annotations; each is imported when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from exir_viz.extras import needs_extra

if TYPE_CHECKING:
    from exir_viz.compare.diff import Diff
    from exir_viz.compare.values.bisection import Bisection
    from exir_viz.compare.values.values import Values
    from exir_viz.export_doctor.diagnosis import Diagnosis
    from exir_viz.measure.profile import Profile
    from exir_viz.measure.sweeps.results import Sweep
    from exir_viz.snapshot import Snapshot
    from exir_viz.stages.explain.op_card import OpCard
    from exir_viz.stages.stage import Stage
    from exir_viz.widget.explorer import Explorer
    from exir_viz.widget.story import Story

_MODULES: Final = {
    "Bisection": "exir_viz.compare.values.bisection",
    "Diagnosis": "exir_viz.export_doctor.diagnosis",
    "Diff": "exir_viz.compare.diff",
    "Explorer": "exir_viz.widget.explorer",
    "OpCard": "exir_viz.stages.explain.op_card",
    "Profile": "exir_viz.measure.profile",
    "Snapshot": "exir_viz.snapshot",
    "Stage": "exir_viz.stages.stage",
    "Story": "exir_viz.widget.story",
    "Sweep": "exir_viz.measure.sweeps.results",
    "Values": "exir_viz.compare.values.values",
}
__all__ = [
    "Bisection",
    "Diagnosis",
    "Diff",
    "Explorer",
    "OpCard",
    "Profile",
    "Snapshot",
    "Stage",
    "Story",
    "Sweep",
    "Values",
]

if not TYPE_CHECKING:  # a checker knows the names that there are, and that there are no others

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        if name in ("Explorer", "Story"):
            needs_extra(f"exir_viz.types.{name}", "notebook")
        return getattr(import_module(_MODULES[name]), name)
