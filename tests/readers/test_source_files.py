"""Program files that name source files of this machine: none of their text gets into a Snapshot or a page."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import exir_viz
from exir_viz.reports import run
from exir_viz.server.answers import page_answer, program_answer
from exir_viz.snapshot import wire
from exir_viz.snapshot.wire import Sections
from tests.corpus.concepts import Fn
from tests.readers import archives
from tests.readers.mutations import unpack, with_program

SECRET = [
    "import os",
    "",
    " ",
    "KEY = 'hunter2'",
    "def forward(x):",
    "    return x",
    "PASSWORD = 'swordfish'",
]
# What traces quote: blanks, single characters, and common lines.
QUOTES = {2: " ", 3: "\t", 1: "import os", 5: "d", 6: "return x"}


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    file = tmp_path / "settings.py"
    file.write_text("\n".join(SECRET))
    return file


def _naming(file: Path, quotes: dict[int, str]) -> bytes:
    """A `.pt2` whose nodes have these lines of a file in their stack traces."""
    trace = "\n".join(
        f'  File "{file}", line {line}, in forward\n    {code}' for line, code in quotes.items()
    )

    def change(program: dict[str, object]) -> None:
        for node in program["graph_module"]["graph"]["nodes"]:  # type: ignore[index]
            node["metadata"]["stack_trace"] = trace

    return with_program(unpack(archives.saved("named_dims")), change)


@pytest.mark.parametrize("line", [None, *QUOTES])
def test_a_file_brings_no_text_of_other_files(
    line: int | None, secret: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(secret.parent)
    quotes = QUOTES if line is None else {line: QUOTES[line]}
    path = archives.write(secret.parent, _naming(secret, quotes))
    snapshot = exir_viz.load(path)
    assert any(frame.file == str(secret) for frame in snapshot.detail.frames)
    sections = Sections(program_answer(path), "answer")
    outputs = [wire.encode(snapshot), page_answer(path), *(sections.raw(name) for name in sections.places)]
    saved = snapshot.save(secret.parent / "saved.exirviz", absolute_paths=True)
    outputs.append(page_answer(saved))
    unpacked = [Sections(outputs[0], "file").raw(name) for name in ("skeleton", "detail")]
    for text in (*outputs, *unpacked):
        assert b"hunter2" not in text
        assert b"swordfish" not in text


def test_the_report_of_a_file_shows_only_what_the_file_says(
    secret: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(secret.parent)
    path = archives.write(secret.parent, _naming(secret, {1: "import os", 6: "return x"}))
    (found,) = run("source", path).sources
    assert found.texts == ("import os", "return x")
    assert "the source file is missing, changed or not read" in found.note


def test_the_program_of_this_process_has_its_source() -> None:
    snapshot = exir_viz.load(torch.export.export(Fn(lambda x: x + 1), (torch.ones(2),)))
    assert snapshot.detail.sources
    assert not any(one.note for one in run("source", snapshot).sources)
