"""Measure what each op costs: a program runs and is timed node by node, and the result is a Profile.

`cpu` runs an ExportedProgram of any dialect in eager torch; `runtime` runs a `.pte` in ExecuTorch. Both yield
the same plain data, by the node names of a Snapshot. torch is imported when something runs; a saved Profile
is read, summed up and drawn without it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from exir_viz.measure import frames as frames
    from exir_viz.measure.runtime.etdump import from_etdump as from_etdump
    from exir_viz.measure.runtime.file import profile_file as profile_file
    from exir_viz.measure.sweeps.combinations import sweep as sweep


if not TYPE_CHECKING:  # a type checker knows all names

    def __getattr__(name: str) -> object:
        """Import `exir_viz.measure.frames`, `.sweep`, `.from_etdump` and `.profile_file` on first use."""
        if name == "frames":
            return import_module(f"{__name__}.{name}")
        if name == "sweep":
            return import_module(f"{__name__}.sweeps").sweep
        if name == "from_etdump":
            return import_module(f"{__name__}.runtime.etdump").from_etdump
        if name == "profile_file":
            return import_module(f"{__name__}.runtime.file").profile_file
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
