"""What fills a program, as a treemap: kinds of parts, then modules, each as large as its bytes."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from exir_viz.extras import needs_extra
from exir_viz.options import instance, named_options
from exir_viz.reports.size import parts
from exir_viz.snapshot.format import byte_text
from exir_viz.snapshot.snapshot import Snapshot

from .style import NESTED, SERIES, dress, safe, theme

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Levels that are drawn at once; a click opens the next.
_DEPTH = 4


@named_options
def size(snapshot: Snapshot) -> go.Figure:
    """Draw what fills a program as a treemap: parameters, buffers, constants, delegates, and their modules.

    Parameters
    ----------
    snapshot
        The program.

    Returns
    -------
    plotly.graph_objects.Figure
        A box per kind of part, and in it a box per module; a click opens a box.

    Raises
    ------
    WrongArgument
        If it is not a Snapshot.
    MissingExtra
        If plotly is not installed.

    Examples
    --------
    >>> figure = exir_viz.figures.size(snapshot)
    >>> [text for text in figure.data[0].text if "fc1" in text]
    ['fc1<br>160 B']
    """
    needs_extra("figures.size()", "charts")
    instance("size", "snapshot", snapshot, Snapshot, "exir_viz.load(path) and exir_viz.load(x) make one.")
    import plotly.graph_objects as go

    sizes: dict[tuple[str, ...], int] = defaultdict(int)
    nodes: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for part in parts(snapshot):
        modules = part.name.split(".")[:-1] if part.value is not None else []
        path = (part.kind, *modules)
        for length in range(len(path) + 1):
            sizes[path[:length]] += part.bytes
            nodes[path[:length]] += part.nodes
    names = {path: path[-1] if path else "the program" for path in sizes}
    figure = go.Figure(
        go.Treemap(
            ids=["/".join(("program", *path)) for path in sizes],
            parents=["/".join(("program", *path[:-1])) if path else "" for path in sizes],
            labels=[safe(name) for name in names.values()],
            values=list(sizes.values()),
            branchvalues="total",
            text=[f"{safe(names[path])}<br>{byte_text(count)}" for path, count in sizes.items()],
            textinfo="text",
            hovertext=[
                f"<b>{safe('.'.join(path))}</b><br>{byte_text(count)}" for path, count in sizes.items()
            ],
            hoverinfo="text",
            customdata=[nodes[path] for path in sizes],
            maxdepth=_DEPTH,
            root={"color": theme().ground},
            meta=NESTED,
        )
    )
    dress(figure, f"Bytes of the program: {byte_text(sizes[()])}")
    figure.update_layout(treemapcolorway=list(SERIES))
    return figure
