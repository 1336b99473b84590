"""The code of the guides runs as it stands, from top to bottom, and their commands do what they say."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from sybil import Example, Sybil
from sybil.parsers.myst import CodeBlockParser, PythonCodeBlockParser

from exir_viz import cli
from tests.corpus.programs import ROOT

GUIDES = [path for path in sorted((ROOT / "docs" / "howto").glob("*.md")) if path.stem != "index"]
# Commands of a guide whose files the guide does not write itself.
FILES_OF_THE_READER = {"review-a-diff"}


def run_command(example: Example) -> None:
    """The commands of a block, which all succeed."""
    for line in str(example.parsed).splitlines():
        prompt, command, *arguments = shlex.split(line)
        assert (prompt, command) == ("$", "exir-viz"), line
        assert cli.main(arguments) == 0, line


PYTHON = PythonCodeBlockParser()
COMMANDS = CodeBlockParser(language="console", evaluator=run_command)


@pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.stem)
def test_a_guide_runs(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    parsers = [PYTHON] if path.stem in FILES_OF_THE_READER else [PYTHON, COMMANDS]
    examples = list(Sybil(parsers=parsers, path=str(path.parent)).parse(path).examples())
    assert len(examples) >= 3
    for example in examples:
        example.evaluate()
