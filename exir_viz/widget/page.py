"""Page: the explorer as a page in a frame, if the packages of the widget are not installed.

What enters: a Snapshot, a session or a diff, and what was measured of it. What a notebook shows: the page of
`to_html`, in a frame that is isolated from the notebook. It is not connected to a kernel, so it offers no
steps.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from exir_viz.extras import needs_extra
from exir_viz.pages import html as pages
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.printable import Html, html

if TYPE_CHECKING:
    from exir_viz.compare.diff import Diff
    from exir_viz.stages.session import Session

# Methods that only the widget has, because they need a connected page.
_OF_WIDGET: Final = frozenset(
    {
        *("appearance", "chart", "compare", "costs", "fit", "fold", "go", "link", "look", "names", "observe"),
        *("open", "paint", "profile", "profiles", "search", "select", "selection", "show", "stage"),
        *("unpaint", "values", "view"),
    }
)


class Page:
    """A program, a session or a diff as a page. `pip install "exir-viz[notebook]"` brings the widget."""

    def __init__(
        self,
        shown: Snapshot | Session | Sequence[Diff],
        *,
        height: int = 600,
        title: str = "",
        **options: Any,
    ) -> None:
        """`options` are those of `pages.html.html`: profiles, measured, stage."""
        self._shown = shown
        self.height = height
        self.title = title
        self._options = options

    @property
    def session(self) -> Session:
        """The session whose stages are shown. A new page shows its new stages too."""
        if isinstance(self._shown, Snapshot | Sequence):
            raise AttributeError("session: only a page of a session has one")
        return self._shown

    @property
    def snapshot(self) -> Snapshot:
        """The program that is shown; for a diff, the second one."""
        if isinstance(self._shown, Snapshot):
            return self._shown
        if isinstance(self._shown, Sequence):
            return self._shown[-1].b
        return self._shown.current.shown.snapshot

    def html(self) -> str:
        """The page's text."""
        return pages.html(self._shown, title=self.title, **self._options)

    def to_html(
        self,
        path: str | PathLike[str],
        *,
        title: str = "",
        sources: bool = True,
        absolute_paths: bool = False,
    ) -> Path:
        """Write the page: one file, no server, no network.

        title, sources, absolute_paths: as for `Snapshot.to_html`.
        """
        return pages.write(
            self._shown,
            path,
            title=title or self.title,
            sources=sources,
            absolute_paths=absolute_paths,
            **self._options,
        )

    def _repr_html_(self) -> str:
        # The sandbox gives the page an origin of its own: text of a program cannot reach the notebook.
        # Its scripts have checksums, so that only markup is escaped in it.
        return html(
            '<iframe class="exirviz-page" sandbox="allow-scripts allow-downloads" '
            'style="width: 100%; height: {}px; border: 0" srcdoc="{}"></iframe>',
            self.height,
            Html(escape(self.html())),
        )

    def _repr_mimebundle_(self, **_options: Any) -> Mapping[str, str]:
        return {"text/html": self._repr_html_(), "text/plain": repr(self)}

    def __repr__(self) -> str:
        shown = self._shown
        return "\n".join(map(str, shown)) if isinstance(shown, Sequence) else str(shown)

    def __getattr__(self, name: str) -> Any:
        """Raise MissingExtra for attributes of the widget."""
        if name in _OF_WIDGET:
            needs_extra(f"explorer.{name}", "notebook")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
