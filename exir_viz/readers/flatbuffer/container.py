"""A `.pte` as a whole: the flatbuffer with the program, and the segments of data that follow it.

Enters: bytes, or an open file. Leaves: the program's tables and, on request, a small constant's bytes and
checksums. Segments are checked to lie in the file and are otherwise left alone, so that opening costs no more
with 10 GB of weights than with what `checksums` allows.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from exir_viz.errors import FileTooLarge, TruncatedFile, UnknownFormat, UnsupportedVersion
from exir_viz.readers.checksums import checksum_at
from exir_viz.readers.payloads.source import PayloadSource
from exir_viz.upgrade_hint import upgrade_hint

from .corrupt import Corrupt
from .limits import MAX_PROGRAM_BYTES
from .schema import (
    FILE_IDENTIFIER,
    BackendDelegateDataReference,
    DataLocation,
    Program,
    SubsegmentOffsets,
    Tensor,
    TensorDataLocation,
)
from .table_reader import TableReader

EXTENDED_HEADER = b"eh00"
# Magic, its own length, program size, segment base; since 2025 the segments' size too.
_HEADER = struct.Struct("<4sIQQ")
_SEGMENTS_SIZE = struct.Struct("<Q")
# Other files of ExecuTorch, by the first two bytes of their format.
OTHER_FILES = {
    b"FT": "it is a tensor file (.ptd), which holds weights and no program: open the .pte that uses it",
    b"ED": "it is an ETDump, which holds measurements and no program",
}


@dataclass(frozen=True, slots=True)
class Source:
    """What is read: its size in bytes, and a way to read some of them."""

    size: int
    read_at: Callable[[int, int], bytes]


class Container:
    """The program of a `.pte` and where its data lies."""

    def __init__(self, source: Source) -> None:
        self._source = source
        program_size, self._base = _header(source)
        data = memoryview(source.read_at(0, program_size))
        if len(data) < program_size:
            raise Corrupt(
                f"it ends after {len(data):,} bytes, its program takes {program_size:,}", TruncatedFile
            )
        tables = TableReader(data)
        self.program: Program = tables.root(Program)
        self.unknown = tables.unknown
        self._check_segments()

    @property
    def segment_bytes(self) -> int:
        """Bytes of all segments, without the padding between them."""
        return sum(segment.size for segment in self.program.segments)

    def delegate_checksum(self, reference: BackendDelegateDataReference) -> int:
        """The CRC-32 of that blob."""
        inline = self._inline(reference)
        return self.named_checksum(reference.index) if inline is None else zlib.crc32(inline)

    def delegate_payload(self, reference: BackendDelegateDataReference) -> PayloadSource:
        """The payload of a delegate, to be read in parts."""
        inline = self._inline(reference)
        if inline is not None:
            return PayloadSource.of(inline, self._named_data)
        lies = self.program.segments[self._segment(reference.index)]
        start = self._base + lies.offset

        def read_at(offset: int, size: int) -> bytes:
            return self._source.read_at(start + offset, max(0, min(size, lies.size - offset)))

        return PayloadSource(lies.size, read_at, self._named_data)

    def _named_data(self, key: str, size: int) -> bytes | None:
        """The first bytes of named data; None if the file has no data of that name."""
        segment = self._named_segments.get(key)
        if segment is None:
            return None
        lies = self.program.segments[self._segment(segment)]
        return self._source.read_at(self._base + lies.offset, min(size, lies.size))

    @cached_property
    def _named_segments(self) -> dict[str, int]:
        return {one.key: one.segment_index for one in self.program.named_data}

    def named_bytes(self, segment: int) -> int:
        """How large a named blob is."""
        return self.program.segments[self._segment(segment)].size

    def named_checksum(self, segment: int) -> int:
        """The CRC-32 of a named blob."""
        lies = self.program.segments[self._segment(segment)]
        return checksum_at(self._source.read_at, self._base + lies.offset, lies.size)

    def tensor_checksum(self, tensor: Tensor, size: int) -> int:
        """The CRC-32 of the `size` bytes that a tensor has in this file."""
        where = self._data_of(tensor, size)
        if isinstance(where, memoryview):
            return zlib.crc32(where[:size])
        return checksum_at(self._source.read_at, where, size)

    def tensor_data(self, tensor: Tensor, size: int) -> bytes:
        """The `size` bytes that a tensor has in this file; it must have some (`has_data`)."""
        where = self._data_of(tensor, size)
        return bytes(where[:size]) if isinstance(where, memoryview) else self._source.read_at(where, size)

    def check_data(self, tensor: Tensor, size: int) -> None:
        """Make sure that those bytes are there, without reading them."""
        self._data_of(tensor, size)

    def _inline(self, reference: BackendDelegateDataReference) -> memoryview | None:
        """A backend's blob where it is in the program itself; None where it is a segment."""
        if reference.location != DataLocation.INLINE:
            return None
        inline = self.program.backend_delegate_data
        if reference.index < len(inline):
            return inline[reference.index].data
        raise Corrupt(f"it names inline data {reference.index}, and there are {len(inline)}")

    def _data_of(self, tensor: Tensor, size: int) -> memoryview | int:
        """A tensor's data: inline, or where in the file."""
        program = self.program
        if tensor.allocation_info is not None:
            extra = tensor.extra_tensor_info
            table = extra.mutable_data_segments_idx if extra else 0
            segments = program.mutable_data_segments
            if table >= len(segments):
                raise Corrupt(f"its data is in mutable segment {table}, and there are {len(segments)}")
            return self._subsegment(segments[table], tensor.data_buffer_idx, size)
        if program.constant_segment and program.constant_segment.offsets:
            return self._subsegment(program.constant_segment, tensor.data_buffer_idx, size)
        index, count = tensor.data_buffer_idx, len(program.constant_buffer)
        if index >= count:
            raise Corrupt(f"its data is in buffer {index}, and there are {count}")
        data = program.constant_buffer[tensor.data_buffer_idx].storage
        if len(data) < size:
            raise Corrupt(f"its data takes {size:,} bytes, its buffer holds {len(data):,}")
        return data

    def _subsegment(self, table: SubsegmentOffsets, index: int, size: int) -> int:
        segment = self.program.segments[self._segment(table.segment_index)]
        if index >= len(table.offsets):
            raise Corrupt(f"its data is in buffer {index}, and there are {len(table.offsets)}")
        offset = table.offsets[index]
        if offset + size > segment.size:
            raise Corrupt(f"its data ends at {offset + size:,} of a segment of {segment.size:,} bytes")
        return self._base + segment.offset + offset

    def _segment(self, index: int) -> int:
        if index >= len(self.program.segments):
            raise Corrupt(f"it names segment {index}, and there are {len(self.program.segments)}")
        return index

    def _check_segments(self) -> None:
        for number, segment in enumerate(self.program.segments):
            end = self._base + segment.offset + segment.size
            if end > self._source.size:
                reason = f"it ends at {end:,}, the file after {self._source.size:,} bytes"
                raise Corrupt(reason, TruncatedFile).within(f"segments[{number}]")


def has_data(tensor: Tensor) -> bool:
    """Whether the file holds a tensor's elements: a constant's, or a buffer's initial ones."""
    return tensor.data_buffer_idx > 0 and not is_external(tensor)


def is_external(tensor: Tensor) -> bool:
    """Whether a tensor's elements are in another file, found there by the tensor's name."""
    extra = tensor.extra_tensor_info
    return extra is not None and extra.location == TensorDataLocation.EXTERNAL


def is_constant(tensor: Tensor) -> bool:
    """Whether a tensor is a weight: data and no place in an arena."""
    return tensor.allocation_info is None and (has_data(tensor) or is_external(tensor))


def _header(source: Source) -> tuple[int, int]:
    """The size of the program and where segments begin; a file without extended header is all program."""
    head = source.read_at(0, 8 + _HEADER.size + _SEGMENTS_SIZE.size)
    if len(head) < 8:
        raise Corrupt(f"it ends after {len(head)} bytes, before its header", TruncatedFile)
    magic = head[4:8]
    if magic != FILE_IDENTIFIER:
        if magic[:2] == FILE_IDENTIFIER[:2]:
            hint = upgrade_hint() if magic > FILE_IDENTIFIER else ""
            raise Corrupt(
                f"its format is {magic!r}, and {FILE_IDENTIFIER!r} is known", UnsupportedVersion, hint
            )
        raise Corrupt(OTHER_FILES.get(magic[:2], "it does not begin as a .pte file does"), UnknownFormat)
    program_size, base = source.size, 0
    if head[8:12] == EXTENDED_HEADER:
        if len(head) < 8 + _HEADER.size:
            raise Corrupt(f"it ends after {len(head)} bytes, within its header", TruncatedFile)
        _, length, program_size, base = _HEADER.unpack_from(head, 8)
        if length < _HEADER.size:
            raise Corrupt(f"its extended header claims {length} bytes, the least is {_HEADER.size}")
        data_end = base
        if length >= _HEADER.size + _SEGMENTS_SIZE.size and len(head) >= 8 + length:
            data_end += _SEGMENTS_SIZE.unpack_from(head, 8 + _HEADER.size)[0]
        if max(program_size, data_end) > source.size:
            end = max(program_size, data_end)
            raise Corrupt(f"it ends after {source.size:,} bytes, its header claims {end:,}", TruncatedFile)
    if program_size > MAX_PROGRAM_BYTES:
        reason = f"its program takes {program_size:,} bytes, the limit is {MAX_PROGRAM_BYTES:,}"
        raise Corrupt(reason, FileTooLarge)
    if program_size < 8:
        raise Corrupt(f"its header claims a program of {program_size} bytes")
    return program_size, base
