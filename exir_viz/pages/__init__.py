"""Pages and pictures made from a Snapshot: files to view where exir_viz is not installed."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from exir_viz.pages import dot as dot
    from exir_viz.pages import html as html
    from exir_viz.pages import markdown as markdown


if not TYPE_CHECKING:  # a type checker knows all names

    def __getattr__(name: str) -> object:
        """Import `exir_viz.pages.dot`, `.html` and `.markdown` on first use."""
        if name in ("dot", "html", "markdown"):
            return import_module(f"{__name__}.{name}")
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
