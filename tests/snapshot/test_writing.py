"""Writing files: whole or not at all, and in words where it cannot be."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from exir_viz.errors import NotWritten
from exir_viz.snapshot.file_writing import replacing, write


def test_what_was_there_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    write(path, "before")
    path.chmod(0o640)
    assert write(str(path), "after ü") == path
    assert path.read_bytes() == "after ü".encode()
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    link = tmp_path / "run.json"
    link.symlink_to(tmp_path / "far" / "run.json")
    write(link, b"new")
    write(link, b"newer")
    assert link.is_symlink()
    assert (tmp_path / "far" / "run.json").read_bytes() == b"newer"


@pytest.mark.parametrize("stopped", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_what_was_there_stays_where_writing_stops(tmp_path: Path, stopped: BaseException) -> None:
    path = tmp_path / "run.json"
    path.write_text("before")

    def half() -> None:
        with replacing(path) as part:
            part.write_text("half")
            raise stopped

    with pytest.raises((NotWritten, KeyboardInterrupt)) as raised:
        half()
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
    if isinstance(stopped, OSError):
        assert f"Cannot write {str(path)!r}: the system says 'No space left on device'" in str(raised.value)
        assert raised.value.__cause__ is stopped


def test_where_no_file_can_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("kept")
    for path, why in {
        tmp_path: "it is a folder. Name a file in it.",
        tmp_path / "no" / "run.json": f"there is no folder '{tmp_path / 'no'}'. Create it, or name another.",
        tmp_path / "file" / "run.json": f"'{tmp_path / 'file'}' is a file, not a folder.",
        tmp_path / "a\0b": "there is a NUL character in its name.",
        tmp_path / ("x" * 300): "the system says 'File name too long'.",
    }.items():
        with pytest.raises(NotWritten) as raised:
            write(path, b"")
        assert str(raised.value).startswith(f"Cannot write {str(path)!r}: {why}")
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_a_write_protected_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.json"
    path.write_text("before")
    monkeypatch.setattr(os, "access", lambda *_: False)  # who runs this may write everything
    with pytest.raises(NotWritten, match="write-protected"):
        write(path, b"after")
    assert path.read_text() == "before"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_device_is_written_to_as_it_is() -> None:
    with pytest.raises(NotWritten, match="No space left on device"):
        write("/dev/full", b"x" * 100_000)
    assert Path("/dev/full").is_char_device()
