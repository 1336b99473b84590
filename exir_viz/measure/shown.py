"""Progress for people: a bar on a terminal, a line in a notebook, nothing elsewhere. In the end it is gone.

It begins a second after the start: what is quick says nothing.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from collections.abc import Iterator
from html import escape
from typing import Any, Protocol, TextIO

from .progress import Callback, Progress

_QUIET = 1.0
_PAUSE = 0.2
_CELLS = 24


@contextlib.contextmanager
def shown(callback: Callback | None) -> Iterator[Callback]:
    """The callback given, or one that shows progress where somebody looks."""
    if callback is not None:
        yield callback
        return
    surface = _surface()
    if surface is None:
        yield _nobody
        return
    showing = Showing(surface)
    try:
        yield showing
    finally:
        showing.close()


class Surface(Protocol):
    """Where progress is drawn."""

    def draw(self, progress: Progress) -> None:
        """Replace what was drawn before."""

    def clear(self) -> None:
        """Take it away."""


class Showing:
    """A callback that keeps one drawing up to date, not more often than people can read."""

    def __init__(self, surface: Surface, quiet: float = _QUIET) -> None:
        self._surface = surface
        self._quiet = quiet
        self._last = float("-inf")
        self._is_drawn = False

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if progress.elapsed < self._quiet or now - self._last < _PAUSE:
            return
        self._last, self._is_drawn = now, True
        self._surface.draw(progress)

    def close(self) -> None:
        """Take the drawing away, if there is one."""
        if self._is_drawn:
            self._surface.clear()
            self._is_drawn = False


class Terminal:
    """One line of a terminal: a bar, and the words of a Progress."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._full, self._empty = ("█", "░") if _can_say("█░", stream) else ("#", "-")

    def draw(self, progress: Progress) -> None:
        """Written over what was there; never wider than the terminal."""
        done = round(_CELLS * part(progress))
        text = f"{self._full * done}{self._empty * (_CELLS - done)}  {progress}"
        width = shutil.get_terminal_size().columns - 1
        self._stream.write(f"\r{text[:width]}\x1b[K")
        self._stream.flush()

    def clear(self) -> None:
        """The line is as it was."""
        self._stream.write("\r\x1b[K")
        self._stream.flush()


class Cell:
    """An output of a notebook's cell that is replaced, and empty in the end."""

    def __init__(self) -> None:
        self._handle: Any = None

    def draw(self, progress: Progress) -> None:
        """A bar and the words, in the notebook's own colours."""
        share = f"{part(progress):.3f}"
        html = (
            "<div style='font: 12px var(--jp-ui-font-family, sans-serif); "
            "color: var(--jp-ui-font-color1, inherit)'>"
            f"<progress value='{share}' aria-label='{escape(progress.what, quote=True)}' "
            "style='width: 12em; vertical-align: middle; accent-color: #0072B2'></progress> "
            f"{escape(str(progress))}</div>"
        )
        self._show({"text/html": html, "text/plain": str(progress)})

    def clear(self) -> None:
        """Nothing is left of it, nor in the saved notebook."""
        self._show({"text/html": "", "text/plain": ""})

    def _show(self, data: dict[str, str]) -> None:
        if self._handle is None:
            from IPython import display

            self._handle = display.display(data, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(data, raw=True)


def part(progress: Progress) -> float:
    """How much is done, from 0 to 1."""
    return min(1.0, progress.done / max(progress.total, 1))


def _surface() -> Surface | None:
    """Where somebody looks: a terminal, or the notebook that runs this."""
    if sys.stderr.isatty():
        return Terminal(sys.stderr)
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return Cell() if getattr(shell, "kernel", None) is not None else None


def _can_say(text: str, stream: TextIO) -> bool:
    try:
        text.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def _nobody(_: Progress) -> None:
    """Nobody looks."""
