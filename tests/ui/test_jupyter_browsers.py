"""A notebook open in two browsers: an explorer works on in one when the other is closed."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from tests.ui.jupyter import PATIENCE, Notebook
from tests.ui.test_jupyter_stages import BLOCK, EVAL, LOWERING, ask

pytestmark = pytest.mark.parametrize("notebook", ["lab"], indirect=True)

STAGES = ".exirviz-stage"
SAVE = "() => jupyterapp.commands.execute('docmanager:save')"


def begin(notebook: Notebook) -> None:
    """An explorer whose output is in the notebook's file: a page that is loaded again shows it."""
    notebook.open("reload.ipynb", [BLOCK + EVAL]).run_all(LOWERING)
    notebook.canvases(1)
    notebook.page.evaluate(SAVE)


def decompose(page: Page, count: int) -> None:
    """Make a stage, which is then one of so many."""
    ask(page.locator(".exirviz-explorer"), "Decompose").get_by_role("button", name="Decompose").click()
    expect(page.locator(STAGES)).to_have_count(count, timeout=PATIENCE)


def problems(notebook: Notebook) -> list[str]:
    """What the server says of messages that reached nobody."""
    log = (notebook.server.folder / "server.log").read_text()
    return [line for line in log.splitlines() if "ubshell" in line]


@pytest.mark.nightly
def test_of_two_browsers_one_goes_and_the_other_works_on(notebook: Notebook) -> None:
    begin(notebook)
    context = notebook.page.context.browser.new_context()  # type: ignore[union-attr]
    other = context.new_page()
    other.goto(notebook.server.url("lab", "reload.ipynb"))
    other.wait_for_selector('.exirviz-canvas[data-state="settled"]', timeout=PATIENCE)
    decompose(other, 2)
    expect(notebook.page.locator(STAGES)).to_have_count(2, timeout=PATIENCE)
    # The last message that the kernel handles is from the page that goes.
    other.locator(STAGES).first.click()
    notebook.until_kernel_has("one.view['stage'] == 's0'")
    other.evaluate("() => jupyterapp.shell.currentWidget.close()")
    other.wait_for_function("() => !document.querySelector('.exirviz-canvas')")
    context.close()
    decompose(notebook.page, 3)
    assert problems(notebook) == []
