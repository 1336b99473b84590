"""What each op costs: a program is run and timed node by node, and the answer is a Profile.

`cpu` runs an ExportedProgram of any dialect in eager torch; `runtime` runs a `.pte` in ExecuTorch. Both yield
the same plain data, keyed by the names of nodes in a Snapshot. torch is imported when something is run; a
saved Profile is read, rolled up and drawn without it.
"""

from __future__ import annotations

from importlib import import_module


def __getattr__(name: str) -> object:
    """`exir_viz.measure.frames`, imported when it is first asked for."""
    if name == "frames":
        return import_module(f"{__name__}.frames")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
