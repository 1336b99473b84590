"""Files newer than this exir_viz: compatible ones open with a notice, others are refused with what to do."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import exir_viz
from exir_viz.errors import MalformedFile, UnsupportedVersion
from exir_viz.readers.archive.models import NEWEST_MINOR
from exir_viz.snapshot import Snapshot
from exir_viz.upgrade_hint import upgrade_hint
from tests.readers.mutations import Members, pack, program_of, unpack
from tests.readers.test_pte_hostile import altered

WILD = Path(__file__).parent / "wild"
NEWEST = WILD / "torch-2.15.0" / "strict.pt2"
RECORD = WILD / "executorch-1.5.1" / "dynamic.etrecord"
PTE = WILD / "executorch-1.5.1" / "linear.pte"


def load(folder: Path, data: bytes) -> Snapshot:
    path = folder / "program"
    path.write_bytes(data)
    return exir_viz.load(path)


def refused(folder: Path, data: bytes) -> UnsupportedVersion:
    with pytest.raises(UnsupportedVersion) as caught:
        load(folder, data)
    return caught.value


def with_program(change: Callable[[Any], None], path: Path = NEWEST, member: str = "") -> bytes:
    """The file with the JSON of its program changed."""
    members = unpack(path.read_bytes())
    member = member or program_of(members)
    program = json.loads(members[member])
    change(program)
    return pack({**members, member: json.dumps(program).encode()})


def versioned(major: int, minor: int, change: Callable[[Any], None] = lambda program: None) -> Any:
    def changed(program: Any) -> None:
        program["schema_version"] = {"major": major, "minor": minor}
        change(program)

    return changed


def notices(snapshot: Snapshot, code: str) -> list[str]:
    return [notice.text for notice in snapshot.notices if notice.code == code]


def test_the_newest_release_is_known() -> None:
    """The numbers here and those of the newest files go up together."""
    members = unpack(NEWEST.read_bytes())
    program = json.loads(members[program_of(members)])["schema_version"]
    assert program == {"major": 8, "minor": NEWEST_MINOR[8]}
    record = json.loads(unpack(RECORD.read_bytes())["exported_program"])["schema_version"]
    assert record == {"major": 5, "minor": NEWEST_MINOR[5]}
    for path in (NEWEST, RECORD):
        assert not notices(exir_viz.load(path), "schema")


def test_a_newer_minor_version_opens_with_a_notice(tmp_path: Path) -> None:
    def change(program: Any) -> None:
        program["something_new"] = {"as_new": [1]}
        program["graph_module"]["graph"]["nodes"][0]["also_new"] = True

    read = load(tmp_path, with_program(versioned(8, 99, change)))
    (text,) = notices(read, "schema")
    assert f"schema is 8.99, and this exir_viz knows it up to 8.{NEWEST_MINOR[8]}" in text
    assert upgrade_hint() in text
    assert list(read.method.graph.columns.names) == list(exir_viz.load(NEWEST).method.graph.columns.names)


def test_a_newer_record_opens_with_a_notice(tmp_path: Path) -> None:
    read = load(tmp_path, with_program(versioned(5, 99), RECORD, "exported_program"))
    assert len(notices(read, "schema")) == 1


def new_argument(program: Any) -> None:
    program["graph_module"]["graph"]["nodes"][0]["inputs"][0]["arg"] = {"as_new": 1}


def new_type(program: Any) -> None:
    program["graph_module"]["module_call_graph"] = {"calls": []}


@pytest.mark.parametrize("change", [new_argument, new_type])
def test_what_cannot_be_read_in_a_newer_version_says_to_upgrade(
    change: Callable[[Any], None], tmp_path: Path
) -> None:
    error = refused(tmp_path, with_program(versioned(8, 99, change)))
    assert error.hint == upgrade_hint()
    assert "8.99" in error.reason
    assert isinstance(error.__cause__, (MalformedFile, ValueError))
    with pytest.raises(MalformedFile, match=r"schema|not a kind of argument"):
        load(tmp_path, with_program(change))


def test_other_major_versions_are_refused(tmp_path: Path) -> None:
    error = refused(tmp_path, with_program(versioned(9, 0)))
    assert "it is of schema 9.0, and 8 is read" in str(error)
    assert error.hint == upgrade_hint()
    older = refused(tmp_path, with_program(versioned(7, 3)))
    assert "Load it with the torch that saved it" in older.hint


def test_newer_archives_and_records_are_refused(tmp_path: Path) -> None:
    def renamed(members: Members) -> Members:
        return {name.replace("ETRECORD_V0", "ETRECORD_V1"): data for name, data in members.items()}

    archive = {
        name: b"1" if name.endswith("/archive_version") else data
        for name, data in unpack(NEWEST.read_bytes()).items()
    }
    assert refused(tmp_path, pack(archive)).hint == upgrade_hint()
    error = refused(tmp_path, pack(renamed(unpack(RECORD.read_bytes()))))
    assert error.hint == upgrade_hint()
    assert "ETRECORD_V1" in error.reason


def patched(at: int, form: str, *values: Any) -> bytes:
    data = bytearray(PTE.read_bytes())
    struct.pack_into(form, data, at, *values)
    return bytes(data)


def test_newer_lowered_programs_are_refused(tmp_path: Path) -> None:
    error = refused(tmp_path, patched(4, "<4s", b"ET13"))
    assert "its format is b'ET13', and b'ET12' is known" in error.reason
    assert error.hint == upgrade_hint()
    assert not refused(tmp_path, patched(4, "<4s", b"ET11")).hint


def newer(program: Any) -> None:
    program.version = 1


def broken(program: Any) -> None:
    program.execution_plan[0].inputs = [10_000]


def test_a_newer_lowered_program_opens_with_a_notice(tmp_path: Path) -> None:
    read = load(tmp_path, altered(newer))
    (text,) = notices(read, "pte-version")
    assert "schema 1, and this exir_viz knows 0" in text
    assert upgrade_hint() in text
    same = load(tmp_path, altered(lambda program: None))
    assert not notices(same, "pte-version")
    assert read.method.graph.columns.names == same.method.graph.columns.names


def test_what_cannot_be_read_in_a_newer_lowered_program_says_to_upgrade(tmp_path: Path) -> None:
    def both(program: Any) -> None:
        newer(program)
        broken(program)

    error = refused(tmp_path, altered(both))
    assert error.hint == upgrade_hint()
    assert "newer ExecuTorch" in error.reason
    with pytest.raises(MalformedFile):
        load(tmp_path, altered(broken))
