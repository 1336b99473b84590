"""A zip archive's members, read within limits: the one place that touches the file.

Why not zipfile: it reads a directory of any size, and raises a dozen kinds of exceptions for bad input. This
reads what torch and zipfile write (stored and deflated, zip64), and raises FileError for everything else.
"""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from exir_viz.errors import FileTooLarge, MalformedFile, TruncatedFile
from exir_viz.readers.archive import limits
from exir_viz.readers.archive.directory import Member, read_directory
from exir_viz.readers.archive.file_window import FileWindow

_LOCAL = struct.Struct("<4s5HIIIHH")


class Container:
    """An open archive. `names` are in the directory's order; a member is read only when asked for."""

    def __init__(self, file: str, handle: BinaryIO | FileWindow, outer: Container | None = None) -> None:
        """`outer`: the archive that this one is a member of; what is read counts for that one."""
        self.file = file
        self._handle = handle
        self._outer = outer
        self._left = limits.MAX_READ_BYTES
        self._size = handle.seek(0, 2)
        self._members = read_directory(handle, self._size, self.file)

    @classmethod
    def open(cls, path: Path) -> Container:
        handle = path.open("rb")
        try:
            return cls(path.name, handle)
        except BaseException:
            handle.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not isinstance(self._handle, FileWindow):
            self._handle.close()

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def size(self, name: str) -> int:
        """Bytes of a member, unpacked, as the directory has it."""
        return self._member(name).size

    def packed(self, name: str) -> int:
        """Bytes that a member takes in the file."""
        return self._member(name).packed

    def checksum(self, name: str) -> int:
        """The CRC-32 of a member's bytes, as the directory has it: nothing is read."""
        return self._member(name).crc32

    def read(self, name: str, limit: int = limits.MAX_MEMBER_BYTES) -> bytes:
        """A member whole, its checksum verified."""
        member = self._member(name)
        self._allow(member, limit)
        packed = self._packed(member)
        data = packed if member.method == 0 else self._inflate(member, packed)
        if len(data) != member.size or zlib.crc32(data) != member.crc32:
            raise MalformedFile(self.file, "its contents do not match their checksum", member=name)
        return data

    def within(self, name: str) -> Container:
        """The archive that a member is; one that is stored is not read for it, whatever its size."""
        member = self._member(name)
        if member.method == 0 and not isinstance(self._handle, FileWindow):
            return Container(self.file, FileWindow(self._handle, self._begin(member), member.packed), self)
        return Container(self.file, io.BytesIO(self.read(name)), self)

    def _member(self, name: str) -> Member:
        member = self._members.get(name)
        if member is None:
            raise MalformedFile(self.file, "the archive has no such member", member=name)
        return member

    def _allow(self, member: Member, limit: int) -> None:
        if member.size > limit:
            raise FileTooLarge(
                self.file, f"it has {member.size:,} bytes, and at most {limit:,} are read", member=member.name
            )
        if member.size > limits.SMALL_BYTES and member.size > limits.MAX_RATIO * member.packed:
            raise FileTooLarge(
                self.file,
                f"it claims to unpack from {member.packed:,} to {member.size:,} bytes",
                member=member.name,
            )
        whole = self if self._outer is None else self._outer
        whole._left -= member.size
        if whole._left < 0:
            raise FileTooLarge(
                self.file, f"more than {limits.MAX_READ_BYTES:,} bytes would be read", member=member.name
            )

    def _packed(self, member: Member) -> bytes:
        self._handle.seek(self._begin(member))
        return self._handle.read(member.packed)

    def _begin(self, member: Member) -> int:
        """Where the member's bytes begin, after its local header, which must agree with the directory."""
        self._handle.seek(member.offset)
        head = self._handle.read(_LOCAL.size)
        if len(head) < _LOCAL.size:
            raise TruncatedFile(self.file, "the file ends before it", member=member.name)
        signature, *_, name_size, extra_size = _LOCAL.unpack(head)
        if signature != b"PK\x03\x04":
            raise MalformedFile(self.file, "the directory points to a wrong place", member=member.name)
        if self._handle.read(name_size) != member.raw_name:
            raise MalformedFile(self.file, "the directory has another name for it", member=member.name)
        begin: int = member.offset + _LOCAL.size + int(name_size) + int(extra_size)
        if begin + member.packed > self._size:
            raise TruncatedFile(self.file, "the file ends within it", member=member.name)
        return begin

    def _inflate(self, member: Member, packed: bytes) -> bytes:
        try:
            return zlib.decompressobj(-15).decompress(packed, member.size + 1)
        except zlib.error as error:
            raise MalformedFile(self.file, f"it cannot be unpacked ({error})", member=member.name) from error
