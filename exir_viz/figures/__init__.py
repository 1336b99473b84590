"""Charts: functions from Profiles to plotly Figures. plotly is imported when a figure is made; torch never.

Each point of each trace has the names of its nodes in `customdata`, so that a host can select them in the
graph when the point is clicked, and find the point of a selected node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .bars import bars
from .memory import arenas, memory
from .modules import modules
from .roofline import roofline
from .stages import stages

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["arenas", "bars", "memory", "modules", "point_of", "roofline", "stages"]


def point_of(figure: go.Figure, node: str) -> list[tuple[int, int]]:
    """The (trace, point) pairs whose customdata names a node ("forward/mm")."""
    return [
        (trace, point)
        for trace, drawn in enumerate(figure.data)
        for point, names in enumerate(drawn.customdata if drawn.customdata is not None else ())
        if node in names
    ]
