"""The module tree as a flame graph: a module is as wide as its time including submodules, below its parent.

The boxes are bars: plotly's own tree chart does not report clicks on boxes that contain others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from exir_viz.extras import needs_extra
from exir_viz.measure.profile import Profile
from exir_viz.measure.rollup import NONE, module_name, rest_of
from exir_viz.options import instance, named_options
from exir_viz.snapshot.format import share_text, time_text
from exir_viz.snapshot.module_attribution import module_of

from .missing_data import HOW
from .style import NESTED, SERIES, dress, module_text, safe, theme
from .units import time_unit

if TYPE_CHECKING:
    import plotly.graph_objects as go

# A tint and the full color, readable on light and dark grounds, and the text colors on them.
_COLORS = ("rgba(0,114,178,0.15)", "rgba(0,114,178,0.7)")
_ROW = 34


@dataclass(slots=True)
class _Box:
    """A module: its seconds including submodules, its nodes, and its submodules in running order."""

    name: str
    cls: str = ""
    time: float = 0.0
    nodes: list[str] = field(default_factory=list)
    inner: dict[str, _Box] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The last part of its path, with its class if there is room."""
        return f"{module_text(self.name).rpartition('.')[2]} {self.cls.rpartition('.')[2]}".strip()


@dataclass(frozen=True, slots=True)
class _Placed:
    """A box, its depth, and its left edge in seconds."""

    box: _Box
    depth: int
    start: float


@named_options
def modules(profile: Profile) -> go.Figure:
    """Draw the module tree, the root on top, as boxes as wide as their times, in running order.

    A box with nothing below it is the module's own time.

    Parameters
    ----------
    profile
        What `exir_viz.profile` returns.

    Returns
    -------
    plotly.graph_objects.Figure
        A row of boxes per level of the tree.

    Raises
    ------
    WrongArgument
        If it is not a Profile.
    MissingExtra
        If plotly is not installed.

    Examples
    --------
    >>> figure = exir_viz.figures.modules(profile)
    >>> sorted(set(figure.data[0].y))  # the levels: the run, the root, and its submodules
    [0, 1, 2]
    """
    needs_extra("figures.modules()", "charts")
    instance("modules", "profile", profile, Profile, HOW)
    import plotly.graph_objects as go

    whole = _tree(profile)
    placed = list(_place(whole, 0, 0.0))
    unit = time_unit([whole.time])
    figure = go.Figure(
        go.Bar(
            ids=[f"{one.depth}/{one.box.name}" for one in placed],
            x=[unit.of(one.box.time) for one in placed],
            base=[unit.of(one.start) for one in placed],
            y=[one.depth for one in placed],
            width=0.96,
            orientation="h",
            text=[safe(one.box.label) for one in placed],
            textposition="inside",
            insidetextanchor="start",
            textangle=0,
            textfont={"size": 11, "color": theme().words},
            customdata=[one.box.nodes for one in placed],
            hovertext=[_hover(profile, one.box) for one in placed],
            hoverinfo="text",
            marker={
                "color": [one.box.time for one in placed],
                "colorscale": list(enumerate(_COLORS)),
                # hundreds of narrow boxes must not be all outline
                "line": {"width": 0.5, "color": SERIES[0]},
            },
            # a click selects in the graph; the boxes here keep their style
            selected={"marker": {"opacity": 1}},
            unselected={"marker": {"opacity": 1}},
            meta=NESTED,
        )
    )
    rows = 1 + max(one.depth for one in placed)
    dress(figure, "Time per module, including submodules", x=f"time of one run, {unit.name}")
    figure.update_xaxes(showgrid=False)  # it would be visible through the boxes
    figure.update_yaxes(autorange="reversed", showticklabels=False, showgrid=False, zeroline=False)
    # text that is wider than its box is left out
    figure.update_layout(
        height=110 + _ROW * rows, uniformtext={"mode": "hide", "minsize": 11}, bargap=0, clickmode="event"
    )
    return figure


def _tree(profile: Profile) -> _Box:
    whole = _Box("the whole run")
    for cost in profile:
        time, box = cost.time or 0.0, whole
        for name, cls in [(module_name(one), one.cls) for one in module_of(cost.node)] or [(NONE, "")]:
            box = box.inner.setdefault(name, _Box(name, cls))
            box.time += time
            box.nodes.append(cost.node.id)
        whole.time += time
        whole.nodes.append(cost.node.id)
    if profile.overhead is not None and profile.overhead.time > 0:
        rest = profile.overhead.time / 1e9
        name = rest_of(profile)
        whole.inner[name] = _Box(name, time=rest)
        whole.time += rest
    return whole


def _place(box: _Box, depth: int, start: float) -> Iterator[_Placed]:
    yield _Placed(box, depth, start)
    for inner in box.inner.values():
        yield from _place(inner, depth + 1, start)
        start += inner.time


def _hover(profile: Profile, box: _Box) -> str:
    share = f"{share_text(profile.share(box.time))} of the run"
    return f"<b>{safe(module_text(box.name))}</b><br>{time_text(box.time)}, {share}"
