"""A diff in a real JupyterLab: as the last line of a cell, and between two stages of a session."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.corpus.programs import archive
from tests.ui.jupyter import PATIENCE, Notebook

pytestmark = pytest.mark.slow

DIFF = "import exir_viz\nexir_viz.diff({!r}, {!r})"
SESSION = """session = exir_viz.Session(exir_viz.open_program({!r}, trust=True))
core = session.root.decompose('core')
exir_viz.explore(session, height=640)"""


@pytest.mark.parametrize("notebook", ["lab"], indirect=True)
def test_a_diff_is_shown_and_so_are_two_stages(notebook: Notebook) -> None:
    program = str(archive("buffer_mutation"))
    cells = [DIFF.format(str(archive("bert")), str(archive("bert", "core"))), SESSION.format(program)]
    notebook.open("diff.ipynb", cells).start().until_all_ran()
    page = notebook.page
    diff = page.locator(".jp-Cell").nth(0).locator(".exirviz-compare")
    expect(diff.locator(".exirviz-canvas[data-state=settled]")).to_have_count(2, timeout=PATIENCE)

    # the change that turned a layer norm into something else, in three clicks: there is no room for a panel
    diff.get_by_role("button", name="details").click()
    diff.locator(".exirviz-rule", has_text="layer_norm →").click()
    expect(diff.get_by_label("Selected")).to_contain_text("native_layer_norm")
    expect(diff.get_by_label("Selected")).to_contain_text("embeddings.LayerNorm")
    diff.get_by_role("button", name="text", exact=True).click()
    expect(diff.locator(".exirviz-line.is-it").first).to_be_visible(timeout=PATIENCE)

    stages = page.locator(".jp-Cell").nth(1)
    stages.get_by_role("button", name="About", exact=False).first.click()
    stages.get_by_role("button", name="compare with parent").click()
    expect(stages.locator(".exirviz-compare .exirviz-canvas[data-state=settled]")).to_have_count(2)
    expect(stages.locator(".exirviz-pair-bar .exirviz-program")).to_contain_text("→")
    stages.get_by_role("button", name="‹ back").click()
    expect(stages.locator(".exirviz-compare")).to_have_count(0)
    expect(stages.locator(".exirviz-canvas[data-state=settled]")).to_be_visible()
    assert notebook.problems_but_jupyters() == []
