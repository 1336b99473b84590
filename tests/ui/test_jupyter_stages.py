"""A session in a real JupyterLab: steps run by clicks, stopped, refused, failed and fixed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from tests.ui.jupyter import PATIENCE, Notebook
from tests.ui.standalone import choose

pytestmark = pytest.mark.parametrize("notebook", ["lab"], indirect=True)

# ExecuTorch's own time for a program, on a machine that does other things too.
LOWERING = 420_000

HERE = ".exirviz-stage[aria-selected=true]"
SELECTED = ".exirviz-hidden [role=treeitem][aria-selected=true]"

RESNET = f"""import sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
import exir_viz
from tests.corpus.models import case
resnet = case('resnet11')
one = exir_viz.explore(resnet.model, *resnet.args, kwargs=resnet.kwargs)
one"""

BLOCK = """import pathlib, time, torch, exir_viz
class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = torch.nn.Conv2d(4, 4, 3), torch.nn.BatchNorm2d(4)
        self.head = torch.nn.Linear(6, 2)
    def forward(self, x):
        while pathlib.Path('hold').exists():
            time.sleep(0.02)
        return self.head(torch.relu(self.norm(self.conv(x))))
"""
EVAL = "one = exir_viz.explore(Block().eval(), torch.randn(1, 4, 8, 8))\none"
TRAIN = "one = exir_viz.explore(Block().train(), torch.randn(2, 4, 8, 8))\none"
SUM = """import torch, exir_viz
class Sum(torch.nn.Module):
    def forward(self, x, y):
        return x + y
one = exir_viz.explore(Sum(), torch.randn(3, 4), torch.randn(3, 4))
one"""
TREE = "print([(stage.name, stage.failed) for stage in one.session], one.session.current.name)"
CALLS = """graph = one.session.current.snapshot.method.graph
print(sorted({node.target.text for node in graph if node.op == 'call_function'}))"""


@pytest.fixture
def picture(notebook: Notebook) -> Locator:
    return notebook.page.locator(".exirviz-explorer")


def begin(notebook: Notebook, *cells: str) -> None:
    """Run the cells that lead to the picture; TREE and CALLS, which come after it, are run by `python`."""
    notebook.open("stages.ipynb", [*cells, TREE, CALLS]).run_all(LOWERING)
    notebook.canvases(1)


def ask(picture: Locator, title: str) -> Locator:
    """Choose a step among all of them; the form that opens."""
    picture.get_by_role("button", name="+ Step").click()
    picture.locator(".exirviz-steps-list").get_by_role("button", name=title, exact=True).click()
    return picture.get_by_label(f"Options: {title}")


def make(notebook: Notebook, picture: Locator, title: str, dialect: str) -> None:
    """Run a step with the initial options of its form, and wait for its stage."""
    before = picture.locator(".exirviz-stage").count()
    ask(picture, title).get_by_role("button", name=title).click()
    expect(picture.locator(".exirviz-stage")).to_have_count(before + 1, timeout=LOWERING)
    expect(picture.locator(HERE)).to_have_attribute(
        "aria-label", re.compile(f", {dialect},"), timeout=LOWERING
    )
    notebook.canvases(1)


def python(notebook: Notebook, cell: int) -> str:
    """The current output of one of the last two cells."""
    count = notebook.page.locator(".jp-CodeCell").count()
    return notebook.run(count - 2 + cell).said(count - 2 + cell).strip()


def test_a_model_goes_from_export_to_executorch_by_clicks(notebook: Notebook, picture: Locator) -> None:
    begin(notebook, RESNET)
    for title, dialect in (
        ("To edge", "Edge"),
        ("To a backend", "Edge with delegates"),
        ("To ExecuTorch", "ExecuTorch"),
    ):
        make(notebook, picture, title, dialect)
    expect(picture.locator(".exirviz-busy-step")).to_have_count(0)
    choose(picture, "About this stage")
    about = picture.get_by_label(re.compile("^About .*executorch")).last
    expect(about).to_contain_text(re.compile(r"ExecuTorch · [\d.]+ m?s · [\d.]+ MB in memory"))
    about.get_by_label("Program").fill("resnet.pte")
    about.locator("form", has_text=".pte").get_by_role("button", name="Save .pte").click()
    expect(about.get_by_role("status").filter(has_text="Wrote")).to_have_count(1)
    assert (notebook.server.folder / "resnet.pte").read_bytes()[4:8] == b"ET12"
    names = "[('export', False), ('edge', False), ('xnnpack', False), ('executorch', False)] executorch"
    assert python(notebook, 0) == names
    assert notebook.problems_but_jupyters() == []


@pytest.mark.nightly
def test_one_operator_ticked_is_the_one_taken_apart(notebook: Notebook, picture: Locator) -> None:
    """By keyboard if possible: the form takes the focus, and Escape gives it back."""
    begin(notebook, BLOCK + EVAL)
    before = python(notebook, 1)
    page = notebook.page
    picture.get_by_role("button", name="+ Decompose").click()
    form = picture.get_by_label("Options: Decompose")
    expect(form.get_by_role("radio").first).to_be_focused()
    verdicts = form.locator(".exirviz-ops-say")
    verdicts.first.wait_for()
    heights = verdicts.evaluate_all("all => all.map(each => each.getBoundingClientRect().height)")
    assert max(heights) < 30, "each verdict is one line"
    page.keyboard.press("Escape")
    expect(form).to_have_count(0)
    expect(picture.get_by_role("button", name="+ Decompose")).to_be_focused()
    page.keyboard.press("Enter")
    expect(form.get_by_role("radio").first).to_be_focused()
    page.keyboard.press("ArrowUp")  # the radios go round
    expect(form.get_by_label("Selected ops")).to_be_checked()
    apply = form.get_by_role("button", name="Decompose", exact=True)
    expect(apply).to_be_disabled()
    form.get_by_label("Preview aten.linear.default").click()
    expect(form.get_by_role("img")).to_have_attribute("alt", re.compile("addmm"))
    form.get_by_label("aten.linear.default", exact=True).check()
    apply.click()
    expect(picture.locator(HERE)).to_contain_text("decomposed", timeout=PATIENCE)
    after = python(notebook, 1)
    assert "linear" in before
    assert "linear" not in after
    assert "addmm" in after
    assert "conv2d" in after
    assert notebook.problems_but_jupyters() == []


def test_a_running_step_refuses_others_and_can_be_stopped(notebook: Notebook, picture: Locator) -> None:
    """The module's own code waits for a file to be deleted, so that the step runs until it is stopped."""
    hold = notebook.server.folder / "hold"
    hold.unlink(missing_ok=True)
    begin(notebook, BLOCK + EVAL)
    before = python(notebook, 0)
    hold.touch()
    form = ask(picture, "Re-export")
    form.get_by_label("x, dimension 2").fill("dynamic")
    form.get_by_role("button", name="Re-export").click()
    busy = picture.locator(".exirviz-busy-step")
    expect(busy).to_contain_text("exporting Block", timeout=PATIENCE)
    other = ask(picture, "Decompose")
    other.get_by_label("Preview aten.linear.default").click()
    expect(other).to_contain_text("'Re-export' is running")
    other.get_by_label("aten.linear.default", exact=True).uncheck()
    other.get_by_role("button", name="Decompose", exact=True).click()
    expect(other.get_by_role("alert")).to_contain_text("'Re-export' is running")
    expect(other.get_by_label("aten.linear.default", exact=True)).not_to_be_checked()
    notebook.page.keyboard.press("Escape")
    assert python(notebook, 0) == before  # the kernel answers meanwhile
    busy.get_by_role("button", name="Stop").click()
    expect(busy).to_have_count(0, timeout=PATIENCE)
    expect(form.get_by_role("alert")).to_contain_text("Nothing has changed")
    expect(form.get_by_label("x, dimension 2")).to_have_value("dynamic")
    assert python(notebook, 0) == before
    hold.unlink()
    form.get_by_role("button", name="Re-export").click()
    expect(picture.locator(".exirviz-stage")).to_have_count(2, timeout=PATIENCE)
    assert python(notebook, 0).endswith("] re-exported")
    assert notebook.problems_but_jupyters() == []


def test_a_failing_edge_lowering_shows_its_findings(notebook: Notebook, picture: Locator) -> None:
    begin(notebook, BLOCK + TRAIN)
    ask(picture, "To edge").get_by_role("button", name="To edge").click()
    failed = picture.get_by_role("alert", name="edge failed")
    expect(failed).to_contain_text("Not a Core ATen operator", timeout=LOWERING)
    finding = failed.locator(".exirviz-finding")
    expect(finding).to_have_count(1)
    expect(finding).to_contain_text("self.norm(self.conv(x))")
    expect(finding).to_contain_text("call .eval() on it before exporting")
    node = finding.get_by_role("button", name="forward/batch_norm")
    node.click()
    expect(picture.locator(SELECTED)).to_contain_text("batch_norm")
    expect(picture.locator(".exirviz-stage.is-failed")).to_have_attribute("aria-selected", "true")
    assert python(notebook, 0) == "[('export', False), ('edge', True)] export"
    failed.get_by_role("button", name="Back to export").click()
    expect(failed).to_have_count(0)
    expect(picture.locator(HERE)).to_contain_text("export")
    assert notebook.problems_but_jupyters() == []


@pytest.mark.nightly
def test_sizes_that_torch_refuses_are_mended_by_its_own_suggestion(
    notebook: Notebook, picture: Locator
) -> None:
    begin(notebook, SUM)
    form = ask(picture, "Re-export")
    form.get_by_label("x, dimension 0").fill("rows")
    form.get_by_label("y, dimension 0").fill("others")
    form.get_by_role("button", name="Re-export").click()
    failed = picture.get_by_role("alert")
    fix = failed.get_by_role("button", name=re.compile(r"^Use "))
    expect(fix).to_contain_text("y[0]: others → rows", timeout=PATIENCE)
    failed.get_by_text("Full error").click()
    expect(failed).to_contain_text("Suggested fixes")
    fix.click()
    expect(picture.locator(HERE)).to_contain_text("re-exported", timeout=PATIENCE)
    assert picture.locator(".exirviz-stage.is-failed").count() == 1
    ask(picture, "Re-export")
    for name in ("x", "y"):
        expect(picture.get_by_label(f"{name}, dimension 0")).to_have_value("rows")
    assert notebook.problems_but_jupyters() == []
