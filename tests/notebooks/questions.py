"""Ten questions end each lesson, as an exercise that checks itself: `notebooks/questions.json`.

Each question has three answers, one of them right, and names the section that answers it.
`python -m tests.notebooks` writes them into the lessons, before "What to look at next".
"""

from __future__ import annotations

import codecs
import hashlib
import itertools
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from .running import FOLDER

FILE = FOLDER / "questions.json"
HEADING = "## Ten questions\n"
INTRODUCTION = (
    "Write the letters of your answers into the cell below. "
    "In italics: the section that answers what follows."
)
NEXT = "## What to look at next"
LETTERS = "abc"
SECTION = re.compile(r"^#{1,2} (?:\d+ · )?(.*)$", re.MULTILINE)
CODE = """\
import codecs

answer = ...  # ten letters, such as "abcabcabca"

right = codecs.decode("{key}", "rot13")  # not to be read by accident
if answer is ...:
    print("Not answered yet.")
elif len(str(answer)) != len(right):
    print(f"Not yet: give {{len(right)}} letters.")
else:
    wrong = [at + 1 for at, letter in enumerate(right) if answer[at] != letter]
    print(f"Not yet: look at {{wrong}} again." if wrong else "Right.")
"""


@dataclass(frozen=True)
class Question:
    """What a newcomer cannot answer before the lesson, and can answer after it.

    Parameters
    ----------
    wrong
        Two other answers, which somebody could believe.
    section
        The heading of the section with the answer.
    found
        A phrase of this section, or of its outputs, that gives the answer.
    """

    question: str
    answer: str
    wrong: tuple[str, str]
    section: str
    found: str

    @property
    def options(self) -> list[str]:
        """The answers in the order in which they are asked: by chance, and always the same."""
        return sorted((self.answer, *self.wrong), key=lambda one: hashlib.sha256(one.encode()).digest())

    @property
    def letter(self) -> str:
        """That of the right answer."""
        return LETTERS[self.options.index(self.answer)]

    def text(self, number: int) -> str:
        """Markdown."""
        options = "\n".join(
            f"- **{letter}** · {one}" for letter, one in zip(LETTERS, self.options, strict=True)
        )
        return f"**{number}.** {self.question}\n\n{options}\n"


def questions() -> dict[str, list[Question]]:
    """By the name of the lesson."""
    read = json.loads(FILE.read_text("utf-8"))
    return {
        lesson: [Question(**{**one, "wrong": tuple(one["wrong"])}) for one in rows]
        for lesson, rows in read.items()
    }


def text(rows: Sequence[Question]) -> str:
    """The questions, below the section that each is about."""
    parts = []
    numbered = enumerate(rows, 1)
    for section, group in itertools.groupby(numbered, key=lambda pair: pair[1].section):
        parts.append(f"*{section}*\n")
        parts += [question.text(number) for number, question in group]
    return f"{HEADING}\n{INTRODUCTION}\n\n" + "\n".join(parts)


def key(rows: Sequence[Question]) -> str:
    """The letters of the right answers."""
    return "".join(one.letter for one in rows)


def code(rows: Sequence[Question]) -> str:
    """The cell that checks the answers."""
    return CODE.format(key=codecs.encode(key(rows), "rot13")).rstrip()


def solution(rows: Sequence[Question]) -> str:
    """The right letters, and what they stand for; folded."""
    answers = "\n".join(f"{number}. {one.answer}" for number, one in enumerate(rows, 1))
    return (
        "<details><summary>Solution</summary>\n\n"
        f'```python\nanswer = "{key(rows)}"\n```\n\n{answers}\n\n</details>\n\n'
    )


def write(notebook: NotebookNode, rows: Sequence[Question]) -> None:
    """Put the questions into a lesson, in place of those that are there."""
    cells = notebook.cells
    start = next(
        number
        for number, cell in enumerate(cells)
        if cell.cell_type == "markdown" and (HEADING in cell.source or NEXT in cell.source)
    )
    _, _, after = cells[-1].source.partition(NEXT)
    before = cells[start].source.partition(NEXT)[0].partition(HEADING)[0].rstrip()
    cells[start].source = f"{before}\n\n{text(rows)}".strip()
    cells[start + 1 :] = [
        new_code_cell(code(rows), id="ten-questions", metadata={"tags": ["exercise"]}),
        new_markdown_cell(f"{solution(rows)}{NEXT}{after}", id="what-next"),
    ]


def sections(notebook: NotebookNode) -> dict[str, str]:
    """What each section of a lesson says and prints, by its heading; the questions are left out."""
    found: dict[str, list[str]] = {}
    heading = ""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            first, *rest = SECTION.split(cell.source)
            found.setdefault(heading, []).append(first)
            for heading, said in zip(rest[::2], rest[1::2], strict=True):
                found.setdefault(heading, []).append(said)
        else:
            found.setdefault(heading, []).extend([cell.source, *map(_output, cell.outputs)])
    found.pop(HEADING.removeprefix("## ").strip(), None)
    return {name: _plain("\n".join(parts)) for name, parts in found.items()}


def answers_it(question: Question, said: dict[str, str]) -> bool:
    return _plain(question.found) in said.get(question.section, "")


def _output(output: NotebookNode) -> str:
    return str(output.get("text") or output.get("evalue") or output.get("data", {}).get("text/plain", ""))


def _plain(text: str) -> str:
    return re.sub(r"\s+(> )?", " ", text)
