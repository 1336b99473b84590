"""A bar chart of the hottest ops."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from exir_viz.extras import needs_extra
from exir_viz.measure.options import count
from exir_viz.measure.profile import Cost, Profile
from exir_viz.measure.rollup import module_name
from exir_viz.options import instance, named_options
from exir_viz.snapshot.format import time_text
from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.module_attribution import module_of
from exir_viz.snapshot.opkind import op_name

from .missing_data import HOW, cut_short
from .style import dress, kind_color, kind_title, lay_out, safe, show_message, theme
from .units import Unit, time_unit

if TYPE_CHECKING:
    import plotly.graph_objects as go


# A share of a row's height in pixels.
_THICK, _ROW_PX = 0.75, 22


@named_options
def bars(profile: Profile, *, top: int = 30) -> go.Figure:
    """Draw a bar per node, the hottest first.

    A bar is the median of all runs, with a line between the quartiles. If a node's time is a difference of
    measurements, it has no runs: its bar is that time, without a line.

    Parameters
    ----------
    profile
        What `exir_viz.profile` returns.
    top
        How many nodes to show.

    Returns
    -------
    plotly.graph_objects.Figure
        Horizontal bars, colored by kind of op.

    Raises
    ------
    WrongArgument
        If it is not a Profile, or `top` is no positive number.
    MissingExtra
        If plotly is not installed.

    Examples
    --------
    >>> figure = exir_viz.figures.bars(profile, top=2)
    >>> sum(len(trace.y) for trace in figure.data if trace.type == "bar")
    2
    """
    needs_extra("figures.bars()", "charts")
    instance("bars", "profile", profile, Profile, HOW)
    count("top", top)
    import plotly.graph_objects as go

    timed = [cost for cost in profile if cost.time is not None]
    ranked = sorted(timed, key=lambda cost: -_typical(cost))[:top]
    unit = time_unit(time for cost in ranked for time in (_typical(cost), cost.p75))
    figure = go.Figure()
    # by rank, because two nodes may have one name: in two branches, or when cut
    rows = list(enumerate(ranked))
    for kind in dict.fromkeys(_kind(cost) for cost in ranked):
        mine = [(row, cost) for row, cost in rows if _kind(cost) == kind]
        figure.add_bar(
            x=[unit.of(_typical(cost)) for _, cost in mine],
            y=[row for row, _ in mine],
            orientation="h",
            width=_THICK,  # plotly would otherwise use the gaps between rows of one kind
            name=kind_title(kind),
            marker_color=kind_color(kind),
            customdata=[[cost.node.id] for _, cost in mine],
            hovertext=[_hover(cost) for _, cost in mine],
            hoverinfo="text",
        )
    _add_quartiles(figure, rows, unit)
    figure.update_yaxes(
        tickvals=[row for row, _ in rows],
        ticktext=[safe(cost.node.name) for cost in ranked],
        range=[len(rows) - 0.4, -0.6],
        automargin=True,
        showgrid=False,
        zeroline=False,
    )
    figure.update_layout(barmode="overlay")
    note = cut_short(profile)
    title = _title(len(ranked), len(profile)) + (f"<br><sub>{note}</sub>" if note else "")
    dress(figure, title, x=f"median time of one run, {unit.name}")
    lay_out(figure, plot=max(1, len(rows)) * _ROW_PX, notes=1 if note else 0)
    if not ranked:
        show_message(figure, "")
    return figure


def _title(shown: int, nodes: int) -> str:
    if not shown:
        return "No node was timed separately"
    return f"The {shown} slowest nodes of {nodes:,}" if shown > 1 else f"The slowest node of {nodes:,}"


def _typical(cost: Cost) -> float:
    return cost.median if cost.median is not None else cost.time or 0.0


def _add_quartiles(figure: go.Figure, rows: Sequence[tuple[int, Cost]], unit: Unit) -> None:
    """A line from the first to the third quartile, over the end of the bar."""
    known = [(row, cost) for row, cost in rows if cost.median is not None]
    figure.add_scatter(
        x=[unit.of(cost.median) for _, cost in known],
        y=[row for row, _ in known],
        error_x={
            "type": "data",
            "symmetric": False,
            "array": [unit.of(cost.p75) - unit.of(cost.median) for _, cost in known],
            "arrayminus": [unit.of(cost.median) - unit.of(cost.p25) for _, cost in known],
            "thickness": 1,
            "width": 3,
            "color": theme().words,
        },
        mode="markers",
        marker={"symbol": "line-ns-open", "size": 9, "color": theme().words, "line": {"width": 2}},
        name="first to third quartile",
        customdata=[[cost.node.id] for _, cost in known],
        hovertext=[_hover(cost) for _, cost in known],
        hoverinfo="text",
    )


def _kind(cost: Cost) -> str:
    return index_of(cost.node.graph).kinds[cost.node.position].value


def _hover(cost: Cost) -> str:
    scopes = module_of(cost.node)
    where = f"<br>in {safe(module_name(scopes[-1]))}" if scopes else ""
    mean = f"{time_text(cost.time)} in the profile's sums"
    if cost.median is None:
        times = f"{mean}, the difference of two measured times"
    else:
        quartiles = f"quartiles {time_text(cost.p25)} to {time_text(cost.p75)}, fastest {time_text(cost.min)}"
        times = f"median {time_text(cost.median)} of {cost.n} runs, {quartiles}<br>{mean}"
    return f"<b>{safe(cost.node.id)}</b><br>{safe(op_name(cost.node.target))}{where}<br>{times}" + (
        "" if cost.basis == "measured" else f"<br>{cost.basis.value}"
    )
