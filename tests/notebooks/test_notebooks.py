"""Every notebook runs, offline, from top to bottom; only cells that say so fail."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parents[2] / "notebooks"


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_runs(path: Path, tmp_path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    failing = [cell for cell in notebook.cells if "raises-exception" in cell.metadata.get("tags", [])]
    for cell in failing:
        errors = [output for output in cell.outputs if output.output_type == "error"]
        assert errors, "a cell that is said to fail did not"
    shown = [
        output
        for cell in notebook.cells
        if cell not in failing  # torch says more when it fails
        for output in cell.get("outputs", [])
        if output.output_type == "stream" and output.name == "stderr"
    ]
    assert shown == [], "the reader sees noise"


def test_there_is_a_tour() -> None:
    assert (FOLDER / "00-tour.ipynb").exists()
