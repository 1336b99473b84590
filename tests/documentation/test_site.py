"""The documentation site: built offline and without a warning, with all that is public, and live figures."""

from __future__ import annotations

import pkgutil
import re
import subprocess
import sys
import threading
import zlib
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from sphinx.util.inventory import InventoryFile

from docs.sphinx import torch_names, try_page
from tests.corpus.programs import ROOT
from tests.test_public_docs import documented
from tests.ui.standalone import SETTLED

DOCS = ROOT / "docs"
# What a browser fetches to show a page; links are followed only when they are pressed.
FETCHED = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*\bsrc=\"([^\"]*)\"|<link\b[^>]*\bhref=\"([^\"]*)\""
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    command = (
        *(sys.executable, "-W", "ignore", "-m", "sphinx", "-q", "-W", "-n", "--keep-going", "-c", str(DOCS)),
        *("-d", str(folder / "doctrees"), str(ROOT), str(folder / "site")),
    )
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert "WARNING" not in done.stderr
    return folder / "site"


@pytest.mark.nightly
def test_every_page_and_lesson_is_in_the_site(site: Path) -> None:
    sources = [*DOCS.rglob("*.md"), *(ROOT / "notebooks").glob("[0-9]*.ipynb")]
    pages = [path.relative_to(ROOT).with_suffix(".html") for path in sources]
    assert [page for page in pages if not (site / page).is_file()] == []
    assert 'url=docs/index.html"' in (site / "index.html").read_text()


@pytest.mark.nightly
def test_everything_public_is_in_the_reference(site: Path) -> None:
    inventory = zlib.decompress((site / "objects.inv").read_bytes().split(b"\n", 4)[4]).decode()
    full = (line.split(" ", 1)[0].removeprefix("exir_viz.") for line in inventory.splitlines())
    names = {name.removeprefix("types.").removeprefix("errors.") for name in full}
    assert sorted(set(documented()) - names) == [], "add them to docs/reference.md"


@pytest.mark.nightly
def test_a_page_fetches_nothing_from_another_host(site: Path) -> None:
    pages = [*site.rglob("*.html")]
    fetched = {
        (page.name, one)
        for page in pages
        for found in FETCHED.finditer(page.read_text("utf-8"))
        for one in found.groups()
        if one and re.match(r"(?:https?:)?//", one)
    }
    assert pages
    assert fetched == set()


def test_the_page_that_opens_files_is_in_the_site_where_it_was_built(tmp_path: Path) -> None:
    built, out = tmp_path / "dist", tmp_path / "out"
    try_page.add_page(out, built)
    assert "make site" in (out / "try" / "index.html").read_text("utf-8")
    built.mkdir()
    (built / "index.html").write_text("drop a file", "utf-8")
    try_page.add_page(out, built)
    assert (out / "try" / "index.html").read_text("utf-8") == "drop a file"


def addresses() -> dict[str, str]:
    found = {}
    for site, (file,) in torch_names.MAPPING.values():
        for kind in InventoryFile.loads(Path(file).read_bytes(), uri=site).data.values():
            found.update({name: item.uri for name, item in kind.items()})
    return found


@pytest.mark.nightly
def test_names_of_torch_link_to_its_documentation(site: Path) -> None:
    known = addresses()
    lesson = (site / "notebooks" / "01-exported-program.html").read_text("utf-8")
    pattern = r'<a class="reference external" href="([^"]*)"><code[^>]*><span class="pre">([^<]*)</span>'
    links = {name: address for address, name in re.findall(pattern, lesson)}
    assert {"torch.export.export", "torch.export", "torch.fx.Graph"} <= set(links)
    assert {name: known[name] for name in links if name in known} == {
        name: address for name, address in links.items() if name in known
    }


def test_each_name_of_the_inventories_exists() -> None:
    known = addresses()
    assert len(known) > 30
    assert all(name in address for name, address in known.items())
    assert [name for name in known if pkgutil.resolve_name(name) is None] == []


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Requests are no news."""


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


@pytest.mark.nightly
@pytest.mark.browser
def test_a_figure_is_the_live_viewer_with_the_theme_of_its_page(address: str, browser) -> None:
    page = browser.new_page(color_scheme="light", viewport={"width": 1200, "height": 900})
    requests: list[str] = []
    page.on("request", lambda one: requests.append(one.url))
    page.goto(f"{address}/docs/index.html")
    page.locator(".exir-viz iframe").wait_for(state="attached")
    frame = page.locator(".exir-viz iframe").element_handle().content_frame()
    assert frame is not None
    frame.locator(SETTLED).first.wait_for(state="attached")
    frame.wait_for_function("() => globalThis.exirviz?.state?.selected.length === 1")
    assert (
        frame.evaluate("() => exirviz.selectedNodes().map(node => exirviz.snapshot.id(node))[0]")
        == "forward/cond"
    )
    page.evaluate("() => { document.documentElement.dataset.theme = 'dark' }")
    frame.locator(".exirviz-explorer.is-dark").first.wait_for(state="attached")
    assert [url for url in requests if not url.startswith((address, "blob:", "data:"))] == []
    page.close()


@pytest.mark.nightly
@pytest.mark.browser
def test_without_scripts_a_figure_is_a_picture(address: str, browser) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}/docs/index.html")
    picture = page.locator(".exir-viz img")
    assert picture.get_attribute("alt")
    box = picture.bounding_box()
    assert box is not None
    assert box["width"] > 100
    context.close()
