"""Every notebook runs, offline, from top to bottom; only cells that say so fail.

They run in this process, one after another, so that torch is imported once; tests/ui/test_jupyter_lessons.py
runs the tour in JupyterLab.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from .running import FOLDER, Runner, lessons, notebooks, tags, versions

MOST_BYTES = 300_000
SAMPLE = "10-edge-dialect"
# Of a cell that fails on purpose. One whose traceback is longer has "scrolled" in its metadata: a learner who
# runs it need not scroll over pages of torch.
MOST_FRAMES = 4
SOLUTION = re.compile(r"<details><summary>Solution</summary>\s+```python\n(.*?)```", re.DOTALL)
ANSWER = re.compile(r"^answer = .*$", re.MULTILINE)
TASK = re.compile(r"^\*\*\d\.\*\* ", re.MULTILINE)
HEADING = re.compile(r"^## (.*)$", re.MULTILINE)


@pytest.mark.parametrize(
    "path",
    # All of them take minutes: a lesson that lowers is enough for each change.
    [path if path.stem == SAMPLE else pytest.param(path, marks=pytest.mark.nightly) for path in notebooks()],
    ids=lambda path: path.stem,
)
def test_a_lesson_gives_what_is_saved_in_it(path: Path, tmp_path: Path) -> None:
    notebook = read(path)
    cells = notebook.cells
    is_same = notebook.metadata["saved_with"] == versions()  # others word some outputs otherwise
    with Runner(tmp_path) as runner:
        for number, cell in enumerate(cells):
            if cell.cell_type != "code":
                continue
            outputs = runner.run(cell.source)
            where = f"{path.name}, cell {number}:\n{cell.source}\n"
            fails = "raises-exception" in tags(cell)
            assert bool(errors(outputs)) == fails, f"{where}{errors(outputs)}"
            if fails:
                is_short = runner.frames <= MOST_FRAMES
                assert is_short != cell.metadata.get("scrolled", False), f"{where}{runner.frames} frames"
            now, saved = texts(outputs), texts(cell.outputs)
            if "varies" in tags(cell) or not is_same:
                now, saved = kinds(now, is_same), kinds(saved, is_same)
            assert now == saved, f"{where}Save it again: python -m tests.notebooks {path.stem}"
            if "exercise" in tags(cell):
                check_exercise(runner, cell, cells[number + 1], where)


def check_exercise(runner: Runner, cell: NotebookNode, after: NotebookNode, where: str) -> None:
    """An exercise accepts its solution, and nothing before it."""
    assert not any(text.startswith("Right") for _, text in texts(cell.outputs)), where
    for answer, verdict in (("answer = None", "Not yet"), (solution(after), "Right")):
        source, count = ANSWER.subn(lambda _, answer=answer: answer, cell.source, count=1)
        assert count == 1, where
        [(_, text)] = texts(runner.run(source))
        assert text.startswith(verdict), f"{where}{answer}\n{text}"


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_a_lesson_is_made_like_the_others(path: Path) -> None:
    cells = read(path).cells
    prose = [cell.source for cell in cells if cell.cell_type == "markdown"]
    code = [cell for cell in cells if cell.cell_type == "code"]
    exercises = [number for number, cell in enumerate(cells) if "exercise" in tags(cell)]
    assert path.stat().st_size <= MOST_BYTES
    assert 10 <= len(cells) <= 28
    title, _, opening = prose[0].partition("\n")
    assert title.startswith(f"# {int(path.stem[:2])} · ")
    assert "?" in title + opening, "it opens with a question"
    assert any("image/png" in output.get("data", {}) for output in code[0].outputs), "and with a picture"
    assert any("**Predict.**" in text for text in prose)
    assert any("raises-exception" in tags(cell) for cell in code), "it fails on purpose"
    quiet = [cell for cell in code if "raises-exception" not in tags(cell)]  # what fails may say more
    assert not [one for cell in quiet for one in cell.outputs if one.get("name") == "stderr"], "noise"
    assert len(exercises) >= 2
    assert all(SOLUTION.search(cells[number + 1].source) for number in exercises)
    assert sum(cell.source.count("assert ") for cell in code) >= 5
    assert "## What to look at next" in prose[-1]


@pytest.mark.parametrize("path", lessons(), ids=lambda path: path.stem)
def test_each_exercise_stands_between_its_task_and_its_solution(path: Path) -> None:
    cells = read(path).cells
    first = next(number for number, cell in enumerate(cells) if "## Exercises" in cell.source)
    headings = HEADING.findall(
        "\n".join(cell.source for cell in cells[first:] if cell.cell_type == "markdown")
    )
    assert headings[headings.index("Exercises") :] == ["Exercises", "Ten questions", "What to look at next"]
    for number, cell in enumerate(cells):
        if "exercise" in tags(cell):
            task = TASK.split(cells[number - 1].source)[-1]
            assert TASK.search(cells[number - 1].source)
            assert not SOLUTION.search(task), cell.source


def test_the_tour_reads_well_without_running_it() -> None:
    path = notebooks()[0]
    cells = read(path).cells
    outputs = [one for cell in cells if cell.cell_type == "code" for one in cell.outputs]
    pictures = [one for one in outputs if "image/png" in one.get("data", {})]
    assert path.name == "00-tour.ipynb"
    assert path.stat().st_size <= MOST_BYTES
    assert 10 <= len(cells) <= 28
    assert len(pictures) >= 3
    assert sum("**Predict.**" in cell.source for cell in cells) >= 3
    assert "## What to look at next" in cells[-1].source


def test_the_lessons_are_numbered() -> None:
    assert [int(path.stem[:2]) for path in lessons()] == list(range(1, len(lessons()) + 1))


def test_each_concept_of_the_ir_has_a_lesson() -> None:
    """The table names every section of the documents that define the IR, once, in their order."""
    documents = json.loads((Path(__file__).parent / "concepts.json").read_text())
    table = (FOLDER / "README.md").read_text().partition("## Where each concept is taught")[2]
    written = {}
    for part in table.split("\n### ")[1:]:
        title, *lines = part.splitlines()
        rows = [line.strip("| ").split(" | ") for line in lines if line.startswith("| ")]
        written[title] = rows[1:]
    assert {title: [section for section, _ in rows] for title, rows in written.items()} == documents
    assert [section for rows in written.values() for section, lesson in rows if "](" not in lesson] == []


@pytest.mark.parametrize("path", [FOLDER / "README.md", *notebooks()], ids=lambda path: path.stem)
def test_links_between_lessons_lead_somewhere(path: Path) -> None:
    links = re.findall(r"\]\(([\w-]+\.ipynb)\)", path.read_text())
    assert links
    assert [link for link in links if not (FOLDER / link).exists()] == []


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def solution(cell: NotebookNode) -> str:
    found = SOLUTION.search(cell.source)
    assert found, cell.source
    return found[1].strip()


def errors(outputs: list[NotebookNode]) -> list[str]:
    return [f"{one.ename}: {one.evalue}" for one in outputs if one.output_type == "error"]


def kinds(shown: list[tuple[str, str]], is_same: bool) -> list[str]:
    """What kinds of text there are; other versions of torch warn of other things."""
    return [kind for kind, _ in shown if is_same or kind != "stderr"]


def texts(outputs: list[NotebookNode]) -> list[tuple[str, str]]:
    """What a reader reads, without pictures. Of an error its type: its message is torch's."""
    return [
        (one.name, one.text)
        if one.output_type == "stream"
        else (one.output_type, one.ename if one.output_type == "error" else one.data["text/plain"])
        for one in outputs
    ]
