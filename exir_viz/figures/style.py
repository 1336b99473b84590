"""Shared by all charts: themes, colors, and escaping of program text for plotly.

plotly interprets tags in labels and hover texts: program text is escaped, and control characters are shown.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from exir_viz.measure.rollup import NONE
from exir_viz.snapshot.colors import PALETTE
from exir_viz.snapshot.opkind import KINDS, OpKind
from exir_viz.snapshot.printable import one_line

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Colors of series that are not kinds of ops; neighbours differ most.
SERIES = tuple(PALETTE[name] for name in ("blue", "red", "green", "pink", "orange", "sky", "grey"))
GREY = "#888888"
# Marks a trace whose boxes contain one another: only the innermost selected box is highlighted.
NESTED = "nested"
# The fonts and sizes of the front end's style sheets.
_FONT = 'system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif'
_SIZE = 12


@dataclass(frozen=True, slots=True)
class Theme:
    """The ground color of a chart and its text colors."""

    ground: str
    words: str


LIGHT = Theme(ground="#ffffff", words="#1f2328")
DARK = Theme(ground="#111111", words="#e6e6e6")
# The text color on either theme.
_HOVER = Theme(ground="#1f2328", words="#ffffff")
_CLEAR = "rgba(0,0,0,0)"
_TOP: dict[str, Any] = {"y": 1, "yref": "container", "yanchor": "top", "pad": {"t": 14}}
_NAME_WIDTH = 48
# Pixels: the title with what is above it, a note, an entry of the legend, between groups, the axis.
_TITLE_PX, _NOTE_PX, _ENTRY_PX, _GAP_PX, _AXIS_PX = 38, 19, 20, 10, 52


def safe(text: str, width: int = _NAME_WIDTH) -> str:
    """Escape program text, so that plotly interprets nothing in it."""
    return html.escape(one_line(text, width), quote=False)


def module_text(module: str) -> str:
    """The text for a module; ops outside any module have a group of their own."""
    return "in no module" if module == NONE else module


def kind_color(kind: str) -> str:
    """The color of a kind of op, the same as in the graph."""
    return KINDS[OpKind(kind)].color if kind in set(OpKind) else GREY


def kind_title(kind: str) -> str:
    """The title of a kind of op."""
    return KINDS[OpKind(kind)].title if kind in set(OpKind) else kind


def theme() -> Theme:
    """Dark if plotly's default template is: `plotly.io.templates.default = "plotly_dark"`."""
    from plotly import io

    return DARK if "dark" in (io.templates.default or "") else LIGHT


def dress(figure: go.Figure, title: str, **axes: str) -> go.Figure:
    """Set title, axis titles and grid. A chart has its own ground, so that it is readable on any page."""
    here = theme()
    figure.update_layout(
        template="none",
        title={"text": title, "font": {"size": 14}, "x": 0, "xref": "paper", **_TOP},
        margin={"l": 60, "r": 20, "t": 76 if len(figure.data) > 1 else 52, "b": 52},
        legend={
            "orientation": "h",
            "x": 0,
            "xanchor": "left",
            "y": 1,
            "yanchor": "bottom",
            "bgcolor": _CLEAR,
        },
        modebar={"bgcolor": _CLEAR},
        font={"color": here.words, "family": _FONT, "size": _SIZE},
        paper_bgcolor=here.ground,
        plot_bgcolor=_CLEAR,
        hoverlabel={
            "align": "left",
            "bgcolor": _HOVER.ground,
            "bordercolor": GREY,
            "font": {"color": _HOVER.words, "family": _FONT, "size": _SIZE},
        },
        clickmode="event+select",
        autosize=True,
    )
    ticks = {"ticks": "outside", "ticklen": 4, "tickcolor": _CLEAR}
    # write numbers in full, in the unit of the title: not 10k µs
    ticks |= {"exponentformat": "none", "separatethousands": True}
    line = {**ticks, "gridcolor": "rgba(128,128,128,0.25)", "zerolinecolor": "rgba(128,128,128,0.4)"}
    figure.update_xaxes(title_text=axes.get("x", ""), **line)
    figure.update_yaxes(title_text=axes.get("y", ""), **line)
    return figure


def lay_out(figure: go.Figure, *, plot: int, notes: int = 0) -> None:
    """Place title, `notes` below it, legend and plot from top to bottom; `plot` is its height in pixels."""
    entries = len(figure.data) if len(figure.data) > 1 else 0
    words = _TITLE_PX + notes * _NOTE_PX
    top = words + entries * _ENTRY_PX + _GAP_PX
    height = top + plot + _AXIS_PX
    figure.update_layout(
        height=height,
        # plotly places a title of several lines higher than one of one line
        title={"xref": "container", "pad": {"l": _GAP_PX, "t": _TOP["pad"]["t"] + (8 if notes else 0)}},
        legend={
            # stack entries; "v" would reserve a margin at the side, as wide as the legend
            "orientation": "h",
            "entrywidth": 1,
            "entrywidthmode": "fraction",
            "xref": "container",
            "yref": "container",
            "x": 0,
            "y": 1 - words / height,
            "yanchor": "top",
        },
        margin={"t": top, "b": _AXIS_PX},
    )


def show_message(figure: go.Figure, why: str) -> None:
    """Show a text in the middle of an empty chart, without axes."""
    figure.add_annotation(text=why, x=0.5, y=0.5, xref="paper", yref="paper", showarrow=False)
    figure.update_xaxes(visible=False)
    figure.update_yaxes(visible=False)


def log_ticks(values: Iterable[float]) -> list[float]:
    """Ticks 1, 2, 5, 10, 20, … for these values: plotly's own between powers of ten are too small."""
    known = [value for value in values if value > 0]
    if not known:
        return []
    powers = range(math.floor(math.log10(min(known))), math.ceil(math.log10(max(known))) + 1)
    return [float(f"{part}e{power}") for power in powers for part in (1, 2, 5)]
