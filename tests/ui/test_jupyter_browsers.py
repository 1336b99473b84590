"""Pages that come and go during a step: loaded again, connected again, or one of two that is closed."""

from __future__ import annotations

import random
import time

import pytest
from playwright.sync_api import Page, expect

from tests.ui.jupyter import PATIENCE, Notebook
from tests.ui.test_jupyter_stages import BLOCK, EVAL, LOWERING, ask

pytestmark = pytest.mark.parametrize("notebook", ["lab"], indirect=True)

STAGES = ".exirviz-stage"
SAVE = "() => jupyterapp.commands.execute('docmanager:save')"
# The connection to the kernel breaks, as when the computer sleeps, and JupyterLab makes another.
RECONNECT = "() => jupyterapp.shell.currentWidget.context.sessionContext.session.kernel.reconnect()"
# The tab is closed, and JupyterLab ends the subshell of the kernel in which its messages were handled.
CLOSE = """() => {
  const { currentWidget } = jupyterapp.shell;
  currentWidget.context.model.dirty = false;
  currentWidget.close() }"""
RELOADS = 10


def begin(notebook: Notebook) -> None:
    """An explorer whose output is in the notebook's file: a page that is loaded again shows it."""
    notebook.open("reload.ipynb", [BLOCK + EVAL]).run_all(LOWERING)
    notebook.canvases(1)
    notebook.page.evaluate(SAVE)


def decompose(page: Page, count: int) -> None:
    """Make a stage, which is then one of so many."""
    ask(page.locator(".exirviz-explorer"), "Decompose").get_by_role("button", name="Decompose").click()
    expect(page.locator(STAGES)).to_have_count(count, timeout=PATIENCE)


def begin_to_decompose(page: Page) -> None:
    """Run the step from the first stage, and do not wait for its result."""
    page.locator(STAGES).first.click()
    ask(page.locator(".exirviz-explorer"), "Decompose").get_by_role("button", name="Decompose").click()


def close(page: Page) -> None:
    page.evaluate(CLOSE)
    page.wait_for_function("() => !document.querySelector('.exirviz-canvas')")


def problems(notebook: Notebook) -> list[str]:
    """What the server says of messages that reached nobody."""
    log = (notebook.server.folder / "server.log").read_text()
    return [line for line in log.splitlines() if "ubshell" in line]


@pytest.mark.nightly
def test_a_page_that_is_loaded_again_at_any_moment_of_a_step_shows_its_stage(notebook: Notebook) -> None:
    begin(notebook)
    page, moments = notebook.page, random.Random(0)
    began = time.monotonic()
    begin_to_decompose(page)
    expect(page.locator(STAGES)).to_have_count(2, timeout=PATIENCE)
    longest = 1000 * (time.monotonic() - began)
    for number in range(RELOADS):
        begin_to_decompose(page)
        page.wait_for_timeout(moments.uniform(0, longest))
        if number % 2:
            close(page)
        notebook.reopen(notebook.name)
        notebook.canvases(1)
        expect(page.locator(STAGES)).to_have_count(3 + number, timeout=PATIENCE)
    begin_to_decompose(page)
    page.evaluate(RECONNECT)
    expect(page.locator(STAGES)).to_have_count(3 + RELOADS, timeout=PATIENCE)
    decompose(page, 4 + RELOADS)
    notebook.until_kernel_has(f"len(one.session) == {4 + RELOADS}")
    expect(page.locator(".exirviz-notice")).to_be_hidden()
    page.get_by_role("tab", name="Programs of the active kernel").click()
    expect(page.locator(".exirviz-programs li")).not_to_have_count(0, timeout=PATIENCE)
    assert problems(notebook) == []


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
    close(other)
    context.close()
    decompose(notebook.page, 3)
    assert problems(notebook) == []
