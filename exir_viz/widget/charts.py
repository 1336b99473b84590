"""Charts of an explorer's profiles, linked with the picture: a click selects, and a selection stands out.

plotly's FigureWidget is an anywidget too: it lives wherever an explorer does, and asks no network.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from .highlight import show
from .profile import NoSuchProfile

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from exir_viz.measure.profile import Profile

    from .explorer import Explorer

Select: TypeAlias = Callable[[int, Sequence[str]], object]


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
    figure: go.Figure, explorer: Explorer, select: Select, is_shown: Callable[[int], bool]
) -> go.FigureWidget:
    """A widget of the figure. `select` is told of a click: the number of the trace, the names of nodes.

    `is_shown`: whether the trace of a number is of what the explorer shows now. A node of another stage may
    have the same name, and is another node.
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
        with widget.batch_update():
            show(widget, set(selection), is_shown)

    explorer.observe(lambda change: highlight(change["new"]), "selection")
    highlight(explorer.selection)
    return widget


def _clicked(number: int, select: Select) -> Callable[[Any, Any, Any], None]:
    def clicked(trace: Any, points: Any, _state: Any) -> None:
        names = [str(name) for point in points.point_inds[:1] for name in trace.customdata[point]]
        if names:
            select(number, names)

    return clicked
