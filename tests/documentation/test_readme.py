"""The README: its code and its commands do what they say."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import torch

import exir_viz
from exir_viz import cli
from tests.corpus.programs import ROOT

TEXT = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)
PYTHON = [text for language, text in BLOCKS if language == "python"]
COMMANDS = [
    shlex.split(line, comments=True)
    for language, text in BLOCKS
    if not language
    for line in text.splitlines()
]


class Model(torch.nn.Module):
    """What a reader has: it has an `addmm` in the edge dialect, as the README says."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x).relu()


def test_each_target_of_make_that_it_names_exists() -> None:
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    named = re.findall(r"\bmake ([a-z]+)\b", "\n".join(text for _, text in BLOCKS))
    named += re.findall(r"`make ([a-z]+)`", TEXT)
    assert named
    assert [name for name in named if name not in targets] == []


def test_its_code_and_commands_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    model, x = Model().eval(), torch.randn(2, 4)
    program = torch.export.export(model, (x,))
    for name, saved in (("model", program), ("before", program), ("after", program.run_decompositions())):
        torch.export.save(saved, f"{name}.pt2")
    names = {"model": model, "x": x}
    for block in PYTHON:
        exec(block, names)
    assert isinstance(names["snapshot"], exir_viz.types.Snapshot)
    commands = [arguments for program, *arguments in COMMANDS if program == "exir-viz"]
    assert [command[0] for command in commands] == ["show", "diff", "check", "report", "profile"]
    for command in commands:
        capsys.readouterr()
        assert cli.main(command) == 0, command
        assert capsys.readouterr().out, command
