"""Which browser tests and benchmark drive, how it is started, and the one that tests share."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

# Chromium without windows: a page opens in a third of the time. Only some systems have the package.
SHELLS = ("chromium-headless-shell", "chrome-headless-shell")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

# A browser's background activity, and features that need a graphics card, are off: pictures are equal.
# Without a network of its own, and with exact figures of memory.
QUIET_FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-precise-memory-info",
]
# The same pixels everywhere, too.
FLAGS = [*QUIET_FLAGS, "--force-color-profile=srgb", "--font-render-hinting=none"]
BUILT = Path(__file__).parents[1] / "exir_viz" / "widget" / "static" / "page.js"


def chromium() -> str | None:
    """The browser that people use, for measurements; None where there is none."""
    return _first(*BROWSERS, *SHELLS)


def headless_chromium() -> str | None:
    """The browser for tests: the same engine, without windows where that is installed."""
    return _first(*SHELLS, *BROWSERS)


def _first(*names: str) -> str | None:
    return os.environ.get("EXIR_VIZ_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


# Playwright is imported when the first test asks for a browser, and runs once in a process.
@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for the session."""
    from playwright.sync_api import sync_playwright

    found = headless_chromium()
    if not found:
        pytest.skip("no Chromium here: install one or set EXIR_VIZ_CHROMIUM to it")
    if not BUILT.exists():
        pytest.skip("the front end is not built here: run `make build`")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()
