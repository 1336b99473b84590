"""Many profiles: over thread counts, batch sizes, values of symbols, programs; here, or on a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exir_viz.extras import needs_extra

from .results import Sweep

if TYPE_CHECKING:
    from .combinations import sweep

__all__ = ["Sweep", "sweep"]


def __getattr__(name: str) -> object:
    """`sweep`, imported on first use: it needs torch, and a Sweep does not."""
    if name == "sweep":
        needs_extra("measure.sweep()", "torch")
        from .combinations import sweep

        return sweep
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
