"""Which browser tests and benchmark drive, and how it is started."""

from __future__ import annotations

import os
import shutil

# Chromium without windows: a page opens in a third of the time. Only some systems have the package.
SHELLS = ("chromium-headless-shell", "chrome-headless-shell")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def chromium() -> str | None:
    """The browser that people use, for measurements; None where there is none."""
    return _first(*BROWSERS, *SHELLS)


def headless_chromium() -> str | None:
    """The browser for tests: the same engine, without windows where that is installed."""
    return _first(*SHELLS, *BROWSERS)


def _first(*names: str) -> str | None:
    return os.environ.get("EXIR_VIZ_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
