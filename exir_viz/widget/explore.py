"""`explore`: choose the view for an object. Without the widget's packages that is a page in a frame."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from exir_viz import options
from exir_viz.errors import CaptureError
from exir_viz.extras import is_installed
from exir_viz.measure.profile import Profile
from exir_viz.measure.sweeps.results import Sweep
from exir_viz.options import named_options
from exir_viz.readers.accepted_inputs import check_inputs_unused, is_path, not_explored
from exir_viz.readers.files import load, recorded
from exir_viz.result import Result
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.wire import is_session
from exir_viz.stages.live import can_start_session
from exir_viz.stages.session import Session
from exir_viz.stages.stage import Stage

if TYPE_CHECKING:
    from .explorer import Explorer
    from .page import Page

# Height of an explorer in a cell, in CSS pixels.
HEIGHT = 600


@named_options
def explore(
    x: object,
    *args: Any,
    kwargs: Mapping[str, Any] | None = None,
    dynamic_shapes: Any = None,
    strict: bool = False,
    title: str = "",
    height: int = HEIGHT,
    save_in_notebook: bool = False,
) -> Explorer | Page:
    """Show a program as an interactive picture in a notebook.

    The returned widget also controls the picture: `.select(...)`, `.open(...)`, `.fit()`, `.paint(series)`,
    `.show(profile)`, `.selection`, `.view`. Without the extra `notebook`, a frame shows the page of
    `to_html`.

    Parameters
    ----------
    x
        Anything that `load` accepts, a Snapshot, a Profile, a Sweep, a Session, one of its stages, or the
        path of a file for `load`. For a live program, a session is started (`.session`), so that you can run
        the next steps in the picture.
    args, kwargs, dynamic_shapes, strict
        How to export an nn.Module, as for `load`.
    title
        The title above the picture. The default is the name of the program.
    height
        The height of the picture, in CSS pixels.
    save_in_notebook
        Store the compressed program in the output, so that the notebook shows the explorer when it is opened
        again without a kernel. The foot of the explorer says how large that is.

    Returns
    -------
    Explorer or Page
        The widget, or a page in a frame where the extra `notebook` is not installed.

    Raises
    ------
    CaptureError
        If `x` cannot be shown.

    Examples
    --------
    >>> explorer = exir_viz.explore(model, x)
    >>> explorer.select("linear")
    >>> explorer.selection
    ['forward/linear']
    """
    options.flag("explore", "save_in_notebook", save_in_notebook)
    options.text("explore", "title", title)
    options.pixels("explore", "height", height)
    options.flag("explore", "strict", strict)
    export = {"kwargs": kwargs, "dynamic_shapes": dynamic_shapes, "strict": strict}
    shown = _explored(x, args, export, title, height)
    if save_in_notebook and is_installed("notebook"):  # a Page is in the output anyway
        shown.save_in_notebook = True  # type: ignore[union-attr]
    return shown


def _explored(
    x: object, args: tuple[Any, ...], export: Mapping[str, Any], title: str, height: int
) -> Explorer | Page:
    if isinstance(x, Sweep):
        x = x.by_size()
    if isinstance(x, Snapshot | Profile | Session | Stage) or is_path(x):
        check_inputs_unused("explore", x, {"args": args, **export})
    if isinstance(x, Profile):
        return display_of(x.snapshot, title, height, x)
    if isinstance(x, Snapshot | Session | Stage):
        return display_of(x, title, height)
    if isinstance(x, Result):
        check_inputs_unused("explore", x, {"args": args, **export})
        snapshot = recorded(x)
        if snapshot is None:
            raise CaptureError(x.why_not_explored) if x.why_not_explored else not_explored(x)
        return _painted(display_of(snapshot, title, height), x)
    if is_path(x):
        path = options.path("explore", x)
        return display_of(Session(path) if is_session(path) else load(path), title, height)
    if can_start_session(x):
        session = Session(x, *args, **export)
        return display_of(session, title, height)
    return display_of(_captured(x, args, export), title, height)


def _painted(shown: Explorer | Page, x: Result) -> Explorer | Page:
    """The view with the paintings of a result; a page has none."""
    if is_installed("notebook"):
        for label, categories in x.paintings.items():
            shown.paint(categories, label)
    return shown


def display_of(
    what: Snapshot | Session | Stage, title: str = "", height: int = HEIGHT, profile: Profile | None = None
) -> Explorer | Page:
    """The view of a Snapshot, a session or one of its stages: the widget, or a page if its packages are
    missing.
    """
    stage = what if isinstance(what, Stage) else None
    shown = what.session if isinstance(what, Stage) else what
    if not is_installed("notebook"):
        from .page import Page

        profiles = {} if profile is None else {"profiles": {"": profile}}
        return Page(shown, title=title, height=height, stage=stage, **profiles)
    if isinstance(shown, Session):
        from .session_explorer import SessionExplorer

        if stage is not None:
            shown.current = stage
        return SessionExplorer(shown, title=title, height=height)
    from .explorer import Explorer

    explorer = Explorer(shown, title=title, height=height)
    if profile is not None:
        explorer.show(profile)
    return explorer


def _captured(x: object, args: tuple[Any, ...], export: Mapping[str, Any]) -> Snapshot:
    """The Snapshot of an object with which no session can start: a plain graph."""
    from exir_viz.readers.live import capture

    try:
        return capture(x, args, export)
    except CaptureError as error:
        raise not_explored(x) from error


def mime_bundle(x: Snapshot | Session | Profile, options: Mapping[str, Any]) -> object:
    """The output of a cell that ends with one of these: the explorer; in a terminal, its text."""
    if _is_terminal():
        return {"text/plain": str(x)}
    shown = display_of(x.snapshot, profile=x) if isinstance(x, Profile) else display_of(x)
    return shown._repr_mimebundle_(**options)


def _is_terminal() -> bool:
    """Whether this is IPython without a kernel, which cannot display widgets."""
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    return shell is not None and getattr(shell, "kernel", None) is None
