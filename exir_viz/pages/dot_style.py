"""Colours and text of a static picture. Program text passes through `label`, and becomes nothing but text."""

from __future__ import annotations

from collections.abc import Iterable

from exir_viz.snapshot.printable import one_line

TEXT_COLOR = "#1F2328"
MUTED_COLOR = "#6B7280"
LINE_COLOR = "#9AA1AB"
ACCENT_COLOR = "#1F6FEB"
MODULE_COLOR = "#F3F4F6"
# An open module's ground: a tint that deepens with depth.
BACKGROUND_COLORS = ("#FBFBFC", "#F5F6F8", "#EFF1F4", "#E9ECF0", "#E3E7EC")

_WIDEST = 44


def tint(color: str, share: float = 0.16) -> str:
    """A colour thinned with white: `share` of it is left."""
    parts = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(255 - (255 - part) * share):02X}" for part in parts)


def label(lines: Iterable[str]) -> str:
    """Lines of program text as one label: no line ends, no markup, no escapes of Graphviz's own."""
    import graphviz

    # Graphviz reads backslash escapes, <…> as markup and &…; as characters; the "\\n" between lines is ours.
    lines = [one_line(line, _WIDEST).replace("&", "&amp;") for line in lines if line]
    text: str = graphviz.nohtml("\\n".join(graphviz.escape(line) for line in lines))
    return text
