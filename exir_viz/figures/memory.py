"""Memory charts: live bytes over time, and the planned arenas of an ExecuTorch program."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exir_viz.extras import needs_extra
from exir_viz.measure.profile import Profile
from exir_viz.options import instance, named_options, refuse
from exir_viz.snapshot.execution_steps import ExecutionSteps
from exir_viz.snapshot.format import byte_text
from exir_viz.snapshot.graph import Node
from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.memory import arena_peaks, planned, writer
from exir_viz.snapshot.snapshot import Method

from .missing_data import HOW, no_memory
from .style import GREY, SERIES, dress, kind_color, lay_out, safe, show_message, theme
from .units import byte_unit

if TYPE_CHECKING:
    import plotly.graph_objects as go


_PLOT_PX = 330
# With fewer nodes than this each has a tick; plotly's own ticks would be between them.
_FEW = 12


@named_options
def memory(profile: Profile) -> go.Figure:
    """Draw the live bytes after each node, in execution order. The peak has a label.

    Parameters
    ----------
    profile
        What `exir_viz.profile` returns.

    Returns
    -------
    plotly.graph_objects.Figure
        A step line.

    Raises
    ------
    WrongArgument
        If it is not a Profile.
    MissingExtra
        If plotly is not installed.

    Examples
    --------
    >>> figure = exir_viz.figures.memory(profile)
    >>> figure.data[0].name
    'allocated by the program'
    """
    needs_extra("figures.memory()", "charts")
    instance("memory", "profile", profile, Profile, HOW)
    import plotly.graph_objects as go

    costs = [cost for cost in profile if cost.live_bytes is not None]
    unit = byte_unit(cost.live_bytes for cost in costs)
    figure = go.Figure()
    figure.add_scatter(
        x=list(range(len(costs))),
        y=[unit.of(cost.live_bytes) for cost in costs],
        mode="lines",
        line={"shape": "hvh", "color": SERIES[0], "width": 1.5},
        fill="tozeroy",
        name="allocated by the program",
        customdata=[[cost.node.id] for cost in costs],
        hovertext=[
            f"<b>{safe(cost.node.id)}</b><br>{byte_text(cost.live_bytes)} alive, "
            f"{byte_text(cost.allocated_bytes)} new"
            for cost in costs
        ],
        hoverinfo="text",
    )
    peak = profile.peak
    if peak is not None:
        at = next(step for step, cost in enumerate(costs) if cost.node == peak.node)
        is_left = at * 2 < len(costs)
        figure.add_annotation(
            x=at,
            y=unit.of(peak.live_bytes),
            text=f"{byte_text(peak.live_bytes)} at {safe(peak.node.name)}",
            ax=24 if is_left else -24,
            ay=-14,
            xanchor="left" if is_left else "right",
            arrowcolor=theme().words,
            arrowwidth=1,
        )
    most = unit.of(max(((cost.live_bytes or 0) for cost in costs), default=0))
    figure.update_yaxes(range=[0, 1.12 * most or 1])
    title = "Memory allocated by the program"
    if costs:
        fixed = byte_text(profile.record.state_bytes + profile.record.input_bytes)
        title += f"<br><sub>plus {fixed} of weights and inputs</sub>"
    dress(figure, title, x="node, in execution order", y=f"alive, {unit.name}")
    lay_out(figure, plot=_PLOT_PX, notes=1)
    # pointing or clicking anywhere finds the nearest node in time
    figure.update_layout(hovermode="x", hoverdistance=-1)
    if not costs:
        show_message(figure, no_memory(profile))
    return figure


@named_options
def arenas(program: Profile | Method) -> go.Figure:
    """Draw the memory plan: a box per value, from its first to its last node and upward from its offset.

    Inputs are alive from the first node on. A large program has hundreds of weights before the first op, so
    the axis starts at the first op, and their boxes extend in from the left. Values of a branch or loop body
    are drawn right after the node that runs it.

    Parameters
    ----------
    program
        A Profile, or a Method of a Snapshot. Only `executorch` stages and `.pte` files have a memory plan.

    Returns
    -------
    plotly.graph_objects.Figure
        A chart per arena; without a memory plan an empty one.

    Raises
    ------
    WrongArgument
        If it is neither a Profile nor a Method.
    MissingExtra
        If plotly is not installed.

    Examples
    --------
    >>> len(exir_viz.figures.arenas(snapshot.method).data)  # an exported program has no memory plan
    0
    """
    needs_extra("figures.arenas()", "charts")
    if not isinstance(program, Profile | Method):
        refuse("arenas", "program", program, "a Profile, or a Method of a Snapshot", HOW)
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    method = program.method if isinstance(program, Profile) else program
    values, peaks = planned(method), arena_peaks(method)
    nodes = ExecutionSteps(method.graph).nodes

    def named(step: int) -> str:
        return safe(writer(nodes[step]).name)

    titles = [
        f"arena {number}: {byte_text(peak)} alive at {named(at)}" for number, (peak, at) in peaks.items()
    ]
    figure = make_subplots(rows=max(len(peaks), 1), cols=1, subplot_titles=titles, shared_xaxes=True)
    offsets: dict[int, str] = {}
    for row, number in enumerate(peaks, 1):
        mine = [value for value in values if value.arena == number]
        unit = byte_unit(one.offset + one.bytes for one in mine)
        figure.add_trace(
            go.Bar(
                x=[one.last - one.first + 1 for one in mine],
                base=[one.first for one in mine],
                y=[unit.of(one.offset + one.bytes / 2) for one in mine],
                width=[unit.of(max(one.bytes, 1)) for one in mine],
                orientation="h",
                marker={"color": [kind_color(_kind(one.node)) for one in mine],
                        "line": {"width": 0.5, "color": GREY}},
                customdata=[[one.node.id] for one in mine],
                hovertext=[
                    f"<b>{safe(one.node.id)}</b><br>{safe(one.value)}, "
                    f"{byte_text(one.bytes)} at {one.offset:,}"
                    f"<br>alive from {named(one.first)} to {named(one.last)}"
                    for one in mine
                ],
                hoverinfo="text",
                showlegend=False,
            ),
            row=row,
            col=1,
        )  # fmt: skip
        offsets[row] = f"offset, {unit.name}"
        most = unit.of(max(one.offset + one.bytes for one in mine))
        figure.update_yaxes(range=[0, 1.04 * most or 1], row=row, col=1)
    dress(figure, "Planned memory arenas" if peaks else "No memory plan: to_executorch makes one")
    for row, offset in offsets.items():
        figure.update_yaxes(title_text=offset, row=row, col=1)
    first = next((step for step, node in enumerate(nodes) if node.op == "call_function"), 0)
    figure.update_xaxes(range=[first, len(nodes)], showgrid=False)
    if len(nodes) - first < _FEW:
        figure.update_xaxes(dtick=1)
    last = "node, from the first op on; inputs reach in from the left"
    figure.update_xaxes(title_text=last, row=max(len(peaks), 1), col=1)
    if not peaks:
        show_message(figure, "")
    figure.update_annotations(font_size=12, x=0, xanchor="left")
    figure.update_layout(height=110 + 260 * max(len(peaks), 1), margin_t=76)
    return figure


def _kind(node: Node) -> str:
    return index_of(node.graph).kinds[node.position].value
