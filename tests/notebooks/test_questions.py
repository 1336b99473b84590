"""Ten questions end each lesson: an exercise asks each, and the lesson answers it."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import nbformat
import pytest

from .questions import LETTERS, answers_it, code, key, questions, sections, solution, text
from .running import lessons, tags


def test_every_lesson_has_questions() -> None:
    assert list(questions()) == [path.stem for path in lessons()]


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_a_lesson_ends_with_an_exercise_of_ten_questions_that_it_answers(path: Path) -> None:
    rows = questions()[path.stem]
    notebook = nbformat.read(path, as_version=4)
    *_, asked, exercise, last = notebook.cells
    renew = f"python -m tests.notebooks {path.stem}"
    assert len({one.question for one in rows}) == 10
    assert asked.source.endswith(text(rows).strip()), renew
    assert (exercise.source, tags(exercise)) == (code(rows), ["exercise"]), renew
    assert last.source.startswith(solution(rows)), renew
    said = sections(notebook)
    assert [one for one in rows if not answers_it(one, said)] == []
    assert [one.section for one in rows] == sorted((one.section for one in rows), key=list(said).index)


def test_a_question_whose_answer_is_elsewhere_is_found() -> None:
    [first, *_] = questions()[lessons()[0].stem]
    other = sections(nbformat.read(lessons()[3], as_version=4))
    assert not answers_it(first, other)


def test_the_right_answer_cannot_be_guessed_from_its_letter_or_length() -> None:
    rows = [one for each in questions().values() for one in each]
    assert all(len(set(one.options)) == 3 for one in rows)
    letters = key(rows)
    assert all(len(rows) / 4 < letters.count(letter) < len(rows) / 2 for letter in LETTERS)
    longest = sum(len(one.answer) > max(map(len, one.wrong)) for one in rows)
    assert longest < len(rows) / 2


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        (lambda right: right, "Right."),
        (lambda right: ("b" if right[0] == "a" else "a") + right[1:], "Not yet: look at [1] again."),
        (lambda right: right[:4], "Not yet: give 10 letters."),
    ],
)
def test_the_exercise_names_the_questions_to_look_at_again(change, verdict: str) -> None:
    rows = next(iter(questions().values()))
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(code(rows).replace("answer = ...", f"answer = {change(key(rows))!r}"), {})
    assert said.getvalue().strip() == verdict
