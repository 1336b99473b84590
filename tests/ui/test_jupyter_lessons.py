"""The tour, a lesson and a story in a real JupyterLab, as a learner and a teacher use them."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

import exir_viz
from tests.corpus.programs import archive
from tests.notebooks.running import lessons, notebooks, tags
from tests.ui.jupyter import PATIENCE, Notebook
from tests.ui.test_jupyter_kernel import click_on

pytestmark = [pytest.mark.nightly, pytest.mark.parametrize("notebook", ["lab"], indirect=True)]


def code_of(path: Path) -> tuple[list[str], set[int]]:
    """The cells to run, and which of them fail on purpose."""
    cells = [one for one in nbformat.read(path, as_version=4).cells if one.cell_type == "code"]
    failing = {number for number, one in enumerate(cells) if "raises-exception" in tags(one)}
    return [one.source for one in cells], failing


def test_the_tour_runs_and_finds_a_node_by_typing(notebook: Notebook) -> None:
    cells, failing = code_of(notebooks()[0])
    notebook.open("tour.ipynb", cells, failing).run_all(patience=4 * PATIENCE)
    noise = notebook.page.locator(".jp-CodeCell").filter(
        has=notebook.page.locator("[data-mime-type='application/vnd.jupyter.stderr']")
    )
    assert noise.count() == len(failing), noise.all_inner_texts()
    assert [number for number in failing if "Traceback" not in notebook.said(number)] == []
    notebook.page.get_by_placeholder("Search ops").first.fill("op:embedding")
    notebook.page.keyboard.press("Enter")
    notebook.until_kernel_has("any('embedding' in one for one in explorer.selection)")
    assert notebook.problems_but_jupyters() == []


def test_an_exercise_of_the_first_lesson_is_solved_in_the_explorer(notebook: Notebook) -> None:
    cells, failing = code_of(lessons()[0])
    exercise = next(at for at, cell in enumerate(cells) if "explorer.selection" in cell)
    notebook.open("lesson.ipynb", cells, failing).run_all()
    assert not notebook.said(exercise).startswith("Right")
    notebook.canvases(1)
    notebook.page.get_by_placeholder("Search ops").first.fill("linear_1")
    notebook.page.keyboard.press("Enter")
    notebook.until_kernel_has("explorer.selection == ['forward/linear_1']")
    notebook.run(exercise)
    assert notebook.said(exercise).startswith("Right")
    assert notebook.problems_but_jupyters() == []


def test_a_story_is_played_and_recorded_below_the_explorer(notebook: Notebook) -> None:
    exir_viz.load(archive("control_flow")).save(notebook.server.folder / "control_flow.exirviz")
    start = """import exir_viz
explorer = exir_viz.explore('control_flow.exirviz', height=420)
story = exir_viz.types.Story(explorer)
explorer.select('x')
story.add('An input.')
explorer.select('output')
story.add('The output.')
story.play(0)
story"""
    notebook.open("story.ipynb", [start]).run_all()
    notebook.canvases(1)
    page = notebook.page
    page.get_by_role("button", name="Next →").click()
    page.get_by_text("2 of 2 The output.").wait_for(timeout=PATIENCE)
    notebook.until_kernel_has("story.at == 1 and explorer.selection == ['forward/output']")
    click_on(notebook, "cond")
    notebook.until_kernel_has("'forward/cond' in explorer.selection")
    page.get_by_placeholder("Caption").fill("It chooses.")
    page.get_by_role("button", name="Add this view").click()
    page.get_by_text("3 of 3 It chooses.").wait_for(timeout=PATIENCE)
    notebook.until_kernel_has("story.scenes[2].view['selected'] and story.scenes[2].caption == 'It chooses.'")
    page.get_by_role("button", name="←", exact=True).last.click()
    notebook.until_kernel_has("story.at == 1 and explorer.selection == ['forward/output']")
    assert notebook.problems_but_jupyters() == []
