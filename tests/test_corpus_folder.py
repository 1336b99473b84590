"""The corpus is not read where another torch, or other sources, made it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.corpus import folder


@pytest.fixture
def corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A corpus that the sources of now have made."""
    monkeypatch.setattr(folder, "FOLDER", tmp_path)
    monkeypatch.setattr(folder, "COMPARED", tmp_path / "compare")
    folder.discard_outdated.__wrapped__()
    for name in ("a.pt2", "a.exirviz", "a.stages.json", "compare/a.aten-core.json"):
        (tmp_path / name).touch()
    return tmp_path


def _kept(corpus: Path) -> set[str]:
    folder.discard_outdated.__wrapped__()
    files = (file for file in corpus.rglob("*.*") if file.suffix != ".stamp")
    return {file.relative_to(corpus).as_posix() for file in files}


def test_what_our_sources_made_is_kept(corpus: Path) -> None:
    assert _kept(corpus) == {"a.pt2", "a.exirviz", "a.stages.json", "compare/a.aten-core.json"}


def test_what_another_executorch_made_of_programs_is_deleted(
    corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    version = folder.version
    monkeypatch.setattr(folder, "version", lambda name: "0.1" if name == "executorch" else version(name))
    assert _kept(corpus) == {"a.pt2"}


def test_what_another_torch_made_is_deleted(corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    version = folder.version
    monkeypatch.setattr(folder, "version", lambda name: "0.1" if name == "torch" else version(name))
    assert _kept(corpus) == set()


def test_nothing_missing_is_found_without_torch() -> None:
    """`make test` looks for it each time."""
    code = "import sys; import tests.corpus.__main__; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=folder.ROOT, check=False).returncode == 0
