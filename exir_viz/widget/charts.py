"""Charts of an explorer's profiles, linked with the picture: a click selects, and a selection stands out.

plotly's FigureWidget is an anywidget too: it lives wherever an explorer does, and asks no network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from .profile import NoSuchProfile

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from exir_viz.measure.profile import Profile

    from .explorer import Explorer

Select: TypeAlias = Callable[[int, Sequence[str]], object]

_MARK = "#0072B2"
# Around the box that holds what is selected, where all boxes have lines.
_STRONG = "#D55E00"
# A bar or point that is not selected, beside one that is.
_PALE = 0.35


def drawn(profile: Profile, what: str, options: Mapping[str, Any]) -> go.Figure:
    """The chart of one profile."""
    from exir_viz import figures

    charts: Mapping[str, Callable[..., go.Figure]] = {
        "ops": figures.bars,
        "modules": figures.modules,
        "memory": figures.memory,
        "roofline": figures.roofline,
        "arenas": figures.arenas,
    }
    make = charts.get(what)
    if make is None:
        raise NoSuchProfile(
            f"There is no chart {what!r}: there are {', '.join(map(repr, charts))}, 'stages'."
        )
    return make(profile, **options)


def linked(
    figure: go.Figure, explorer: Explorer, select: Select, is_shown: Callable[[], bool] = lambda: True
) -> go.FigureWidget:
    """A widget of the figure. `select` is told of a click: the number of the trace, the names of nodes.

    `is_shown`: whether the chart is of what the explorer shows now. A node of another stage may have the same
    name, and is another node.
    """
    import plotly.graph_objects as go

    widget = go.FigureWidget(figure)
    widget.add_class("exirviz-chart")
    widget._config = {**widget._config, "responsive": True, "displaylogo": False}  # as wide as its cell
    # What stands out is said from here alone: plotly would let go of a bar that is clicked again.
    widget.layout.clickmode = "event"
    for number, trace in enumerate(widget.data):
        if trace.customdata is not None:
            trace.on_click(_clicked(number, select))

    def highlight(selection: Iterable[str]) -> None:
        _highlight(widget, selection if is_shown() else ())

    explorer.observe(lambda change: highlight(change["new"]), "selection")
    highlight(explorer.selection)
    return widget


def _clicked(number: int, select: Select) -> Callable[[Any, Any, Any], None]:
    def clicked(trace: Any, points: Any, _state: Any) -> None:
        names = [str(name) for point in points.point_inds[:1] for name in trace.customdata[point]]
        if names:
            select(number, names)

    return clicked


def _highlight(widget: go.FigureWidget, selection: Iterable[str]) -> None:
    """What stands for a selected node stands out; all stand as they are where none does."""
    from exir_viz.figures.modules import NESTED

    chosen = set(selection)
    with widget.batch_update():
        for trace in widget.data:
            if trace.customdata is None:
                continue
            points = [at for at, names in enumerate(trace.customdata) if not chosen.isdisjoint(names)]
            if trace.meta == NESTED:
                _outline(trace, points)
            elif trace.type == "scatter" and trace.mode == "lines":
                continue
            else:
                trace.selectedpoints = points or (None if not chosen else [])
                trace.unselected = {"marker": {"opacity": _PALE}}
        _mark(widget, chosen)


def _outline(trace: Any, points: Sequence[int]) -> None:
    """Of modules within one another, the innermost that holds what is selected is outlined."""
    count = len(trace.ids)
    innermost = min(points, key=lambda at: (len(trace.customdata[at]), -at), default=None)
    trace.marker.line.width = [3 if at == innermost else 1 for at in range(count)]
    trace.marker.line.color = [_STRONG if at == innermost else _MARK for at in range(count)]


def _mark(widget: go.FigureWidget, chosen: set[str]) -> None:
    """On a line, such as memory over time, the selected nodes are marked by upright lines."""
    lines = [trace for trace in widget.data if trace.type == "scatter" and trace.mode == "lines"]
    at = [
        trace.x[point]
        for trace in lines
        if trace.customdata is not None
        for point, names in enumerate(trace.customdata)
        if not chosen.isdisjoint(names)
    ]
    if any(trace.customdata is not None for trace in lines):
        upright = {"type": "line", "yref": "paper", "y0": 0, "y1": 1, "line": {"color": _MARK, "width": 1}}
        widget.layout.shapes = [{**upright, "x0": x, "x1": x} for x in at[:50]]
