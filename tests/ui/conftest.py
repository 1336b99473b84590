"""Pages in the browser of the session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, ViewportSize, expect

from tests.nightly import nightly

from .jupyter import Lab, Notebook, Server
from .standalone import PATIENCE, Standalone, new_context

# Playwright gives up after 5 seconds, which a busy machine may need for one click.
expect.set_options(timeout=PATIENCE)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker("browser")


Opener = Callable[..., Standalone]


class PagePool:
    """Pages that one test after another uses: a page in a new context opens three times slower."""

    def __init__(self, browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> None:
        self._browser = browser
        self._tmp_path_factory = tmp_path_factory
        self._free: dict[bool, list[Standalone]] = {False: [], True: []}

    def take(
        self,
        *,
        viewport: ViewportSize | None = None,
        color_scheme: Literal["light", "dark"] = "light",
        reduced_motion: Literal["no-preference", "reduce"] = "reduce",
        has_touch: bool = False,
    ) -> Standalone:
        """A page that shows nothing; nothing glides on it, unless the test is about that."""
        free = self._free[has_touch]
        standalone = free.pop() if free else self._make(has_touch)
        standalone.page.set_viewport_size(viewport or {"width": 1280, "height": 800})
        standalone.page.emulate_media(media="null", color_scheme=color_scheme, reduced_motion=reduced_motion)
        standalone.problems.clear()
        standalone.requests.clear()
        return standalone

    def give_back(self, standalone: Standalone) -> None:
        """Leave the program, and forget what the page keeps for the next visit."""
        page = standalone.page
        page.context.clear_permissions()
        standalone.forget_before_next_program()
        page.mouse.move(0, 0)
        has_touch = page.evaluate("() => navigator.maxTouchPoints > 0")
        self._free[has_touch].append(standalone)

    def _make(self, has_touch: bool) -> Standalone:
        context = new_context(self._browser, has_touch=has_touch)
        return Standalone(context.new_page(), self._tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="session")
def page_pool(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> PagePool:
    return PagePool(browser, tmp_path_factory)


@pytest.fixture
def new_page(request: pytest.FixtureRequest, page_pool: PagePool) -> Iterator[Opener]:
    """Opens pages, each with a context of its own; keywords are those of `PagePool.take`.

    No other test gets the pages of a test that failed.
    """
    opened: list[Standalone] = []
    failed = request.session.testsfailed

    def make(**options: Any) -> Standalone:
        opened.append(page_pool.take(**options))
        return opened[-1]

    yield make
    for standalone in opened:
        if request.session.testsfailed > failed:
            standalone.page.context.close()
        else:
            page_pool.give_back(standalone)


@pytest.fixture
def standalone(new_page: Opener) -> Standalone:
    """One page, 1280×800, light."""
    return new_page()


# Not of the session: JupyterLab asks its server for news every few seconds, a tenth of a processor as long
# as its page is open. The tests that begin next are of other packages.
@pytest.fixture(scope="package")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A Jupyter server; tests put the programs they need into its folder."""
    with Server(tmp_path_factory.mktemp("jupyter")) as running:
        yield running


@pytest.fixture(scope="package")
def jupyter_context(browser: Browser) -> Iterator[BrowserContext]:
    """What all notebooks are open in, so that the applications are loaded from the network once."""
    # High enough for every cell: an application may remove cells that are scrolled out of view.
    context = new_context(browser, viewport={"width": 1280, "height": 2400}, color_scheme="light")
    yield context
    context.close()


@pytest.fixture(scope="package")
def lab(jupyter: Server, jupyter_context: BrowserContext) -> Lab:
    """The page of JupyterLab that all tests share."""
    return Lab(jupyter, jupyter_context)


@pytest.fixture(scope="package")
def notebook_page(jupyter_context: BrowserContext) -> Page:
    """The page that all notebooks in Notebook 7 share: it loads the application faster than a new one."""
    return jupyter_context.new_page()


@pytest.fixture(params=["lab", *nightly(["notebook"])])
def notebook(request: pytest.FixtureRequest, jupyter: Server, lab: Lab) -> Iterator[Notebook]:
    """A notebook in JupyterLab, and then one in Notebook 7."""
    if request.param == "lab":
        one = Notebook(jupyter, lab.page(), "lab", lab)
    else:
        one = Notebook(jupyter, request.getfixturevalue("notebook_page"), "notebook")
    yield one
    one.close()
