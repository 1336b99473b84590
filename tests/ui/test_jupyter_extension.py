"""What JupyterLab shows of a live kernel: cards of programs, the sidebar, and explorers in tabs."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.jupyter import PATIENCE, SETTLED, Notebook, until
from tests.ui.standalone import choose

from .test_jupyter import saved

pytestmark = pytest.mark.parametrize("notebook", ["lab"], indirect=True)

SMALL = """import torch, exir_viz
%load_ext exir_viz
class Small(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x + 1)
small = torch.export.export(Small(), (torch.zeros(2, 3),))"""


# Runs code in a new console, which has a kernel of its own.
RUN_IN_CONSOLE = """async code => {
  const { console } = await jupyterapp.commands.execute('console:create', {
    kernelPreference: { name: 'python3' }, activate: true });
  await console.sessionContext.ready;
  void console.inject(code) }"""


def in_tab(notebook: Notebook) -> Locator:
    return notebook.page.locator(f".exirviz-main-area {SETTLED}")


def test_a_program_is_a_card_and_its_explorer_moves_into_a_tab_and_back(notebook: Notebook) -> None:
    page = notebook.page
    notebook.open("card.ipynb", [SMALL, "small"]).run_all()
    card = page.locator(".jp-CodeCell .exirviz-card")
    expect(card).to_contain_text("2 ops")
    page.get_by_role("button", name="Explore", exact=True).click()
    cell = page.locator(f".jp-CodeCell {SETTLED}")
    cell.wait_for(timeout=PATIENCE)
    choose(page, "Open in a tab")
    in_tab(notebook).wait_for(timeout=PATIENCE)
    expect(cell).to_have_count(0)
    box = page.locator(".exirviz-main-area .exirviz-explorer").bounding_box()
    room = page.locator(".exirviz-main-area").bounding_box()
    assert box is not None
    assert room is not None
    assert abs(box["height"] - room["height"]) < 2
    in_tab(notebook).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.get_by_role("button", name="Show in notebook").click()
    active = page.locator(".jp-CodeCell.jp-mod-active")
    expect(active).to_contain_text("class Small")
    expect(active.locator(".cm-selectionBackground")).to_have_count(1)
    page.locator(".exirviz-tab-note").get_by_role("button", name="Move back here").click()
    cell.wait_for(timeout=PATIENCE)
    expect(page.locator(".exirviz-main-area")).to_have_count(0)
    # It was the same explorer: the kernel has heard of what was selected in the tab.
    widgets = "__import__('ipywidgets').widgets.widget._instances.values()"
    notebook.until_kernel_has(f"any(getattr(each, 'selection', None) for each in {widgets})")
    # Run again, its cell shows another, and the tab of the first has nothing to show.
    choose(page, "Open in a tab")
    in_tab(notebook).wait_for(timeout=PATIENCE)
    notebook.command("notebook:clear-all-cell-outputs")
    expect(page.locator(".exirviz-main-area")).to_contain_text("appears here when its notebook is open")
    assert notebook.problems_but_jupyters() == []


def test_the_sidebar_lists_explores_and_compares(notebook: Notebook) -> None:
    page = notebook.page
    notebook.open("sidebar.ipynb", [SMALL, "other = exir_viz.load(small)\nnumber = 3"]).run_all()
    page.get_by_role("tab", name="Programs of the active kernel").click()
    rows = page.locator(".exirviz-programs li")
    expect(rows).to_have_count(2, timeout=PATIENCE)
    expect(rows.nth(1)).to_have_text("small program · aten.training · 4 nodes", use_inner_text=True)
    notebook.page.locator(".jp-CodeCell").nth(1).locator(".cm-content").fill("third = small")
    notebook.run(1)
    expect(rows).to_have_count(3)
    rows.nth(1).get_by_role("button").click()
    in_tab(notebook).wait_for(timeout=PATIENCE)
    expect(page.locator(".exirviz-main-area .exirviz-tools")).to_be_visible()
    tab = page.locator(".lm-DockPanel .lm-TabBar-tab.lm-mod-current", has_text="small")
    expect(tab.locator(".lm-TabBar-tabIcon svg")).to_have_attribute("data-icon", "exir-viz:program")
    for name in ("other", "third"):
        page.get_by_label(f"Select {name} to compare").check()
    page.get_by_role("button", name="Compare other with third").click()
    compared = page.locator(".exirviz-main-area .exirviz-compare .exirviz-canvas[data-state=settled]").first
    compared.wait_for(timeout=PATIENCE)
    assert notebook.problems_but_jupyters() == []


@pytest.mark.nightly
def test_the_sidebar_follows_a_console(notebook: Notebook) -> None:
    page = notebook.page
    notebook.open("beside.ipynb", ["number = 3"]).run_all()
    page.get_by_role("tab", name="Programs of the active kernel").click()
    programs = page.locator(".exirviz-programs")
    expect(programs.locator("h2")).to_have_text("beside.ipynb")
    page.evaluate(RUN_IN_CONSOLE, SMALL)
    expect(programs.locator("h2")).to_have_text("Console 1")
    rows = programs.locator("li")
    expect(rows).to_have_text(
        "small program · aten.training · 4 nodes", use_inner_text=True, timeout=PATIENCE
    )
    rows.get_by_role("button").click()
    in_tab(notebook).wait_for(timeout=PATIENCE)
    assert notebook.problems_but_jupyters() == []


def test_a_saved_explorer_lives_without_a_kernel(notebook: Notebook) -> None:
    page = notebook.page
    show = "session = exir_viz.Session(small)\nedge = session.edge()\n"
    show += "exir_viz.explore(session, save_in_notebook=True)"
    notebook.open("saved.ipynb", [SMALL, show]).run_all()
    notebook.canvases(1)
    expect(page.locator(".exirviz-explorer")).to_contain_text("This notebook holds the program (")
    saved(notebook)
    notebook.server.stop_kernels()
    notebook.reopen("saved.ipynb")
    notebook.canvases(1)
    expect(page.locator(".exirviz-explorer")).to_contain_text("Saved with the notebook.")
    page.get_by_role("treeitem", name="export").first.click()
    expect(page.get_by_role("treeitem", selected=True).first).to_contain_text("export")
    assert notebook.problems_but_jupyters() == []


def test_a_tab_comes_back_with_the_page(notebook: Notebook) -> None:
    page = notebook.page
    notebook.open("again.ipynb", [SMALL, "exir_viz.explore(small)"]).run_all()
    notebook.canvases(1)
    saved(notebook)
    choose(page, "Open in a tab")
    in_tab(notebook).wait_for(timeout=PATIENCE)
    until(page, lambda: has_tab_in_layout(notebook), "the tab in the saved layout of JupyterLab")
    page.goto(f"http://127.0.0.1:{notebook.server.port}/lab")
    in_tab(notebook).wait_for(timeout=PATIENCE)


def has_tab_in_layout(notebook: Notebook) -> bool:
    """Whether JupyterLab has saved that there is a tab with an explorer, and what is in it."""
    for workspace in notebook.server.get("lab/api/workspaces")["workspaces"]["values"]:
        tabs = [key for key in workspace["data"] if key.startswith("exir-viz-explorers:")]
        if any(tab in json.dumps(workspace["data"].get("layout-restorer:data")) for tab in tabs):
            return True
    return False
