"""Ten questions end each lesson, and the lesson answers them."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest

from .questions import answers_it, questions, sections, text
from .running import lessons


def test_every_lesson_has_questions() -> None:
    assert list(questions()) == [path.stem for path in lessons()]


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_a_lesson_ends_with_ten_questions_that_it_answers(path: Path) -> None:
    rows = questions()[path.stem]
    notebook = nbformat.read(path, as_version=4)
    assert len({one.question for one in rows}) == 10
    assert text(rows) in notebook.cells[-1].source, f"python -m tests.notebooks {path.stem}"
    said = sections(notebook)
    assert [one for one in rows if not answers_it(one, said)] == []


def test_a_question_whose_answer_is_elsewhere_is_found() -> None:
    [first, *_] = questions()[lessons()[0].stem]
    other = sections(nbformat.read(lessons()[3], as_version=4))
    assert not answers_it(first, other)
