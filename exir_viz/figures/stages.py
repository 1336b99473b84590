"""The same modules at several stages, side by side: what lowering cost or gained, and where."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from exir_viz.measure.compare import compare, stage_names
from exir_viz.measure.profile import Profile
from exir_viz.measure.rollup import module_name, module_of
from exir_viz.measure.text import seconds

from .style import SERIES, dress, safe

if TYPE_CHECKING:
    import plotly.graph_objects as go


def stages(profiles: Sequence[Profile], names: Sequence[str] | None = None, *, top: int = 25) -> go.Figure:
    """Bars by module and stage, with all within each module; the ratio to the first stage in the hover."""
    import plotly.graph_objects as go

    labels = list(names) if names is not None else stage_names(profiles)
    rows = compare(profiles, labels)
    shown = list(dict.fromkeys(row.module for row in rows))[:top]
    figure = go.Figure()
    for number, (label, profile) in enumerate(zip(labels, profiles, strict=True)):
        mine = [row for row in rows if row.stage == label and row.module in shown]
        held = _nodes_by_module(profile)
        figure.add_bar(
            x=[row.time * 1e3 for row in mine],
            y=[safe(row.module) for row in mine],
            orientation="h",
            name=safe(label),
            marker_color=SERIES[number % len(SERIES)],
            customdata=[held.get(row.module, []) for row in mine],
            hovertext=[
                f"<b>{safe(row.module)}</b><br>{safe(label)}: {seconds(row.time)}, {row.ops} ops of its own"
                + ("" if row.ratio is None else f"<br>{row.ratio:.2f} of the first")
                for row in mine
            ],
            hoverinfo="text",
        )
    # from the top down, in a group as in the legend
    order = [safe(module) for module in shown]
    figure.update_yaxes(categoryorder="array", categoryarray=order, autorange="reversed", automargin=True)
    figure.update_layout(barmode="group")
    return dress(figure, _title(profiles), x="ms with all that is within")


def _title(profiles: Sequence[Profile]) -> str:
    found = [text for other in profiles[1:] for text in profiles[0].differences(other)]
    title = f"Modules at {len(profiles)} stages"
    return f"{title}<br><sub>{safe('; '.join(dict.fromkeys(found)), 120)}</sub>" if found else title


def _nodes_by_module(profile: Profile) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for cost in profile:
        for scope in module_of(cost.node):
            found.setdefault(module_name(scope), []).append(cost.node.id)
    return found
