"""From a node to the points of a chart that stand for it: the way back from the picture to the chart."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import plotly.graph_objects as go


def point_of(figure: go.Figure, node: str) -> list[tuple[int, int]]:
    """The (trace, point) pairs whose customdata names a node ("forward/mm")."""
    return [
        (trace, point)
        for trace, drawn in enumerate(figure.data)
        for point, names in enumerate(drawn.customdata if drawn.customdata is not None else ())
        if node in names
    ]
