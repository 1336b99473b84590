"""The base in WebAssembly: Python in Pyodide reads, compares and exports, with the wheel as pip has it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from scripts.site import PYODIDE, CannotBuild, wheels
from tests.corpus.programs import archive

from .checkout import Distributions

HERE = Path(__file__).parent
SMALL = HERE / "files" / "small.pt2"

CODE = """
import json, sys
import exir_viz
from exir_viz import tables
from exir_viz.errors import MissingExtra

program = exir_viz.load("/llama32.core.pt2")
page = program.to_html("/page.html")
diff = exir_viz.diff("/llama32.core.pt2", "/llama32.core.pt2")
other = exir_viz.diff("/small.pt2", "/llama32.core.pt2")
try:
    exir_viz.load(object())
except MissingExtra as error:
    message = str(error)
print(json.dumps({
    "platform": sys.platform,
    "nodes": len(program.method.graph),
    "records": len(tables.records(program, "nodes")),
    "csv": len(tables.table(program, "ops").csv().splitlines()),
    "page": page.stat().st_size,
    "same": diff.is_empty,
    "other": other.is_empty,
    "message": message,
    "heavy": [name for name in ("torch", "numpy", "pandas", "jupyterlab") if name in sys.modules],
}))
"""


@pytest.fixture(scope="module")
def requirements(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """What the base requires, as wheels for the Python of Pyodide; skips where no index can be reached."""
    try:
        return wheels(tmp_path_factory.mktemp("wheels"))
    except CannotBuild as problem:
        pytest.skip(str(problem))


@pytest.mark.nightly
def test_the_base_runs_in_pyodide(distributions: Distributions, requirements: list[Path]) -> None:
    node = shutil.which("node")
    assert node is not None
    llama = archive("llama32", "core")
    asked = {
        "pyodide": str(PYODIDE),
        "wheels": [str(one) for one in (distributions.wheel, *requirements)],
        "files": {"/llama32.core.pt2": str(llama), "/small.pt2": str(SMALL)},
        "code": CODE,
    }
    done = subprocess.run(
        [node, HERE / "pyodide.mjs"],
        input=json.dumps(asked),
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["platform"] == "emscripten"
    assert found["nodes"] > 1000
    assert found["records"] >= found["nodes"]
    assert found["csv"] > 10
    assert found["page"] > 100_000
    assert (found["same"], found["other"]) == (True, False)
    assert found["message"].endswith('Run: pip install "exir-viz[torch]"')
    assert found["heavy"] == []
