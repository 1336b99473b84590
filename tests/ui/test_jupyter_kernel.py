"""The explorer and its kernel, in a real JupyterLab and Notebook 7: messages, and what happens if one is
missing.
"""

from __future__ import annotations

import pytest

import exir_viz
from tests.corpus.programs import archive
from tests.ui.jupyter import PATIENCE, Notebook, Server

SELECTED = "[role=treeitem][aria-selected=true]"
EXPLORE = "{0} = exir_viz.explore('{1}.exirviz', height=460)"
# The selection in Python, displayed as soon as it changes.
HEARS = """heard = ipywidgets.Label('nothing yet')
one.observe(lambda change: setattr(heard, 'value', ' '.join(change.new) or 'nothing'), 'selection')"""


@pytest.fixture(scope="module", autouse=True)
def programs(jupyter: Server) -> None:
    for name in ("control_flow", "resnet50"):
        exir_viz.load(archive(name)).save(jupyter.folder / f"{name}.exirviz")


def until_heard(notebook: Notebook, text: str) -> None:
    notebook.page.wait_for_function(
        "text => document.querySelector('.widget-label')?.innerText.includes(text)",
        arg=text,
        timeout=PATIENCE,
    )


def test_keys_and_clicks_are_the_explorers_and_python_hears_of_them(notebook: Notebook) -> None:
    """No key triggers a command of the notebook, such as X, which cuts the cell."""
    start = f"import ipywidgets, exir_viz\n{EXPLORE.format('one', 'control_flow')}\n{HEARS}\none"
    # A cell that takes long does not keep the picture waiting.
    wait = "import os, time\nwhile not os.path.exists('go on'): time.sleep(0.05)"
    go_on = notebook.server.folder / "go on"
    go_on.unlink(missing_ok=True)
    notebook.open("heard.ipynb", [start, "heard", wait]).start()
    canvas = notebook.canvases(1)
    assert notebook.page.locator(".jp-InputPrompt", has_text="[*]").count() > 0
    go_on.touch()
    notebook.until_all_ran()
    canvas.click(position={"x": 4, "y": 4})
    for key in ("ArrowDown", "m", "y", "d", "d", "b", "Shift+m", "0"):
        notebook.page.keyboard.press(key)
    until_heard(notebook, "forward/x")
    assert notebook.page.evaluate("document.activeElement.className") == "exirviz-canvas"
    assert notebook.page.locator(".jp-Cell").count() == 3
    assert notebook.page.locator(".jp-CodeCell").count() == 3
    click_on(notebook, "output")
    until_heard(notebook, "forward/output")
    assert notebook.problems_but_jupyters() == []


def click_on(notebook: Notebook, title: str) -> None:
    """Click up the middle of the picture until the box is met."""
    canvas = notebook.canvases(1)
    box = canvas.bounding_box()
    assert box is not None
    for y in range(int(box["height"]) - 8, 8, -16):
        notebook.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + y)
        notebook.page.evaluate("() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        if any(title in text for text in notebook.page.locator(SELECTED).all_inner_texts()):
            return
    raise AssertionError(f"no box {title!r} in the middle of the picture")


def test_after_a_restart_the_view_stays_and_says_that_the_kernel_is_missing(notebook: Notebook) -> None:
    start = f"import exir_viz\n{EXPLORE.format('one', 'resnet50')}\none.open(depth=1)\none"
    notebook.open("restart.ipynb", [start]).run_all()
    canvas = notebook.canvases(1)
    notice = notebook.page.locator(".exirviz-notice")
    assert notice.is_hidden()
    notebook.restart_kernel()
    notice.wait_for(state="visible", timeout=PATIENCE)
    assert "Kernel disconnected" in notice.inner_text()
    assert "run the cell again" in notice.inner_text()
    # Opening, selecting, searching and panels work without it.
    before = int(canvas.get_attribute("data-boxes") or 0)
    canvas.press("e")
    notebook.page.wait_for_function(
        "before => Number(document.querySelector('.exirviz-canvas').dataset.boxes) > before", arg=before
    )
    canvas.press("/")
    notebook.page.keyboard.type("op:*relu*")
    notebook.page.locator(".exirviz-result").first.click()
    notebook.page.locator(SELECTED, has_text="relu").first.wait_for(state="attached")
    notebook.page.get_by_text("modeling_resnet.py").first.wait_for()
    assert notebook.problems_but_jupyters() == []
    # The cell run again has a kernel, and says nothing.
    notebook.run_all()
    notebook.canvases(1)
    assert notice.count() == 1
    assert notice.is_hidden()


@pytest.mark.parametrize("notebook", ["lab"], indirect=True)
def test_linked_explorers_follow_each_other(notebook: Notebook) -> None:
    names = ("one", "two", "three")
    lines = ["import ipywidgets, exir_viz", *(EXPLORE.format(name, "resnet50") for name in names)]
    lines.append("link = one.link(two, view=True)")
    lines.append("ipywidgets.link((two, 'selection'), (three, 'selection'));")
    unlink = "globals().get('ready') and link.unlink(); ready = True"
    notebook.open("linked.ipynb", ["\n".join(lines), *names, unlink]).run_all()
    canvases = notebook.canvases(3)
    # Before Python knows what each shows, a late report of one takes the view of the other.
    notebook.until_kernel_has("one.view and two.view")
    boxes = "() => [...document.querySelectorAll('.exirviz-canvas')].map(c => c.dataset.boxes)"
    alone = notebook.page.evaluate(boxes)
    assert len(set(alone)) == 1
    canvases.nth(1).press("e")
    notebook.page.wait_for_function(
        f"alone => {{ const b = ({boxes})(); return b[0] === b[1] && b[0] !== alone && b[2] === alone }}",
        arg=alone[2],
        timeout=PATIENCE,
    )
    notebook.canvases(3)
    canvases.nth(0).press("ArrowDown")
    each = "[...document.querySelectorAll('.exirviz-explorer')]"
    notebook.page.wait_for_function(
        f"what => {each}.every(e => e.querySelector(what))", arg=SELECTED, timeout=PATIENCE
    )
    texts = [canvas.locator("xpath=ancestor::*[contains(@class,'exirviz-explorer')]").locator(SELECTED)
             .first.inner_text() for canvas in canvases.all()]  # fmt: skip
    assert len(set(texts[:2])) == 1
    notebook.run(4)
    canvases.nth(1).press("Shift+e")
    notebook.page.wait_for_function(f"() => {{ const b = ({boxes})(); return b[1] !== b[0] }}")
    notebook.run(4)  # all messages have been received
    assert len(set(notebook.page.evaluate(boxes)[:2])) == 2
    assert notebook.problems_but_jupyters() == []
