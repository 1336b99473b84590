"""Pages and pictures made of a Snapshot: files that can be looked at where exir_viz is not installed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from exir_viz.pages import dot as dot
    from exir_viz.pages import html as html
    from exir_viz.pages import markdown as markdown


if not TYPE_CHECKING:  # a checker knows the names that there are, and that there are no others

    def __getattr__(name: str) -> object:
        """`exir_viz.pages.dot`, `.html` and `.markdown`, imported when they are first asked for."""
        if name in ("dot", "html", "markdown"):
            return import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
