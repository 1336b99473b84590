"""The code of every page runs as it is written, from top to bottom, and its commands do what they say.

A reader has a model, its inputs and files of their own: those of a page begin with `reader`, and what else a
page needs is in an invisible block of it. A block that cannot run here is marked `<!--- skip: next -->`.
"""

from __future__ import annotations

import importlib
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from sybil import Example, Sybil
from sybil.parsers.markdown import SkipParser
from sybil.parsers.myst import CodeBlockParser, PythonCodeBlockParser

import exir_viz
from exir_viz import cli
from tests.corpus.programs import ROOT

PAGES = [path for path in sorted((ROOT / "docs").glob("*.md")) if "```python" in path.read_text("utf-8")]
# Those that lower several times, or measure in several processes.
LONG = ("compare", "delegation", "dynamic-shapes", "language-model", "lower", "profile-batch-sizes")
READER = """
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.linear = torch.nn.LayerNorm(8), torch.nn.Linear(8, 4)

    def forward(self, x):
        return torch.nn.functional.gelu(self.linear(self.norm(x)))
"""


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, Any], Path]]:
    """What every reader has, and the folder with its files."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / "model.py").write_text(READER, "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        torch.manual_seed(0)
        net = importlib.import_module("model").Net
        model, x = net().eval().requires_grad_(False), torch.randn(2, 8)
        program = torch.export.export(model, (x,))
        torch.export.save(program, folder / "model.pt2")
        exir_viz.Session(program).root.edge().executorch().save_pte(folder / "model.pte")
        yield {"exir_viz": exir_viz, "torch": torch, "Net": net, "model": model, "x": x}, folder
    sys.modules.pop("model")


def run_command(example: Example) -> None:
    """The commands of a block, which all succeed."""
    for line in str(example.parsed).splitlines():
        prompt, command, *arguments = shlex.split(line)
        assert (prompt, command) == ("$", "exir-viz"), line
        assert cli.main(arguments) == 0, line


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=[pytest.mark.nightly] if page.stem in LONG else [], id=page.stem)
        for page in PAGES
    ],
)
def test_a_page_runs(
    page: Path, reader: tuple[dict[str, Any], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names, folder = reader
    for file in folder.glob("model.*"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    parsers: list[Any] = [
        SkipParser(),
        PythonCodeBlockParser(),
        CodeBlockParser(language="console", evaluator=run_command),
    ]
    document = Sybil(parsers=parsers, path=str(page.parent)).parse(page)
    session = exir_viz.Session(names["model"], names["x"])
    program = torch.export.export(names["model"], (names["x"],))
    document.namespace.update(names, session=session, program=program)
    for example in document.examples():
        example.evaluate()
