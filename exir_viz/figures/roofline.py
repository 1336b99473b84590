"""The roofline: an op's FLOPs per second against its FLOPs per byte moved.

The roofs are the best values in this profile, by the op that computes fastest and the one that moves bytes
fastest; they are not the machine's limits. Only ops with counted FLOPs and bytes appear.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from exir_viz.extras import needs_extra
from exir_viz.measure.profile import Cost, Profile
from exir_viz.options import instance, named_options
from exir_viz.snapshot.format import byte_text, flop_text, plural, time_text
from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.opkind import op_name

from .missing_data import HOW, no_flops
from .style import GREY, dress, kind_color, kind_title, lay_out, log_ticks, safe, show_message

if TYPE_CHECKING:
    import plotly.graph_objects as go


_PLOT_PX = 400


@named_options
def roofline(profile: Profile) -> go.Figure:
    """Draw a point per node: FLOPs per second against FLOPs per byte moved.

    Both axes are logarithmic. The size of a point is the node's time. The dashed lines are the best rates of
    this run, which nodes below them did not reach.

    Parameters
    ----------
    profile
        What `exir_viz.profile` returns.

    Returns
    -------
    plotly.graph_objects.Figure
        Points, colored by kind of op. Only nodes with time, FLOPs and bytes are shown.

    Raises
    ------
    WrongArgument
        If it is not a Profile.
    MissingExtra
        If plotly is not installed.

    Examples
    --------
    >>> figure = exir_viz.figures.roofline(profile)
    >>> figure.layout.xaxis.type
    'log'
    """
    needs_extra("figures.roofline()", "charts")
    instance("roofline", "profile", profile, Profile, HOW)
    import plotly.graph_objects as go

    costs = shown_costs(profile)
    figure = go.Figure()
    longest = max((cost.time or 0.0 for cost in costs), default=1.0)
    for kind in dict.fromkeys(_kind(cost) for cost in costs):
        mine = [cost for cost in costs if _kind(cost) == kind]
        figure.add_scatter(
            x=[cost.intensity for cost in mine],
            y=[rate(cost) / 1e9 for cost in mine],
            mode="markers",
            name=kind_title(kind),
            marker={
                "color": kind_color(kind),
                "size": [6 + 24 * math.sqrt((cost.time or 0.0) / longest) for cost in mine],
                "opacity": 0.7,
            },
            customdata=[[cost.node.id] for cost in mine],
            hovertext=[_hover(cost) for cost in mine],
            hoverinfo="text",
        )
    if costs:
        _draw_roofs(figure, profile, costs)
    figure.update_xaxes(type="log", tickvals=log_ticks(x for trace in figure.data for x in trace.x))
    figure.update_yaxes(type="log", tickvals=log_ticks(y for trace in figure.data for y in trace.y))
    title = f"Roofline of the {plural(len(costs), 'node')} whose FLOPs are counted" if costs else "Roofline"
    dress(figure, title, x="FLOPs per byte moved", y="GFLOP/s")
    lay_out(figure, plot=_PLOT_PX)
    if not costs:
        show_message(figure, no_flops(profile))
    return figure


def shown_costs(profile: Profile) -> list[Cost]:
    """The nodes with a time, FLOPs and bytes."""
    return [cost for cost in profile if cost.flops and cost.bytes_moved and cost.time]


def roofs(profile: Profile) -> tuple[float, float]:
    """The most FLOPs per second of a shown node, and the most bytes per second of any node."""
    moved = (cost.bytes_moved / cost.time for cost in profile if cost.bytes_moved and cost.time)
    return max(map(rate, shown_costs(profile)), default=0.0), max(moved, default=0.0)


def _draw_roofs(figure: go.Figure, profile: Profile, costs: list[Cost]) -> None:
    fastest, moved = roofs(profile)
    low = min(cost.intensity or 1.0 for cost in costs) / 2
    high = max(max(cost.intensity or 1.0 for cost in costs) * 2, 2 * fastest / moved)
    figure.add_scatter(
        x=[low, fastest / moved, high],
        y=[low * moved / 1e9, fastest / 1e9, fastest / 1e9],
        mode="lines",
        line={"color": GREY, "dash": "dash", "width": 1},
        name=f"best seen here: {flop_text(fastest)}/s, {byte_text(moved)}/s",
        hoverinfo="name",
    )


def rate(cost: Cost) -> float:
    """FLOPs per second."""
    return (cost.flops or 0) / cost.time if cost.time else 0.0


def _kind(cost: Cost) -> str:
    return index_of(cost.node.graph).kinds[cost.node.position].value


def _hover(cost: Cost) -> str:
    return (
        f"<b>{safe(cost.node.id)}</b><br>{safe(op_name(cost.node.target))}, {time_text(cost.time)}"
        f"<br>{cost.flops:,} FLOPs, {cost.bytes_moved:,} bytes moved<br>{flop_text(rate(cost))}/s"
    )
