"""A bundled program (`.bpte`): a flatbuffer that contains a `.pte`, and inputs to test it with.

Only the position of the `.pte` is read, so that opening it costs no more than opening a `.pte` file.
"""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Final

from exir_viz.errors import TruncatedFile
from exir_viz.readers.files import is_bundle

from .container import Source
from .corrupt import Corrupt

_PROGRAM: Final = 2  # the third field of the table: version, test suites, program
_U16 = struct.Struct("<H")
_I32 = struct.Struct("<i")
_U32 = struct.Struct("<I")


def unbundled(source: Source) -> Source:
    """The `.pte` in a bundled program; any other file as it is."""
    if not is_bundle(source.read_at(0, 6)):
        return source
    begin, size = _program_of(source)

    def read_at(offset: int, count: int) -> bytes:
        return source.read_at(begin + offset, max(0, min(count, size - offset)))

    return Source(size, read_at)


def without_program(data: bytes) -> bytes:
    """A bundled program whose `.pte` has no bytes, for its test cases.

    ExecuTorch reads them from JSON, in which each byte of the `.pte` would take 50 bytes of memory.
    """
    begin, _ = _program_of(_source(data))
    at = begin - _U32.size
    return b"".join((data[:at], bytes(_U32.size), data[begin:]))


def _program_of(source: Source) -> tuple[int, int]:
    """Where the `.pte` begins in a bundled program, and its size."""
    table = _number(source, _U32, 0)
    layout = table - _number(source, _I32, table)
    at = 4 + 2 * _PROGRAM
    offset = _number(source, _U16, layout + at) if _number(source, _U16, layout) > at else 0
    if not offset:
        raise Corrupt("it is a bundled program without a program")
    begin = table + offset
    begin += _number(source, _U32, begin)
    size = _number(source, _U32, begin)
    begin += _U32.size
    if begin + size > source.size:
        raise Corrupt(
            f"its program ends at {begin + size:,}, the file after {source.size:,} bytes", TruncatedFile
        )
    return begin, size


def _source(data: bytes) -> Source:
    return Source(len(data), lambda offset, count: data[offset : offset + count])


def program_bytes(path: Path) -> bytes:
    """The bytes of a `.pte`: of the file, or of the one that a bundled program contains.

    Raises a FileError for a bundled program that is broken.
    """
    data = path.read_bytes()
    try:
        program = unbundled(_source(data))
    except Corrupt as error:
        raise error.error(path.name) from None
    return data if program.size == len(data) else program.read_at(0, program.size)


def _number(source: Source, kind: struct.Struct, at: int) -> int:
    data = source.read_at(at, kind.size) if at >= 0 else b""
    if len(data) < kind.size:
        raise Corrupt(f"it names a place at {at:,} of {source.size:,} bytes", TruncatedFile)
    number: int = kind.unpack(data)[0]
    return number
