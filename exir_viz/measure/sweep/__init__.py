"""Many profiles: over thread counts, batch sizes, values of symbols, programs; here, or on a cluster."""

from .combinations import sweep
from .results import Sweep

__all__ = ["Sweep", "sweep"]
