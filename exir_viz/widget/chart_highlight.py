"""Highlight the explorer's selection in a chart, or say that it is not in the chart.

Also mark charts whose stages were removed or measured again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import plotly.graph_objects as go

_MARK = "#0072B2"
# The outline of the selected box, if all boxes have outlines.
_STRONG = "#D55E00"
# The opacity of a bar or point that is not selected, next to a selected one.
_PALE = 0.35
# Identifies our annotations in a chart.
_NOTE = "selection"
_AGE = "age"
# More arrows would hide the points.
_MOST_POINTERS, _MOST_LINES = 5, 50


def highlight(widget: go.FigureWidget, chosen: set[str], is_shown: Callable[[int], bool]) -> None:
    """Highlight the points of the selected nodes. Without any, fade nothing and add a note."""
    from exir_viz.figures.style import NESTED

    linked = {at: trace for at, trace in enumerate(widget.data) if trace.customdata is not None}
    shown = [at for at in linked if is_shown(at)]
    points = {at: _points(trace, chosen) if at in shown else [] for at, trace in linked.items()}
    is_any = any(points.values())
    for at, trace in linked.items():
        standing = _innermost(trace, points[at], chosen) if trace.meta == NESTED else points[at]
        if trace.ids is not None:
            _outline(trace, standing[-1:])  # of equal boxes the innermost
        elif not _is_line(trace):
            trace.selectedpoints = standing if is_any else None
            trace.unselected = {"marker": {"opacity": _PALE}}
    _mark(widget, points)
    found = {name for at in linked for point in points[at] for name in linked[at].customdata[point]}
    absent = chosen - found
    is_named = all(trace.type == "scatter" for trace in linked.values())
    widget.layout.annotations = [
        *(note for note in widget.layout.annotations if note.name != _NOTE),
        *_absences(absent, bool(shown)),
        *(note for at in points if is_named for note in _pointers(widget, linked[at], points[at])),
    ]


def mark_outdated(
    widget: go.FigureWidget, missing: Sequence[str], former: Sequence[str], faded: Sequence[int]
) -> None:
    """Mark traces whose stages were removed or measured again; fade traces that cannot be selected."""
    texts = [
        *(f"{_stage(name)} was dropped, so its bars are no longer linked" for name in missing),
        *(f"{_stage(name)} was measured again; this chart is outdated" for name in former),
    ]
    layout = widget.layout
    # where bars are short: in the lower right corner
    place = {"xref": "paper", "x": 1, "xanchor": "right", "yref": "paper", "y": 0, "yanchor": "bottom"}
    look = {"bgcolor": layout.paper_bgcolor, "bordercolor": _STRONG, "borderpad": 4, "align": "left"}
    text = "<br>".join(texts)
    layout.annotations = [
        *(note for note in layout.annotations if note.name != _AGE),
        *([{**place, **look, "name": _AGE, "text": text, "showarrow": False}] if texts else []),
    ]
    for at, trace in enumerate(widget.data):
        trace.opacity = _PALE if at in faded else None


def _stage(name: str) -> str:
    from exir_viz.figures.style import safe

    return safe(name, 24) if name else "It"


def _points(trace: Any, chosen: set[str]) -> list[int]:
    return [at for at, names in enumerate(trace.customdata) if not chosen.isdisjoint(names)]


def _is_line(trace: Any) -> bool:
    return bool(trace.type == "scatter" and trace.mode == "lines")


def _absences(absent: set[str], is_of_stage: bool) -> Iterator[dict[str, Any]]:
    """Text below the chart for a selection that is not in it, such as a node of another stage."""
    from exir_viz.figures.style import safe

    if not absent:
        return
    what = f"{safe(min(absent))} is" if len(absent) == 1 else f"{len(absent):,} of the selected nodes are"
    texts = f"{what} not in this chart" + ("" if is_of_stage else ", which is of another stage")
    place = {"xref": "paper", "x": 1, "xanchor": "right", "yref": "paper", "y": 0, "yanchor": "top"}
    yield {**place, "name": _NOTE, "text": texts, "showarrow": False, "yshift": -24}


def _pointers(widget: go.FigureWidget, trace: Any, points: Sequence[int]) -> Iterator[dict[str, Any]]:
    """An arrow with its name to each highlighted point: on a scatter plot, fading the others is not
    enough.
    """
    from exir_viz.figures.style import safe

    if _is_line(trace):
        return
    layout = widget.layout
    arrow = {"showarrow": True, "arrowhead": 2, "arrowcolor": layout.font.color, "ax": 36, "ay": -36}
    for at in points[:_MOST_POINTERS]:
        place = {"x": _along(layout.xaxis, trace.x[at]), "y": _along(layout.yaxis, trace.y[at])}
        text = {"text": safe(trace.customdata[at][0]), "bgcolor": layout.paper_bgcolor}
        yield {**arrow, **place, **text, "name": _NOTE}


def _along(axis: Any, value: float) -> float:
    """The coordinate of an annotation: on a logarithmic axis plotly expects the exponent."""
    return math.log10(value) if axis.type == "log" else value


def _innermost(trace: Any, points: Sequence[int], chosen: set[str]) -> list[int]:
    """Of nested modules, the smallest ones that contain the selection, or most of it."""
    chosen_at = {at: chosen.intersection(trace.customdata[at]) for at in points}
    most = max(map(len, chosen_at.values()), default=0)
    around = [at for at in points if len(chosen_at[at]) == most]
    least = min((len(trace.customdata[at]) for at in around), default=0)
    return [at for at in around if len(trace.customdata[at]) == least]


def _outline(trace: Any, points: Sequence[int]) -> None:
    count = len(trace.ids)
    trace.marker.line.width = [3 if at in points else 1 for at in range(count)]
    trace.marker.line.color = [_STRONG if at in points else _MARK for at in range(count)]


def _mark(widget: go.FigureWidget, points: Mapping[int, Sequence[int]]) -> None:
    """Mark the selected nodes on a line, such as memory over time, with vertical lines."""
    lines = {at: widget.data[at] for at in points if _is_line(widget.data[at])}
    if lines:
        places = [trace.x[point] for at, trace in lines.items() for point in points[at]]
        upright = {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "line": {"color": _MARK, "width": 1}}
        widget.layout.shapes = [{**upright, "x0": x, "x1": x} for x in places[:_MOST_LINES]]
