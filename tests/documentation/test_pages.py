"""The code of pages runs as it is written, from top to bottom, and their commands do what they say."""

from __future__ import annotations

import shlex

import pytest
from sybil import Example, Sybil
from sybil.parsers.myst import CodeBlockParser, PythonCodeBlockParser

from exir_viz import cli
from tests.corpus.programs import ROOT

PAGES = ("language-model", "wrong-numbers", "profile-batch-sizes", "ci")


def run_command(example: Example) -> None:
    """The commands of a block, which all succeed."""
    for line in str(example.parsed).splitlines():
        prompt, command, *arguments = shlex.split(line)
        assert (prompt, command) == ("$", "exir-viz"), line
        assert cli.main(arguments) == 0, line


@pytest.mark.parametrize("page", PAGES)
def test_a_page_runs(page: str, tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    parsers = [PythonCodeBlockParser(), CodeBlockParser(language="console", evaluator=run_command)]
    path = ROOT / "docs" / f"{page}.md"
    for example in Sybil(parsers=parsers, path=str(path.parent)).parse(path).examples():
        example.evaluate()
