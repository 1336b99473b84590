"""What all charts have in common: colours, the text of hovers, and text of a program made safe for plotly.

plotly reads tags in labels and hovers: every text of a program is escaped, its control characters shown.
"""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from exir_viz.snapshot.opkind import KINDS, OpKind
from exir_viz.snapshot.printable import one_line

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Okabe and Ito's colours for what is told apart otherwise than by kind of op, safe for the colour-blind.
SERIES = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
GREY = "#888888"
# Of words: read on white and nearly as well on black. A chart of an explorer has the notebook's own colour.
_WORDS = "#757575"
_NAME_WIDTH = 48


def safe(text: str, width: int = _NAME_WIDTH) -> str:
    """Text of a program as plotly shows it and nothing more."""
    return html.escape(one_line(text, width), quote=False)


def kind_color(kind: str) -> str:
    """The colour of a kind of op, the same as in the picture."""
    return KINDS[OpKind(kind)].color if kind in set(OpKind) else GREY


def kind_title(kind: str) -> str:
    """The words of a kind of op."""
    return KINDS[OpKind(kind)].title if kind in set(OpKind) else kind


def dress(figure: go.Figure, title: str, **axes: str) -> go.Figure:
    """Title, axis titles, quiet lines; the host's theme shows through."""
    figure.update_layout(
        title={"text": title, "font": {"size": 14}},
        margin={"l": 60, "r": 20, "t": 48, "b": 48},
        font={"color": _WORDS},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        hoverlabel={"align": "left"},
        clickmode="event+select",
    )
    line = {"gridcolor": "rgba(128,128,128,0.25)", "zerolinecolor": "rgba(128,128,128,0.4)"}
    figure.update_xaxes(title_text=axes.get("x", ""), **line)
    figure.update_yaxes(title_text=axes.get("y", ""), **line)
    return figure
