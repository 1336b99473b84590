"""JupyterLite in a real browser: no server reads the file, and the kernel's Python runs in the tab."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from scripts import lite, site
from tests.corpus.programs import archive

from .standalone import PATIENCE, SETTLED, new_context
from .static_site import Host

pytestmark = pytest.mark.nightly


@pytest.fixture(scope="module")
def host(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    """The site; skips where no index has what it is built with."""
    work, folder = tmp_path_factory.mktemp("work"), tmp_path_factory.mktemp("lite") / "lite"
    files = [shutil.copy(archive("control_flow"), work / "flow.pt2"), work / "broken.pt2"]
    (work / "broken.pt2").write_bytes(archive("control_flow").read_bytes()[:2000])
    try:
        lite.build(folder, work / "build", site.SAMPLES[:1], map(Path, files))
    except site.CannotBuild as problem:
        pytest.skip(str(problem))
    one = Host(folder)
    yield one
    one.close()


class Lite:
    def __init__(self, page: Page, host: Host) -> None:
        self.page = page
        self.elsewhere: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("request", lambda request: self._note(request.url, host.address))
        page.goto(f"{host.address}lab/index.html")
        page.locator(".jp-DirListing-item").first.wait_for()

    def _note(self, url: str, ours: str) -> None:
        if not url.startswith((ours, "data:", f"blob:{ours}")):
            self.elsewhere.append(url)

    def open(self, name: str) -> None:
        item = self.page.locator(".jp-DirListing-item", has=self.page.get_by_text(name, exact=True))
        item.dblclick()


@pytest.fixture(scope="module")
def opened(browser: Browser, host: Host) -> Iterator[Lite]:
    """The tab of all tests: loading it takes seconds."""
    context = new_context(browser, viewport={"width": 1280, "height": 1400})
    one = Lite(context.new_page(), host)
    yield one
    context.close()
    assert one.elsewhere == []


def test_a_file_is_read_without_a_server(opened: Lite) -> None:
    opened.open("flow.pt2")
    picture = opened.page.locator(f".exirviz-document {SETTLED}")
    picture.wait_for()
    assert int(picture.get_attribute("data-boxes") or 0) > 1
    opened.open("broken.pt2")
    error = opened.page.locator(".exirviz-document-error")
    expect(error).to_contain_text("Cannot open broken.pt2")
    expect(error).to_contain_text("copy or download it again")


def test_a_notebook_explores_a_program_without_torch(opened: Lite) -> None:
    opened.open("browser.ipynb")
    opened.page.locator(".jp-Notebook-ExecutionIndicator[data-status=idle]").wait_for()
    opened.page.locator(".lm-MenuBar-itemLabel", has_text="Run").click()
    opened.page.locator(".lm-Menu-itemLabel", has_text="Run All Cells").first.click()
    opened.page.locator(f".jp-OutputArea {SETTLED}").wait_for()
    expect(opened.page.locator(".jp-OutputArea", has_text="method").last).to_contain_text("resnet50.pt2")
