"""The explorer in a real JupyterLab and a real Notebook 7."""

from __future__ import annotations

from collections.abc import Iterator

import nbformat
import pytest
from playwright.sync_api import Browser

import exir_viz
from tests.corpus.programs import archive
from tests.ui.jupyter import PATIENCE, Notebook, Server

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("jupyter")
    for name in ("control_flow", "module_called_twice", "resnet50"):
        exir_viz.load(archive(name)).save(folder / f"{name}.exirviz")
    with Server(folder) as running:
        yield running


@pytest.fixture(params=["lab", "notebook"])
def notebook(request: pytest.FixtureRequest, server: Server, browser: Browser) -> Iterator[Notebook]:
    # High enough for every cell: what is scrolled out of sight an application may take out of the page.
    context = browser.new_context(viewport={"width": 1280, "height": 2400})
    one = Notebook(server, context.new_page(), request.param)
    yield one
    context.close()
    server.stop_kernels()


THREE = [
    "import exir_viz",
    "one = exir_viz.explore('control_flow.exirviz', height=420)\none",
    "two = exir_viz.explore('module_called_twice.exirviz', height=420)\ntwo",
    "three = exir_viz.explore('resnet50.exirviz', height=420)\nthree",
    "print('selected', one.selection, two.selection, three.selection)",
]


def test_three_on_one_page(notebook: Notebook) -> None:
    """They display, do not disturb each other, and running again leaves nothing behind."""
    notebook.open("three.ipynb", [*THREE[:4], "two.select('linear')", THREE[4]]).run_all()
    notebook.canvases(3)
    notebook.command("notebook:run-all-cells")
    notebook.canvases(3)
    heard = "o => /selected.*linear/.test(o.innerText)"
    notebook.page.wait_for_function(
        f"() => [...document.querySelectorAll('.jp-OutputArea')].some({heard})", timeout=PATIENCE
    )
    assert "selected [] ['forward/linear'] []" in notebook.said(5)
    assert [problem for problem in notebook.problems if "exir" in problem] == []


@pytest.mark.parametrize("notebook", ["lab"], indirect=True)
def test_a_click_is_heard_in_python(notebook: Notebook) -> None:
    cells = [*THREE[:2], "print('heard', one.selection)"]
    notebook.open("click.ipynb", cells).run_all()
    canvas = notebook.canvases(1).first
    canvas.scroll_into_view_if_needed()
    canvas.focus()
    notebook.page.keyboard.press("ArrowDown")
    # The explorer tells the kernel a moment after; ask until it has.
    for _ in range(40):
        notebook.page.wait_for_timeout(250)
        notebook.page.locator(".jp-CodeCell").nth(2).locator(".cm-content").click()
        notebook.command("notebook:run-cell")
        if "forward/" in notebook.said(2):
            break
    assert "heard ['forward/" in notebook.said(2)


def test_a_saved_notebook_shows_the_fallback(notebook: Notebook) -> None:
    """Reopened without a kernel, the picture and the summary are there, and no program's bytes are."""
    notebook.open("saved.ipynb", THREE[:2]).run_all()
    notebook.canvases(1)
    notebook.command("docmanager:save")
    path = notebook.server.folder / "saved.ipynb"
    for _ in range(100):  # neither application says when the file is written
        (cell,) = nbformat.read(path, as_version=4).cells[1:]
        if cell.outputs:
            break
        notebook.page.wait_for_timeout(100)
    (output,) = cell.outputs
    assert "aten.sum.default" in output.data["text/plain"]
    assert "image/svg+xml" in output.data["text/html"]
    assert path.stat().st_size < 200_000
    notebook.server.stop_kernels()
    notebook.reopen("saved.ipynb")
    notebook.page.wait_for_function(
        "() => document.querySelector('.jp-OutputArea')?.innerText.includes('aten.sum.default')"
        " || document.querySelector('.jp-OutputArea svg, .jp-OutputArea img')",
        timeout=PATIENCE,
    )
