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
from .size import size
from .stages import stages

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["arenas", "bars", "memory", "modules", "point_of", "roofline", "size", "stages"]


def point_of(figure: go.Figure, node: str) -> list[tuple[int, int]]:
    """Find the points of a figure that belong to a node.

    Parameters
    ----------
    figure
        A figure of this package.
    node
        The id of a node, such as "forward/mm".

    Returns
    -------
    list of tuple
        The numbers of the trace and of the point in it; empty if the figure does not show the node.

    Examples
    --------
    >>> exir_viz.figures.point_of(exir_viz.figures.memory(profile), "forward/linear")
    [(0, 0)]
    """
    return [
        (trace, point)
        for trace, drawn in enumerate(figure.data)
        for point, names in enumerate(drawn.customdata if drawn.customdata is not None else ())
        if node in names
    ]
