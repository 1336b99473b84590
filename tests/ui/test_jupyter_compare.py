"""A diff in a real JupyterLab: as the last line of a cell, and between two stages of a session."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from playwright.sync_api import Locator, expect

from exir_viz import Session
from tests.corpus.programs import archive
from tests.ui.jupyter import PATIENCE, Notebook
from tests.ui.standalone import choose

DIFF = "import exir_viz\nexir_viz.diff({!r}, {!r})"
SESSION = """session = exir_viz.Session(exir_viz.load({!r}, trust=True).program)
core = session.root.decompose('core')
exir_viz.explore(session, height=640)"""
ALONE = "exir_viz.diff(session.root, core)"


def core_and_edge(folder: Path) -> list[str]:
    """Files of an encoder at Core ATen but for its layer norms, and at edge, which decomposes these too."""
    layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    encoder = torch.nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
    core = Session(encoder, torch.randn(2, 4, 16)).root.decompose(but=["layer_norm"])
    files = [str(folder / f"{name}.exirviz") for name in ("core", "edge")]
    for stage, file in zip((core, core.edge()), files, strict=True):
        stage.snapshot.save(file, absolute_paths=True)
    return files


def find_the_layer_norm(diff: Locator, module: str) -> None:
    """The change that turned a layer norm into something else, in three clicks (no room for a panel)."""
    expect(diff.locator(".exirviz-canvas[data-state=settled]")).to_have_count(2, timeout=PATIENCE)
    diff.get_by_role("button", name="Inspector").click()
    diff.locator(".exirviz-rule", has_text="layer_norm →").click()
    expect(diff.get_by_label("Selected")).to_contain_text("native_layer_norm")
    expect(diff.get_by_label("Selected")).to_contain_text(module)
    choose(diff, "Both programs as text")
    expect(diff.locator(".exirviz-line.is-it").first).to_be_visible(timeout=PATIENCE)


@pytest.mark.parametrize("notebook", ["lab"], indirect=True)
def test_a_diff_is_shown_and_so_are_two_stages(notebook: Notebook, tmp_path: Path) -> None:
    pairs = ([str(archive("bert2")), str(archive("bert2", "core"))], core_and_edge(tmp_path))
    program = str(archive("buffer_mutation"))
    cells = [*(DIFF.format(*pair) for pair in pairs), SESSION.format(program), ALONE]
    notebook.open("diff.ipynb", cells).run_all()
    page = notebook.page
    for cell, module in enumerate(("embeddings.LayerNorm", "layers.0.norm1")):
        find_the_layer_norm(page.locator(".jp-Cell").nth(cell).locator(".exirviz-compare"), module)

    stages = page.locator(".jp-Cell").nth(2)
    stages.get_by_role("button", name="Compare", exact=True).click()
    expect(stages.locator(".exirviz-compare .exirviz-canvas[data-state=settled]")).to_have_count(
        2, timeout=PATIENCE
    )
    expect(stages.locator(".exirviz-pane-title")).to_have_count(2)
    if stages.get_by_role("tab", name="Values").count() == 0:
        stages.get_by_role("button", name="Inspector").click()
    stages.get_by_role("tab", name="Values").click()
    stages.get_by_role("button", name="Compare values").click()
    expect(stages.get_by_label("Divergence")).to_contain_text("pairs", timeout=PATIENCE)
    expect(stages.get_by_label("Divergence")).to_contain_text("No mismatch")
    alone = page.locator(".jp-Cell").nth(3)
    alone.get_by_role("button", name="Inspector").click()
    alone.get_by_role("tab", name="Costs").click()
    alone.get_by_role("button", name="Profile both").click()
    expect(alone.get_by_label("One run")).to_contain_text("overhead outside ops", timeout=PATIENCE)
    stages.get_by_role("button", name="‹ Back").click()
    expect(stages.locator(".exirviz-compare")).to_have_count(0)
    expect(stages.locator(".exirviz-canvas[data-state=settled]")).to_be_visible()
    assert notebook.problems_but_jupyters() == []


BISECTED = """import torch, exir_viz
from tests.measure.faults import Net, changed_weight, fault
torch.manual_seed(0)
wrong = fault(changed_weight(out=16))
wrong.__enter__()
session = exir_viz.Session(Net().eval(), torch.linspace(-1, 1, 192).reshape(1, 3, 8, 8))
lowered = session.root.edge().backend('xnnpack')
exir_viz.diff(session.root, lowered).values(executor='executorch').explore(height=760)"""


@pytest.mark.nightly
@pytest.mark.parametrize("notebook", ["lab"], indirect=True)
def test_a_delegate_that_diverges_is_bisected(notebook: Notebook) -> None:
    pytest.importorskip("executorch")
    notebook.open("bisect.ipynb", [BISECTED]).run_all()
    diff = notebook.page.locator(".exirviz-compare")
    expect(diff.locator(".exirviz-canvas[data-state=settled]")).to_have_count(2, timeout=PATIENCE)
    if diff.get_by_role("tab", name="Values").count() == 0:
        diff.get_by_role("button", name="Inspector").click()
    diff.get_by_role("tab", name="Values").click()
    button = diff.get_by_role("button", name="Bisect", exact=True)
    button.focus()
    button.press("Enter")
    region = diff.get_by_label("Region of executorch_call_delegate")
    expect(region).to_contain_text("diverges alone", timeout=PATIENCE)
    expect(region).to_contain_text("self.third(x)")
    region.get_by_text("parts tried").click()
    expect(region.get_by_role("listitem").first).to_contain_text("\u2260")
    region.get_by_role("button", name="aten_convolution_default_2").click()
    region.get_by_label("folder").fill("issue")
    region.get_by_role("button", name="Write reproducer").press("Enter")
    expect(region.get_by_role("status").last).to_contain_text("issue/reproduce.py", timeout=PATIENCE)
    expect(region).to_contain_text("It shows the difference")
    assert notebook.problems_but_jupyters() == []
