"""One browser for the session, and pages in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from exir_viz.widget import __file__ as widget
from tests.chromium import headless_chromium

from .jupyter import Lab, Notebook, Server
from .standalone import PATIENCE, Standalone

# A browser's background activity, and features that need a graphics card, are off: pictures are equal.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
    "--font-render-hinting=none",
    "--enable-precise-memory-info",
]
# Playwright gives up after 5 seconds, which a busy machine may need for one click.
expect.set_options(timeout=PATIENCE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker("browser")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    found = headless_chromium()
    if not found:
        pytest.skip("no Chromium here: install one or set EXIR_VIZ_CHROMIUM to it")
    if not (Path(widget).parent / "static" / "page.js").exists():
        pytest.skip("the front end is not built here: run `make build`")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=FLAGS)
        yield browser
        browser.close()


Opener = Callable[..., Standalone]


@pytest.fixture
def new_page(browser: Browser, tmp_path: Path) -> Iterator[Opener]:
    """Makes pages of its own context each; keywords are those of a Playwright context."""
    contexts = []

    def make(**options: Any) -> Standalone:
        options = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "light", **options}
        context = browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        return Standalone(context.new_page(), tmp_path)

    yield make
    for context in contexts:
        context.close()


@pytest.fixture
def standalone(new_page: Opener) -> Standalone:
    """One page, 1280×800, light."""
    return new_page()


@pytest.fixture(scope="session")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A Jupyter server; tests put the programs they need into its folder."""
    with Server(tmp_path_factory.mktemp("jupyter")) as running:
        yield running


@pytest.fixture(scope="session")
def jupyter_context(browser: Browser) -> Iterator[BrowserContext]:
    """What all notebooks are open in, so that the applications are loaded from the network once."""
    # High enough for every cell: an application may remove cells that are scrolled out of view.
    context = browser.new_context(viewport={"width": 1280, "height": 2400}, color_scheme="light")
    context.set_default_timeout(PATIENCE)
    yield context
    context.close()


@pytest.fixture(scope="session")
def lab(jupyter: Server, jupyter_context: BrowserContext) -> Lab:
    """The page of JupyterLab that all tests share."""
    return Lab(jupyter, jupyter_context)


@pytest.fixture(params=["lab", "notebook"])
def notebook(
    request: pytest.FixtureRequest, jupyter: Server, jupyter_context: BrowserContext, lab: Lab
) -> Iterator[Notebook]:
    """A notebook in JupyterLab, and then one in Notebook 7."""
    if request.param == "lab":
        one = Notebook(jupyter, lab.page(), "lab", lab)
    else:
        one = Notebook(jupyter, jupyter_context.new_page(), "notebook")
    yield one
    one.close()
