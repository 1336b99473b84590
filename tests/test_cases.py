"""The cases that both languages are tested with are what Python says today."""

from __future__ import annotations

from pathlib import Path

from tests.cases.__main__ import COMMAND, FILES, FOLDER, stale, text


def test_the_cases_are_up_to_date() -> None:
    assert stale() == [], f"run {COMMAND}, and read what changed"


def test_a_stale_file_is_found(tmp_path: Path) -> None:
    for name in FILES:
        (tmp_path / name).write_text((FOLDER / name).read_text("utf-8"), "utf-8")
    assert stale(tmp_path) == []
    (tmp_path / "format.json").write_text(text({"timeText": [[0, "0"]]}), "utf-8")
    assert stale(tmp_path) == ["format.json"]
