"""The explorer shown in a real JupyterLab and a real Notebook 7, saved there, and shown without a kernel."""

from __future__ import annotations

import base64
from pathlib import Path

import nbconvert
import nbformat
import pytest
from playwright.sync_api import Browser

import exir_viz
from exir_viz.snapshot.wire import encode_skeleton
from tests.corpus.programs import archive
from tests.ui.jupyter import PATIENCE, Notebook, Server, until

from .test_safety import CANARY, HOSTILE, hostile


@pytest.fixture(scope="module", autouse=True)
def programs(jupyter: Server) -> None:
    for name in ("control_flow", "module_called_twice", "resnet50"):
        exir_viz.load(archive(name)).save(jupyter.folder / f"{name}.exirviz")
    exir_viz.load(archive("llama32", "core")).save(jupyter.folder / "llama32.exirviz")


THREE = [
    "import exir_viz",
    "one = exir_viz.explore('control_flow.exirviz', height=420)\none",
    "two = exir_viz.explore('module_called_twice.exirviz', height=420)\ntwo",
    "three = exir_viz.explore('resnet50.exirviz', height=420)\nthree",
    "print('selected', one.selection, two.selection, three.selection)",
]


@pytest.mark.nightly
def test_three_on_one_page(notebook: Notebook) -> None:
    """They display, do not disturb one another, and running a cell again leaves nothing behind."""
    notebook.open("three.ipynb", [*THREE[:4], "two.select('linear');", THREE[4]]).run_all()
    canvases = notebook.canvases(3)
    boxes = [canvases.nth(i).get_attribute("data-boxes") for i in (0, 1, 2)]
    assert len(set(boxes)) > 1
    selected = ".exirviz-explorer [role=treeitem][aria-selected=true]"
    notebook.page.wait_for_function(f"() => document.querySelectorAll('{selected}').length === 1")
    notebook.run_all()
    canvases = notebook.canvases(3)
    notebook.page.wait_for_function(f"() => document.querySelectorAll('{selected}').length === 1")
    assert [canvases.nth(i).get_attribute("data-boxes") for i in (0, 1, 2)] == boxes
    assert "selected [] ['forward/linear'] []" in notebook.said(5)
    assert notebook.page.locator(".exirviz-explorer").count() == 3
    assert notebook.page.locator(".exirviz-resizable").count() == 3
    assert notebook.problems_but_jupyters() == []


SENT = """kinds = []
def count(content, buffers=None, send=one.send):
    kinds.append(content['kind'])
    send(content, buffers)
one.send = count"""


def test_a_saved_notebook_shows_the_fallback(notebook: Notebook, browser: Browser) -> None:
    """The saved output is small, for a large program too; without a kernel there are picture and summary."""
    cells = [
        "import exir_viz\none = exir_viz.explore('llama32.exirviz')\n" + SENT,
        "one",
        "print(kinds, len(one._program))",
    ]
    notebook.open("saved.ipynb", cells).run_all()
    notebook.canvases(1)
    # The program came with the widget, and is not in its state any more.
    notebook.run(2)
    assert "skeleton" not in notebook.said(2)
    assert notebook.said(2).strip().endswith(" 0")
    path = saved(notebook)
    (output,) = nbformat.read(path, as_version=4).cells[1].outputs
    assert "aten.mm.default" in output.data["text/plain"]
    assert "image/svg+xml" in output.data["text/html"]
    # Not the picture that Python drew when the cell ran, but the view when the notebook was saved.
    assert output.data["text/html"].count("<figcaption>") == 1
    assert "The view when the notebook was saved." in output.data["text/html"]
    assert path.stat().st_size < 150_000
    begin = base64.b64encode(encode_skeleton(exir_viz.load(archive("llama32", "core"))))[:60].decode()
    assert begin not in path.read_text()
    notebook.server.stop_kernels()
    notebook.reopen("saved.ipynb")
    picture = notebook.page.wait_for_selector(".jp-OutputArea img[alt='The graph']", timeout=PATIENCE)
    assert picture is not None
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth > 0)")
    assert "aten.mm.default" in notebook.page.locator(".jp-OutputArea").nth(1).inner_text()
    if notebook.application == "lab":
        converted(path, browser)


def saved(notebook: Notebook) -> Path:
    """The notebook's file, once its outputs are in it."""
    path = notebook.server.folder / notebook.name

    def has_outputs() -> bool:
        text = path.read_text()
        is_whole = text.rstrip().endswith("}")
        return is_whole and any(cell.outputs for cell in nbformat.reads(text, as_version=4).cells)

    notebook.command("docmanager:save")
    until(notebook.page, has_outputs, "outputs in the notebook's file")
    return path


def converted(path: Path, browser: Browser) -> None:
    """nbconvert's page of it shows the picture, as an image, and runs nothing."""
    page = browser.new_page(java_script_enabled=False)
    text, _ = nbconvert.HTMLExporter().from_filename(str(path))
    page.set_content(text, wait_until="commit")
    picture = page.locator("img[alt='The graph']")
    picture.wait_for()
    box = picture.bounding_box()
    assert box is not None
    assert min(box["width"], box["height"]) > 50
    page.close()


@pytest.mark.parametrize("notebook", ["lab"], indirect=True)
def test_the_theme_is_followed_as_it_is_switched(notebook: Notebook) -> None:
    notebook.open("theme.ipynb", ["\n".join(THREE[:2])]).run_all()
    canvas = notebook.canvases(1)
    ground = "c => c.getContext('2d').getImageData(3, c.height - 3, 1, 1).data[0]"
    assert canvas.evaluate(ground) > 200
    notebook.choose("Settings", "Theme", "JupyterLab Dark")
    notebook.page.wait_for_selector(".exirviz-explorer.is-dark", timeout=PATIENCE)
    notebook.page.wait_for_function(
        f"() => ({ground})(document.querySelector('.exirviz-canvas')) < 60", timeout=PATIENCE
    )
    panel = "getComputedStyle(document.querySelector('.exirviz-explorer')).color"
    assert min(map(int, notebook.page.evaluate(panel)[4:-1].split(",")[:3])) > 150
    notebook.run(0)  # one that comes while it is dark is so from its first picture
    assert notebook.canvases(1).evaluate(ground) < 60
    notebook.choose("Settings", "Theme", "JupyterLab Light")
    notebook.page.wait_for_selector(".exirviz-explorer:not(.is-dark)", timeout=PATIENCE)
    notebook.page.wait_for_function(f"() => ({ground})(document.querySelector('.exirviz-canvas')) > 200")


@pytest.mark.parametrize("notebook", ["lab"], indirect=True)
def test_hostile_names_run_nothing(notebook: Notebook) -> None:
    """In the widget, its title and errors, and in the saved fallback."""
    texts = {
        "short": "".join(text for name, text in HOSTILE.items() if name != "long"),
        "long": HOSTILE["long"],
    }
    for name, text in texts.items():
        hostile(text).save(notebook.server.folder / f"{name}.exirviz")
    show = "one = exir_viz.explore('{}.exirviz', height=420)\none.open()\none"
    cells = ["import exir_viz", *(show.format(name) for name in texts)]
    wrong = "try: one.select('<img src=x onerror=' + {!r} + '>')\nexcept Exception as e: print(e)"
    notebook.open("hostile.ipynb", [*cells, wrong.format(CANARY)]).run_all()
    canvases = notebook.canvases(2)
    for i in (0, 1):
        explorer = notebook.page.locator(".exirviz-explorer").nth(i)
        canvases.nth(i).press("ArrowDown")
        for tab in explorer.locator("[role=tab]").all():
            tab.dispatch_event("click")  # those that do not fit are in a menu
        explorer.locator("input").first.fill("*")
        explorer.locator(".exirviz-result").first.wait_for()
    ran = "() => globalThis.__ran ?? 0"
    assert notebook.page.evaluate(ran) == 0
    assert notebook.page.locator(".exirviz-explorer").locator("img, iframe, object, script").count() == 0
    assert saved(notebook).stat().st_size < 200_000
    notebook.server.stop_kernels()
    notebook.reopen("hostile.ipynb")
    picture = notebook.page.wait_for_selector(".jp-OutputArea img[alt='The graph']", timeout=PATIENCE)
    assert picture is not None
    assert picture.evaluate("image => image.decode().then(() => image.naturalWidth > 0)")
    assert notebook.page.evaluate(ran) == 0
    # The canary works: it runs where code can run.
    notebook.page.evaluate(
        "text => { document.body.insertAdjacentHTML('beforeend', text) }", HOSTILE["image"]
    )
    notebook.page.wait_for_function("() => globalThis.__ran > 0")
    notebook.page.close()  # in the pages of other tests nothing has run
