"""The standalone page: the explorer and its data in a single file that needs no server and no network.

What enters: a Snapshot, a session of several stages, or diffs. What leaves: HTML. Snapshots are base64 text
in script elements that no browser runs. The page's content policy allows only the explorer's own script, by
its hash: text of a program cannot become code even if the explorer had a bug.

All `to_html` share these options:

title: of the page; by default the name of the program.
sources, absolute_paths: what the page says about your machine, see `exir_viz.snapshot.redaction`. Without
    `sources` it has no source text; paths are relative unless `absolute_paths` is True.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from exir_viz.errors import ExirVizError
from exir_viz.options import path as path_of
from exir_viz.options import text
from exir_viz.snapshot import Snapshot, file_writing, printable
from exir_viz.snapshot.printable import Html, one_line
from exir_viz.snapshot.redaction import Redaction

from .page_data import Scene, ViewState, name_of, page_parts, script_element, snapshots_of

if TYPE_CHECKING:
    from exir_viz.compare.diff import Diff
    from exir_viz.compare.measurements import Measured
    from exir_viz.compare.values.values import Values
    from exir_viz.measure.profile import Profile
    from exir_viz.stages.session import Session
    from exir_viz.stages.stage import Stage

_LONGEST_TITLE = 120


class NotBuilt(ExirVizError):
    """Raised if the front end is not part of this installation."""


def html(  # noqa: PLR0913  every option, by name
    shown: Snapshot | Session | Sequence[Diff],
    *,
    title: str = "",
    profiles: Mapping[str, Profile] | None = None,
    look: ViewState | None = None,
    compare: Sequence[Stage | str] = (),
    values: Sequence[Values] = (),
    measured: Sequence[Measured] = (),
    scenes: Sequence[Scene] = (),
    stage: Stage | None = None,
    sources: bool = True,
    absolute_paths: bool = False,
) -> str:
    """The page's text; the options are those of the module, and of `page_data.page_parts`.

    `shown`: several diffs become columns; each starts with the program that the previous one ended with.
    """
    # An inline script ends at the first of these, wherever it is; the backslash has no effect in the script.
    script = _asset("page.js").replace("</script", "<\\/script").replace("<!--", "<\\!--")
    style = _asset("explorer.css").replace("</style", "<\\/style")
    share = Redaction(snapshots_of(shown), sources=sources, absolute_paths=absolute_paths)
    named = one_line(text("to_html", "title", title) or share.text(name_of(shown)), _LONGEST_TITLE)
    parts = page_parts(
        shown,
        share,
        with_ancestors=True,
        profiles=profiles or {},
        look=look,
        compare=compare,
        values=values,
        measured=measured,
        scenes=scenes,
        stage=stage,
    )
    carried = "\n".join(script_element(name, data) for name, data in parts)
    captions = printable.html_joined(printable.html("<li>{}</li>", scene.caption) for scene in scenes)
    listed = printable.html(" Its captions:<ol>{}</ol>", captions) if captions else ""
    return printable.html(
        _PAGE, Html(_policy(script)), named, Html(style), named, listed, Html(carried), Html(script)
    )


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{}">
<title>{}</title>
<style>html, body, main {{ height: 100%; margin: 0 }}
{}</style>
</head>
<body>
<main id="exirviz"></main>
<noscript>This page shows {} with a script, and scripts are switched off here.{}</noscript>
{}
<script>{}</script>
</body>
</html>
"""


# File endings of programs, which are not overwritten by a page.
_PROGRAMS = (".pt2", ".pte", ".exirviz")


def write(  # noqa: PLR0913  every option, by name
    shown: Snapshot | Session | Sequence[Diff],
    path: str | PathLike[str],
    *,
    title: str = "",
    profiles: Mapping[str, Profile] | None = None,
    look: ViewState | None = None,
    compare: Sequence[Stage | str] = (),
    values: Sequence[Values] = (),
    measured: Sequence[Measured] = (),
    scenes: Sequence[Scene] = (),
    stage: Stage | None = None,
    sources: bool = True,
    absolute_paths: bool = False,
) -> Path:
    """Write the page, with the options of `html`, and return its path."""
    path = path_of("to_html", path)
    if path.suffix in _PROGRAMS:
        raise ExirVizError(
            f"Will not write a page to {path.name!r}: the name is that of a program. Use a name with .html."
        )
    file_writing.find_place(path)
    page = html(
        shown,
        title=title,
        profiles=profiles,
        look=look,
        compare=compare,
        values=values,
        measured=measured,
        scenes=scenes,
        stage=stage,
        sources=sources,
        absolute_paths=absolute_paths,
    )
    return file_writing.write(path, page)


def _policy(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        f"default-src 'none'; script-src 'sha256-{digest}' blob:; worker-src blob:; "
        "style-src 'unsafe-inline'; img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _asset(name: str) -> str:
    try:
        return (files("exir_viz.widget") / "static" / name).read_text(encoding="utf-8")
    except FileNotFoundError as missing:
        raise NotBuilt(
            f"Cannot make a page: {name} is missing: this exir_viz was installed without its front "
            "end. Install a wheel, or run `make build` in a checkout."
        ) from missing
