"""What each op costs: a program is run and timed node by node, and the answer is a Profile.

`cpu` runs an ExportedProgram of any dialect in eager torch; `runtime` runs a `.pte` in ExecuTorch. Both yield
the same plain data, keyed by the names of nodes in a Snapshot. torch is imported when something is run; a
saved Profile is read, rolled up and drawn without it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from exir_viz.measure import frames as frames
    from exir_viz.measure import sweep as sweep


if not TYPE_CHECKING:  # a checker knows the names that there are, and that there are no others

    def __getattr__(name: str) -> object:
        """`exir_viz.measure.frames` and `.sweep`, imported when they are first asked for."""
        if name in ("frames", "sweep"):
            return import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
