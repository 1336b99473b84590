"""`explore`: what shows what it is given. Without the packages of the widget that is a page in a frame."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from exir_viz import options
from exir_viz.errors import CaptureError
from exir_viz.extras import is_installed
from exir_viz.measure.profile import Profile
from exir_viz.readers.accepted import check_inputs_unused, is_path, not_explored
from exir_viz.readers.files import load
from exir_viz.snapshot import Snapshot
from exir_viz.stages.live import can_start
from exir_viz.stages.saved import is_session
from exir_viz.stages.session import Session

if TYPE_CHECKING:
    from .explorer import Explorer
    from .page import Page


def explore(
    x: object,
    args: tuple[Any, ...],
    *,
    kwargs: Mapping[str, Any] | None,
    dynamic_shapes: Any,
    strict: bool,
    title: str,
    height: int,
) -> Explorer | Page:
    """See `exir_viz.explore`."""
    options.text("explore", "title", title)
    options.pixels("explore", "height", height)
    options.flag("explore", "strict", strict)
    given = {"args": args, "kwargs": kwargs, "dynamic_shapes": dynamic_shapes, "strict": strict}
    if isinstance(x, Snapshot | Profile | Session) or is_path(x):
        check_inputs_unused("explore", x, given)
    if isinstance(x, Profile):
        return _show(x.snapshot, title, height, x)
    if isinstance(x, Snapshot | Session):
        return _show(x, title, height)
    if is_path(x):
        path = options.path("explore", x)
        is_saved_session = path.suffix == ".exirviz" and is_session(path)
        return _show(Session(path) if is_saved_session else load(path), title, height)
    if can_start(x):
        session = Session(x, *args, kwargs=kwargs, dynamic_shapes=dynamic_shapes, strict=strict)
        return _show(session, title, height)
    return _show(_captured(x, args, given), title, height)


def _show(
    what: Snapshot | Session, title: str, height: int, profile: Profile | None = None
) -> Explorer | Page:
    if not is_installed("notebook"):
        from .page import Page

        profiles = {} if profile is None else {"profiles": {"": profile}}
        return Page(what, title=title, height=height, **profiles)
    if isinstance(what, Session):
        from .stages import SessionExplorer

        return SessionExplorer(what, title=title, height=height)
    from .explorer import Explorer

    explorer = Explorer(what, title=title, height=height)
    if profile is not None:
        explorer.show(profile)
    return explorer


def _captured(x: object, args: tuple[Any, ...], given: Mapping[str, Any]) -> Snapshot:
    """The Snapshot of what no session begins with: of a graph alone."""
    from exir_viz.readers.live import capture

    try:
        return capture(x, *args, **{name: one for name, one in given.items() if name != "args" and one})
    except CaptureError as error:
        raise not_explored(x) from error
