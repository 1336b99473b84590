"""Charts of an explorer's profiles, linked with the graph: a click selects, and the selection is highlighted.

plotly's FigureWidget is an anywidget too: it works wherever an explorer does, and needs no network.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from exir_viz.options import refuse

from .chart_highlight import highlight, mark_outdated
from .profiles import NoSuchProfile, Profiles

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from exir_viz.measure.profile import Profile

    from .explorer import Explorer

Select: TypeAlias = Callable[[int, Sequence[str]], object]


def chart_of(profile: Profile, what: str, top: int | None) -> go.Figure:
    """The chart of one profile."""
    from exir_viz import figures

    charts: Mapping[str, Callable[..., go.Figure]] = {
        "ops": figures.bars,
        "modules": figures.modules,
        "memory": figures.memory,
        "roofline": figures.roofline,
        "arenas": figures.arenas,
    }
    make = charts.get(str(what))
    if make is None:
        raise NoSuchProfile(f"Unknown chart {what!r}. Charts: {', '.join(map(repr, charts))}, 'stages'.")
    if top is None:
        return make(profile)
    if what != "ops":
        refuse("chart", "top", top, f"no top for the chart {what!r}, which shows all")
    return figures.bars(profile, top=top)


@dataclass(frozen=True, slots=True)
class TraceSource:
    """The source of a trace's numbers: a stage by its id and name, and the profile."""

    stage: str
    name: str
    profile: Profile


def linked_chart(
    figure: go.Figure,
    explorer: Explorer,
    profiles: Profiles,
    sources: Sequence[TraceSource],
    select: Select,
    is_shown: Callable[[int], bool],
) -> go.FigureWidget:
    """A widget of the figure. `select` is called on a click with the number of the trace and the names
    of nodes.

    `sources` has one for each trace, or one for all. `is_shown`: whether a trace belongs to the program that
    the explorer shows now. A node of another stage may have the same name, but is another node.
    """
    import plotly.graph_objects as go

    widget = go.FigureWidget(figure)
    widget.add_class("exirviz-chart")
    widget._config = {**widget._config, "responsive": True, "displaylogo": False}
    # Only our own style marks a selection: plotly would deselect a bar that is clicked again.
    widget.layout.clickmode = "event"
    link = _Link(widget, explorer, profiles, sources, is_shown)
    for number, trace in enumerate(widget.data):
        if trace.customdata is not None:
            trace.on_click(_clicked(number, select, link))
    widget.observe(link.seen, "_view_count")
    link.hold()
    return widget


class _Link:
    """The listeners of a chart, active while it is displayed, or not displayed yet."""

    def __init__(
        self,
        widget: go.FigureWidget,
        explorer: Explorer,
        profiles: Profiles,
        sources: Sequence[TraceSource],
        is_shown: Callable[[int], bool],
    ) -> None:
        self._widget, self._explorer, self._profiles = widget, explorer, profiles
        self._sources, self._is_shown = sources, is_shown
        self._unwatch: Callable[[], None] | None = None

    def hold(self) -> None:
        self._explorer.observe(self._highlight, "selection")
        self._unwatch = self._profiles.watch(self._age)
        self._age()
        self._highlight()

    def seen(self, change: Mapping[str, Any]) -> None:
        """Whether it is still displayed: a cell that is run again leaves a hidden chart, which is not drawn
        again.
        """
        if self._unwatch is None and change["new"]:
            self.hold()
        elif self._unwatch is not None and change["old"] and not change["new"]:
            self._explorer.unobserve(self._highlight, "selection")
            self._unwatch()
            self._unwatch = None

    def is_removed(self, trace: int) -> bool:
        """Whether its stage was removed."""
        return self._source(trace).stage not in self._profiles

    def _source(self, trace: int) -> TraceSource:
        return self._sources[min(trace, len(self._sources) - 1)]

    def _highlight(self, _change: object = None) -> None:
        with self._widget.batch_update():
            highlight(self._widget, set(self._explorer.selection), self._is_shown)

    def _age(self) -> None:
        kept = self._profiles
        missing = [source.name for source in self._sources if source.stage not in kept]
        former = [
            source.name
            for source in self._sources
            if kept.get(source.stage, source.profile) is not source.profile
        ]
        with self._widget.batch_update():
            mark_outdated(
                self._widget,
                missing,
                former,
                [at for at, _ in enumerate(self._widget.data) if self.is_removed(at)],
            )


def _clicked(number: int, select: Select, link: _Link) -> Callable[[Any, Any, Any], None]:
    def clicked(trace: Any, points: Any, _state: Any) -> None:
        names = [str(name) for point in points.point_inds[:1] for name in trace.customdata[point]]
        if names and not link.is_removed(number):
            select(number, names)

    return clicked
