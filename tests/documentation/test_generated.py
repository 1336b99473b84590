"""What is written into pages by scripts is up to date."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import torch

import exir_viz
from scripts import error_index, gallery
from tests.bench import documents, results
from tests.corpus.programs import exportdb


@pytest.mark.parametrize("file", documents.FILES, ids=lambda file: file.name)
def test_documents_have_the_figures_of_the_results_file(file: Path) -> None:
    text = file.read_text("utf-8")
    assert documents.REGION.search(text)
    assert documents.fill(text, results.read()) == text, "run `python -m tests.bench docs`"


def test_the_error_index_is_up_to_date() -> None:
    assert error_index.text() == error_index.FILE.read_text("utf-8"), "run `python -m scripts.error_index`"


def test_each_error_is_raised_by_something() -> None:
    functions = dict(error_index.functions())
    assert [one.__name__ for one in error_index.classes() if not error_index.raised_by(one, functions)] == []


def test_the_gallery_has_every_example_that_torch_exports() -> None:
    text = gallery.FILE.read_text("utf-8")
    shown = {file.stem: exir_viz.load(file) for file in gallery.FOLDER.iterdir()}
    assert {program.method.name for program in shown.values()} == {"forward"}
    assert re.findall(r"^## (\w+)$", text, re.MULTILINE) == sorted(shown)
    if {program.skeleton.origin.torch for program in shown.values()} != {torch.__version__}:
        return  # another torch has other examples and describes them in other words
    reached = gallery.how_far()
    sections = {name: gallery.section(name, example, reached[name]) for name, example in exportdb().items()}
    assert sorted(shown) == sorted(sections)
    assert [name for name, section in sections.items() if section not in text] == [], (
        "run `python -m scripts.gallery`"
    )
