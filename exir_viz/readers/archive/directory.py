"""The directory of a zip archive: its end record, its zip64 end record, one entry for each member.

Sizes are compared with limits before anything of that size is read or made. Nothing here reads a member.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import BinaryIO

from exir_viz.errors import FileTooLarge, MalformedFile, TruncatedFile
from exir_viz.readers.archive import limits
from exir_viz.readers.archive.file_window import FileWindow

_END = struct.Struct("<4s4H2IH")
_LOCATOR = struct.Struct("<4sIQI")
_END64 = struct.Struct("<4sQ2H2I4Q")
_ENTRY = struct.Struct("<4s4x2H4x3I3H8xI")
_MAX_COMMENT = 0xFFFF
_FULL16, _FULL32 = 0xFFFF, 0xFFFFFFFF


@dataclass(frozen=True, slots=True)
class Member:
    """One entry: sizes and the offset of its local header in bytes; method 0 is stored, 8 deflated."""

    name: str
    raw_name: bytes
    method: int
    crc32: int
    packed: int
    size: int
    offset: int


def read_directory(handle: BinaryIO | FileWindow, size: int, file: str) -> dict[str, Member]:
    """All members by name, in the directory's order."""
    count, length, start = _end(handle, size, file)
    if count > limits.MAX_MEMBERS:
        raise FileTooLarge(file, f"it has {count:,} members, and at most {limits.MAX_MEMBERS:,} are read")
    if length > limits.MAX_DIRECTORY_BYTES:
        raise FileTooLarge(file, f"its directory has {length:,} bytes")
    if start + length > size:
        raise TruncatedFile(file, "its directory lies beyond its end")
    handle.seek(start)
    data = handle.read(length)
    members: dict[str, Member] = {}
    at = 0
    for _ in range(count):
        member, at = _entry(data, at, file)
        if member.name in members:
            raise MalformedFile(file, "two members have the same name", member=member.name)
        if member.offset >= size:
            raise TruncatedFile(file, "the file ends before it", member=member.name)
        members[member.name] = member
    if at != len(data):
        raise MalformedFile(
            file, f"its directory has {len(data) - at:,} bytes more than its {count:,} members"
        )
    return members


def _end(handle: BinaryIO | FileWindow, size: int, file: str) -> tuple[int, int, int]:
    """Number of members, bytes and offset of the directory."""
    tail_size = min(size, _END.size + _MAX_COMMENT)
    handle.seek(size - tail_size)
    tail = handle.read(tail_size)
    at = _end_record(tail)
    if at < 0:
        raise _cut_off(file, "it begins as a zip archive but has no directory at its end")
    _, disk, first, _, count, length, start, _ = _END.unpack_from(tail, at)
    end = size - tail_size + at
    # torch writes the zip64 records even where the numbers fit.
    end, count, length, start = _end64(handle, end, file) or (end, count, length, start)
    if disk not in (0, _FULL16) or first not in (0, _FULL16):
        raise MalformedFile(file, "it is one part of an archive in several files")
    if start + length != end:
        raise _cut_off(file, f"its directory should end at byte {start + length:,} but ends at {end:,}")
    return count, length, start


def _end_record(tail: bytes) -> int:
    """Where the end record is: an archive within this one has one too, but not at the end."""
    at = tail.rfind(b"PK\x05\x06")
    while at >= 0:
        if at + _END.size <= len(tail) and at + _END.size + _END.unpack_from(tail, at)[-1] == len(tail):
            return at
        at = tail.rfind(b"PK\x05\x06", 0, at)
    return -1


def _cut_off(file: str, reason: str) -> TruncatedFile:
    return TruncatedFile(file, reason, hint="It was probably cut off: copy or download it again.")


def _end64(handle: BinaryIO | FileWindow, end: int, file: str) -> tuple[int, int, int, int] | None:
    """Where the directory ends, number of members, its bytes and offset, as the zip64 records have them."""
    if end < _LOCATOR.size:
        return None
    handle.seek(end - _LOCATOR.size)
    signature, _, offset, _ = _LOCATOR.unpack(handle.read(_LOCATOR.size))
    if signature != b"PK\x06\x07":
        return None
    if offset + _END64.size > end:
        raise TruncatedFile(file, "its zip64 directory lies beyond its end")
    handle.seek(offset)
    signature, *_, count, length, start = _END64.unpack(handle.read(_END64.size))
    if signature != b"PK\x06\x06":
        raise MalformedFile(file, "its zip64 directory is not where the archive says it is")
    return offset, count, length, start


def _entry(data: bytes, at: int, file: str) -> tuple[Member, int]:
    if at + _ENTRY.size > len(data):
        raise MalformedFile(file, "its directory ends within an entry")
    fields = _ENTRY.unpack_from(data, at)
    signature, flags, method, crc32, packed, size, name_size, extra_size, comment_size, offset = fields
    if signature != b"PK\x01\x02":
        raise MalformedFile(file, f"its directory has no entry at byte {at:,}")
    start = at + _ENTRY.size
    end = start + name_size + extra_size + comment_size
    if end > len(data):
        raise MalformedFile(file, "its directory ends within an entry")
    raw_name = data[start : start + name_size]
    name = _name(raw_name, flags, file)
    if flags & 1:
        raise MalformedFile(file, "it is encrypted", member=name)
    if method not in (0, 8):
        raise MalformedFile(
            file, f"it is compressed with method {method}; only 0 and 8 are supported", member=name
        )
    extra = data[start + name_size : start + name_size + extra_size]
    size, packed, offset = _wide(extra, (size, packed, offset), file, name)
    if method == 0 and size != packed:
        raise MalformedFile(file, f"it is stored in {packed:,} bytes but claims {size:,}", member=name)
    return Member(name, raw_name, method, crc32, packed, size, offset), end


def _name(raw: bytes, flags: int, file: str) -> str:
    try:
        # The flag says UTF-8; without it the standard says code page 437, which agrees on ASCII.
        return raw.decode("utf-8" if flags & 0x800 else "cp437")
    except UnicodeDecodeError as error:
        raise MalformedFile(file, f"the name of a member is not UTF-8: {raw[:80]!r}") from error


def _wide(extra: bytes, values: tuple[int, int, int], file: str, name: str) -> tuple[int, int, int]:
    """Sizes and offset, the ones that do not fit 32 bits taken from the zip64 extra field."""
    if _FULL32 not in values:
        return values
    at = 0
    while at + 4 <= len(extra):
        tag, length = struct.unpack_from("<HH", extra, at)
        if tag == 1:
            wide = iter(struct.iter_unpack("<Q", extra[at + 4 : at + 4 + length // 8 * 8]))
            found = [value if value != _FULL32 else next(wide, (None,))[0] for value in values]
            if None in found:
                raise MalformedFile(file, "its zip64 sizes are missing", member=name)
            return found[0], found[1], found[2]
        at += 4 + length
    return values
