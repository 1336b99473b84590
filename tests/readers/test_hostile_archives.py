"""Archives made to hurt: nothing in one is executed, each is refused by name or read, within the limits."""

from __future__ import annotations

import contextlib
import io
import json
import pickle
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import exir_viz
from exir_viz.errors import FileError, FileTooLarge, MalformedFile, TruncatedFile
from tests.readers import archives
from tests.readers.archives import loaded, member, refused
from tests.readers.mutations import pack, program_of, unpack

# -- attacks that execute code in torch.export.load ---------------------------------------------------------


class Canary:
    """Unpickling it touches a file."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return Path.touch, (self.path,)


def _torch_saved(value: object) -> bytes:
    buffer = io.BytesIO()
    torch.save(value, buffer)
    return buffer.getvalue()


def _in_samples(members: dict[str, bytes], canary: Path) -> None:
    name = member(members, "data/sample_inputs/model.pt")
    members[name] = _torch_saved((((torch.zeros(3, 2),) * 2, {}), Canary(canary)))


def _in_weights(members: dict[str, bytes], canary: Path) -> None:
    name = member(members, "model_weights_config.json")
    config = json.loads(members[name])
    payload = next(iter(config["config"].values()))
    payload |= {"use_pickle": True, "path_name": "evil"}
    members[name] = json.dumps(config).encode()
    members[name.replace("model_weights_config.json", "evil")] = _torch_saved(Canary(canary))


def _in_constants(members: dict[str, bytes], canary: Path) -> None:
    name = member(members, "model_constants_config.json")
    config = json.loads(members[name])
    evil = {"path_name": "opaque_obj_0", "is_param": False, "use_pickle": True, "tensor_meta": None}
    config["config"]["evil"] = evil
    members[name] = json.dumps(config).encode()
    members[name.replace("model_constants_config.json", "opaque_obj_0")] = pickle.dumps(Canary(canary))


def _in_expression(members: dict[str, bytes], canary: Path) -> None:
    name = program_of(members)
    old = b'"expr_str": "'
    assert old in members[name]
    evil = f"__import__('pathlib').Path('{canary}').touch() or ".encode()
    members[name] = members[name].replace(old, old + evil, 1)


ATTACKS: dict[str, tuple[str, Callable[[dict[str, bytes], Path], None]]] = {
    "sample inputs": ("named_dims", _in_samples),
    "weights": ("module_state", _in_weights),
    "constants": ("named_dims", _in_constants),
    "expression": ("named_dims", _in_expression),
}


def _torch_file(members: dict[str, bytes], path: Path) -> None:
    """torch's reader wants its own alignment, so its own writer writes."""
    root = next(iter(members)).partition("/")[0]
    writer = torch._C.PyTorchFileWriter(str(path))
    for name, data in members.items():
        short = name.removeprefix(f"{root}/")
        if not short.startswith(".data/") and short not in ("version", "byteorder"):
            writer.write_record(short, data, len(data))
    writer.write_end_of_file()


@pytest.mark.parametrize("attack", ATTACKS)
def test_nothing_is_executed(attack: str, tmp_path: Path) -> None:
    name, poison = ATTACKS[attack]
    canary, path = tmp_path / "canary", tmp_path / "program.pt2"
    members = unpack(archives.saved(name))
    poison(members, canary)
    _torch_file(members, path)
    with pytest.raises(FileError) if attack == "expression" else contextlib.nullcontext():
        exir_viz.load(path)
    assert not canary.exists()
    # The attack is real: torch's loader falls for it, whether or not it loads the file in the end.
    with contextlib.suppress(Exception):
        torch.export.load(path)
    assert canary.exists()


def test_sample_inputs_beside_an_attack_are_read(tmp_path: Path) -> None:
    members = unpack(archives.saved("named_dims"))
    _in_samples(members, tmp_path / "canary")
    snapshot = loaded(tmp_path, pack(members))
    assert [notice.code for notice in snapshot.notices] == ["samples"] * len(snapshot.notices)
    assert snapshot.notices


# -- the zip archive ----------------------------------------------------------------------------------------


def test_zip_bomb(tmp_path: Path) -> None:
    members = unpack(archives.saved("named_dims"))
    members[program_of(members)] = b" " * (32 << 20)
    assert "unpack" in refused(tmp_path, pack(members, zipfile.ZIP_DEFLATED), FileTooLarge).reason


def _claiming(data: bytes, name: str, **fields: int) -> bytes:
    """The archive with other numbers in the directory's entry of a member."""
    offsets = {
        "method": (10, "<H"),
        "crc": (16, "<I"),
        "packed": (20, "<I"),
        "size": (24, "<I"),
        "offset": (42, "<I"),
    }
    changed = bytearray(data)
    at = changed.rfind(name.encode()) - 46
    assert changed[at : at + 4] == b"PK\x01\x02"
    for field, value in fields.items():
        place, layout = offsets[field]
        struct.pack_into(layout, changed, at + place, value)
    return bytes(changed)


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"size": 0x7FFFFFFF, "packed": 0x7FFFFFFF}, FileTooLarge),
        ({"size": 0x00FFFFFF, "packed": 0x00FFFFFF}, TruncatedFile),
        ({"size": 10}, MalformedFile),
        ({"crc": 1}, MalformedFile),
        ({"offset": 0x7FFFFFFF}, TruncatedFile),
        ({"offset": 1}, MalformedFile),
        ({"offset": 0}, MalformedFile),
        ({"method": 8}, MalformedFile),
        ({"method": 99}, MalformedFile),
    ],
)
def test_a_directory_that_lies(fields: dict[str, int], kind: type[FileError], tmp_path: Path) -> None:
    members = unpack(archives.saved("named_dims"))
    name = program_of(members)
    first = {"archive/first": b"x", **members}  # so that no offset is right by chance
    assert refused(tmp_path, _claiming(pack(first), name, **fields), kind).member == name


def test_a_million_members(tmp_path: Path) -> None:
    """Refused by the count, and by the size of the directory where the count lies."""
    entry = struct.pack("<4s4x2H4x3I3H8xI", b"PK\x01\x02", 0, 0, 0, 0, 0, 1, 0, 0, 0) + b"a"
    for claimed in (1_000_000, 7):
        directory = entry * 1_000_000
        end64 = struct.pack(
            "<4sQ2H2I4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, claimed, claimed, len(directory), 4
        )
        locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, 4 + len(directory), 1)
        end = struct.pack("<4s4H2IH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, len(directory), 4, 0)
        error = refused(tmp_path, b"PK\x03\x04" + directory + end64 + locator + end, FileError)
        assert "members" in error.reason


def test_a_comment_that_looks_like_the_end_of_an_archive(tmp_path: Path) -> None:
    path = tmp_path / "commented.pt2"
    path.write_bytes(archives.saved("named_dims"))
    plain = exir_viz.load(path).method.graph
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b"PK\x05\x06" + b"\1" * 30
    assert list(exir_viz.load(path).method.graph.columns.names) == list(plain.columns.names)


def test_two_members_of_one_name(tmp_path: Path) -> None:
    members = unpack(archives.saved("named_dims"))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # zipfile warns, and writes it all the same
        for name in [*members, program_of(members)]:
            archive.writestr(name, members[name])
    assert refused(tmp_path, buffer.getvalue()).member == program_of(members)


def test_a_name_that_is_not_utf8(tmp_path: Path) -> None:
    data = bytearray(pack({"aé/x": b""}))
    at = data.rfind("é".encode())
    data[at : at + 2] = b"\xff\xfe"
    assert "UTF-8" in refused(tmp_path, bytes(data)).reason


def test_zip64(tmp_path: Path) -> None:
    """As torch writes beyond 4 GB: sizes and offset in the extra field."""
    members = unpack(archives.saved("named_dims"))
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            with archive.open(name, "w", force_zip64=True) as handle:
                handle.write(data)
    data = bytearray(buffer.getvalue())
    plain = loaded(tmp_path, pack(members))
    assert loaded(tmp_path, bytes(data)).skeleton == plain.skeleton
    name = program_of(members)
    at = data.rfind(name.encode()) - 46
    packed, size = struct.unpack_from("<2I", data, at + 20)
    offset = struct.unpack_from("<I", data, at + 42)[0]
    extra = struct.pack("<2H3Q", 1, 24, size, packed, offset)
    struct.pack_into("<2I", data, at + 20, 0xFFFFFFFF, 0xFFFFFFFF)
    struct.pack_into("<I", data, at + 42, 0xFFFFFFFF)
    struct.pack_into("<H", data, at + 30, len(extra))
    data[at + 46 + len(name) : at + 46 + len(name)] = extra
    end = bytes(data).rfind(b"PK\x05\x06")
    struct.pack_into("<I", data, end + 12, struct.unpack_from("<I", data, end + 12)[0] + len(extra))
    assert loaded(tmp_path, bytes(data)).skeleton == plain.skeleton
