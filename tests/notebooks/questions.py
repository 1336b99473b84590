"""Ten questions for each lesson: `notebooks/questions.json`. Each names the section that answers it.

`python -m tests.notebooks` writes them into the lessons, before "What to look at next".
"""

from __future__ import annotations

import html
import json
import re
from dataclasses import dataclass

from nbformat import NotebookNode

from .running import FOLDER

FILE = FOLDER / "questions.json"
HEADING = "## Ten questions\n"
NEXT = "## What to look at next"
CODE = re.compile(r"`([^`]+)`")
EMPHASIS = re.compile(r"\*([^*]+)\*")
SECTION = re.compile(r"^#{1,2} (?:\d+ · )?(.*)$", re.MULTILINE)


@dataclass(frozen=True)
class Question:
    """What a newcomer cannot answer before the lesson, and can answer after it.

    Parameters
    ----------
    section
        The heading of the section with the answer.
    found
        A phrase of this section, or of its outputs, that gives the answer.
    """

    question: str
    answer: str
    section: str
    found: str

    def text(self) -> str:
        """Markdown; the answer is folded."""
        question = EMPHASIS.sub(r"<em>\1</em>", CODE.sub(r"<code>\1</code>", html.escape(self.question)))
        return (
            f"<details><summary>{question}</summary>\n\n"
            f"{self.answer} *Section: {self.section}*\n\n</details>\n"
        )


def questions() -> dict[str, list[Question]]:
    """By the name of the lesson."""
    read = json.loads(FILE.read_text("utf-8"))
    return {lesson: [Question(**one) for one in rows] for lesson, rows in read.items()}


def text(rows: list[Question]) -> str:
    """The section of a lesson."""
    parts = "\n".join(one.text() for one in rows)
    return f"{HEADING}\nAnswer each, then open it. The answer names the section to read again.\n\n{parts}\n"


def write(notebook: NotebookNode, rows: list[Question]) -> None:
    """Put the questions into a lesson, in place of those that are there."""
    cell = notebook.cells[-1]
    before, _, after = cell.source.partition(NEXT)
    cell.source = f"{before.partition(HEADING)[0].rstrip()}\n\n{text(rows)}{NEXT}{after}"


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
