"""load tells a file by its contents, and says of what it cannot read which file, which part, and why."""

from __future__ import annotations

import io
import shutil
import zipfile
from pathlib import Path

import pytest
import torch

import exir_viz
from exir_viz.errors import (
    FileError,
    MalformedFile,
    TruncatedFile,
    UnknownFormat,
    UnsupportedVersion,
    WrongArgument,
)
from tests.readers import archives
from tests.readers.mutations import pack, unpack


@pytest.mark.parametrize("suffix", [".pt2", ".pte", ".exirviz", ".txt", ""])
def test_told_by_contents(suffix: str, tmp_path: Path) -> None:
    path = archives.write(tmp_path, archives.saved("named_dims"), f"program{suffix}")
    assert exir_viz.load(path).origin.type == "pt2"
    saved = exir_viz.load(path).save(tmp_path / f"snapshot{suffix}", absolute_paths=True)
    assert exir_viz.load(saved) == exir_viz.load(path)
    assert exir_viz.load(str(saved)) == exir_viz.load(path)


def _refused(folder: Path, data: bytes) -> FileError:
    path = archives.write(folder, data)
    with pytest.raises(FileError) as caught:
        exir_viz.load(path)
    assert caught.value.file == "program.pt2"
    assert str(folder) not in str(caught.value), "the error names the file, never its folder"
    return caught.value


@pytest.mark.parametrize(
    "data", [b"GIF89a", b"\x7fELF\2\1\1\0", b"#!/bin/sh\n", b"\0" * 100, b"{}", b"PKZIP"]
)
def test_wrong_magic(data: bytes, tmp_path: Path) -> None:
    error = _refused(tmp_path, data)
    assert isinstance(error, UnknownFormat)
    assert repr(data[:8]) in str(error)


@pytest.mark.parametrize("data", [b"", b"P", b"PK", b"PK\x03", b"EXIR"])
def test_ends_within_its_magic(data: bytes, tmp_path: Path) -> None:
    assert isinstance(_refused(tmp_path, data), TruncatedFile)


def test_absent_and_folder(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        exir_viz.load(tmp_path / "absent.pt2")
    with pytest.raises(UnknownFormat, match="it is a folder, not a file"):
        exir_viz.load(tmp_path)


@pytest.mark.parametrize(
    "url", ["https://example.org/model.pt2", "file:///tmp/model.pt2", "S3://models/a.pte"]
)
def test_a_url_is_no_path(url: str) -> None:
    for verb in (exir_viz.load, exir_viz.explore, exir_viz.check):
        with pytest.raises(WrongArgument, match=r"path is the URL '.*the path of a file on this computer"):
            verb(url)


def test_truncated_at_every_fiftieth(tmp_path: Path) -> None:
    data = archives.saved("module_state")
    for part in range(50):
        error = _refused(tmp_path, data[: len(data) * part // 50])
        assert isinstance(error, TruncatedFile), part


@pytest.mark.parametrize("offset", [1, 2, 20, 100])
def test_truncated_near_its_end(offset: int, tmp_path: Path) -> None:
    assert isinstance(_refused(tmp_path, archives.saved("module_state")[:-offset]), TruncatedFile)


def test_compiled_package_is_refused_by_name(tmp_path: Path) -> None:
    data = pack({"m/data/aotinductor/model/abc.so": b"\x7fELF", "m/archive_format": b"pt2"})
    error = _refused(tmp_path, data)
    assert isinstance(error, UnknownFormat)
    assert "AOTInductor" in error.reason
    assert "torch.export.save" in error.hint


def test_compiled_package_beside_a_program_is_said(tmp_path: Path) -> None:
    members = unpack(archives.saved("named_dims"))
    root = next(iter(members)).partition("/")[0]
    data = pack({**members, f"{root}/data/aotinductor/model/abc.so": b"\x7fELF"})
    snapshot = exir_viz.load(archives.write(tmp_path, data))
    assert [notice.code for notice in snapshot.notices] == ["aotinductor"]


def test_checkpoint_is_refused_by_name(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    torch.save({"weight": torch.zeros(2)}, buffer)
    error = _refused(tmp_path, buffer.getvalue())
    assert "torch.save" in error.reason
    buffer = io.BytesIO()
    torch.save({"weight": torch.zeros(2)}, buffer, _use_new_zipfile_serialization=False)
    assert "pickle" in _refused(tmp_path, buffer.getvalue()).reason


def test_a_pointer_in_place_of_a_file_is_said(tmp_path: Path) -> None:
    error = _refused(tmp_path, b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 7\n")
    assert isinstance(error, UnknownFormat)
    assert "git lfs pull" in error.hint


def test_other_zip_archives(tmp_path: Path) -> None:
    error = _refused(tmp_path, pack({"word/document.xml": b"<x/>"}))
    assert isinstance(error, UnknownFormat)
    assert "word/document.xml" in error.reason
    assert isinstance(_refused(tmp_path, pack({})), UnknownFormat)
    shutil.make_archive(str(tmp_path / "program"), "zip", archives.__file__.rpartition("/")[0])
    assert isinstance(_refused(tmp_path, (tmp_path / "program.zip").read_bytes()), UnknownFormat)


def test_versions_are_refused_by_number(tmp_path: Path) -> None:
    members = unpack(archives.saved("named_dims"))
    newer = {
        name: data.replace(b'"major": 8', b'"major": 9') if "/models/" in name else data
        for name, data in members.items()
    }
    error = _refused(tmp_path, pack(newer))
    assert isinstance(error, UnsupportedVersion)
    assert "schema 9." in error.reason
    assert error.member.endswith("models/model.json")
    archive = {name: b"1" if name.endswith("/archive_version") else data for name, data in members.items()}
    assert isinstance(_refused(tmp_path, pack(archive)), UnsupportedVersion)


def test_json_of_another_schema(tmp_path: Path) -> None:
    members = unpack(archives.saved("named_dims"))
    name = next(one for one in members if "/models/" in one)
    for other in (b"{}", b"[]", b"null", b'{"nodes": []}', b"", b"\xff\xfe", b'{"a": "\xff"}', b'"\\ud800"'):
        error = _refused(tmp_path, pack({**members, name: other}))
        assert isinstance(error, MalformedFile)
        assert error.member == name


def test_members_packed_in_ways_that_are_not_read(tmp_path: Path) -> None:
    members = unpack(archives.saved("named_dims"))
    error = _refused(tmp_path, pack(members, zipfile.ZIP_BZIP2))
    assert isinstance(error, MalformedFile)
    assert "method 12" in error.reason
