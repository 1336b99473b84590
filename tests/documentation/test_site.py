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
import torch
from sphinx.util.inventory import InventoryFile

import exir_viz
from docs.sphinx import torch_names, try_page
from scripts import error_index, gallery
from tests.corpus.programs import ROOT, exportdb
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
    sources = [*DOCS.glob("*.md"), *DOCS.glob("*/*.md"), *(ROOT / "notebooks").glob("[0-9]*.ipynb")]
    pages = [path.relative_to(ROOT).with_suffix(".html") for path in sources if path != DOCS / "README.md"]
    assert len(pages) > 40
    assert [page for page in pages if not (site / page).is_file()] == []
    assert 'url=docs/index.html"' in (site / "index.html").read_text()


@pytest.mark.nightly
def test_everything_public_is_in_the_reference(site: Path) -> None:
    inventory = zlib.decompress((site / "objects.inv").read_bytes().split(b"\n", 4)[4]).decode()
    names = {line.split(" ", 1)[0].removeprefix("exir_viz.") for line in inventory.splitlines()}
    assert sorted(set(documented()) - names) == [], "add them to a page of docs/api"


@pytest.mark.nightly
def test_the_reference_is_one_short_page_for_each_task_with_an_index(site: Path) -> None:
    pages = [page for page in (site / "docs" / "api").glob("*.html") if page.stem != "index"]
    assert {page.stem for page in pages} == {page.stem for page in DOCS.glob("api/*.md")} - {"index"}
    assert max(page.stat().st_size for page in pages) < 100_000  # one page of everything was 540,000
    index = (site / "docs" / "api" / "index.html").read_text("utf-8")
    listed = set(re.findall(r'href="\w+\.html#exir_viz\.(\w+)"', index))
    public = {name for name in documented() if "." not in name} - {
        "ExirVizError",
        "WrongArgument",
        "UnknownOption",
    }
    assert public - listed == set(), "add a line to docs/api/index.md"


def is_error(thing: object) -> bool:
    return isinstance(thing, type) and issubclass(thing, exir_viz.errors.ExirVizError)


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
    assert len(pages) > 40
    assert fetched == set()


@pytest.mark.nightly
def test_the_front_page_leads_to_a_file_the_tour_and_the_tasks(site: Path) -> None:
    front = site / "docs" / "index.html"
    doors = re.search(r'<nav class="front-doors".*?</nav>', front.read_text("utf-8"), re.DOTALL)
    assert doors
    links = re.findall(r'href="([^"]+)"', doors[0])
    assert len(links) == 3
    assert [one for one in links if not (front.parent / one).is_file()] == []


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


def test_the_error_index_is_up_to_date() -> None:
    assert error_index.text() == error_index.FILE.read_text("utf-8"), "run `python -m scripts.error_index`"


def test_each_error_is_raised_by_something() -> None:
    functions = dict(error_index.functions())
    assert [one.__name__ for one in error_index.classes() if not error_index.raised_by(one, functions)] == []


def test_the_gallery_has_every_example_that_torch_exports() -> None:
    text = gallery.FILE.read_text("utf-8")
    shown = {file.stem: exir_viz.load(file) for file in gallery.FOLDER.iterdir()}
    assert {program.method.name for program in shown.values()} == {"forward"}
    assert re.findall(r"^## (\w+)$", text, re.MULTILINE) == sorted(shown)
    if {program.skeleton.origin.torch for program in shown.values()} != {torch.__version__}:
        return  # another torch has other examples and describes them in other words
    reached = gallery.how_far()
    sections = {name: gallery.section(name, example, reached[name]) for name, example in exportdb().items()}
    assert sorted(shown) == sorted(sections)
    assert [name for name, section in sections.items() if section not in text] == [], (
        "run `python -m scripts.gallery`"
    )
