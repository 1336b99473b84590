"""Shows progress: a bar in a terminal, an output in a notebook, nothing elsewhere. It disappears at the end.

It appears one second after the start, so that fast work shows nothing.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Final, Protocol, TextIO

from exir_viz.snapshot.printable import html

_PATIENCE: Final = 1.0
_PAUSE: Final = 0.2
_CELLS: Final = 24

# Takes a text, the part that is done (0 to 1, None where unknown), and the seconds since the start.
Update = Callable[[str, float | None, float], None]


@contextlib.contextmanager
def progress_display() -> Iterator[Update | None]:
    """A function that shows progress while the block runs; None if it would not be visible."""
    surface = _surface()
    if surface is None:
        yield None
        return
    display = ProgressDisplay(surface)
    try:
        yield display
    finally:
        display.close()


class Surface(Protocol):
    """Where progress is drawn."""

    def draw(self, text: str, done: float | None) -> None:
        """Replace what was drawn before."""

    def clear(self) -> None:
        """Remove it."""


class ProgressDisplay:
    """Keeps one drawing up to date, not more often than people can read."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._last = float("-inf")
        self._is_drawn = False

    def __call__(self, text: str, done: float | None, seconds: float) -> None:
        now = time.monotonic()
        if seconds < _PATIENCE or now - self._last < _PAUSE:
            return
        self._last, self._is_drawn = now, True
        self._surface.draw(text, done)

    def close(self) -> None:
        """Remove the drawing, if there is one."""
        if self._is_drawn:
            self._surface.clear()
            self._is_drawn = False


class Terminal:
    """One line of a terminal: a bar, where it is known how much is done, and a text."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._full, self._empty = ("█", "░") if _can_encode("█░", stream) else ("#", "-")

    def draw(self, text: str, done: float | None) -> None:
        """Overwrite the line, and never more than the line."""
        if done is not None:
            full = round(_CELLS * done)
            text = f"{self._full * full}{self._empty * (_CELLS - full)}  {text}"
        width = shutil.get_terminal_size().columns - 1
        self._stream.write(f"\r{text[:width]}\x1b[K")
        self._stream.flush()

    def clear(self) -> None:
        """Erase the line."""
        self._stream.write("\r\x1b[K")
        self._stream.flush()


class Cell:
    """An output of a notebook's cell that is replaced, and empty at the end."""

    def __init__(self) -> None:
        self._handle: Any = None

    def draw(self, text: str, done: float | None) -> None:
        """Show a bar and the text, in the notebook's own colors."""
        bar = html(
            "<div style='font: 12px var(--jp-ui-font-family, sans-serif); "
            "color: var(--jp-ui-font-color1, inherit)'>"
            "<progress {}aria-label='{}' "
            "style='width: 12em; vertical-align: middle; accent-color: #0072B2'></progress> "
            "{}</div>",
            "" if done is None else html("value='{}' ", f"{done:.3f}"),
            text,
            text,
        )
        self._show({"text/html": bar, "text/plain": text})

    def clear(self) -> None:
        """Leave nothing, in the saved notebook neither."""
        self._show({"text/html": "", "text/plain": ""})

    def _show(self, data: dict[str, str]) -> None:
        if self._handle is None:
            from IPython import display

            self._handle = display.display(data, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(data, raw=True)


def _surface() -> Surface | None:
    """The terminal, or the notebook that runs this."""
    if sys.stderr is not None and sys.stderr.isatty():
        return Terminal(sys.stderr)
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return Cell() if getattr(shell, "kernel", None) is not None else None


def _can_encode(text: str, stream: TextIO) -> bool:
    try:
        text.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
