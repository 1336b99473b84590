"""Checksums of state: the CRC-32 of a tensor's elements, each once, in the order in which they lie in memory.

The same weight has the same checksum in a live program, in a `.pt2` and in a `.pte`. The directory of a
`.pt2` has a checksum of each storage, so no storage is read. Checksums of two tensors cannot be compared if
the order of their dimensions in memory differs. Knows no torch.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from itertools import product
from math import prod
from typing import Final, NamedTuple

from exir_viz.snapshot.build import SnapshotBuilder
from exir_viz.snapshot.format import byte_text
from exir_viz.snapshot.program import UNSUMMED

from .tensor_elements import Strided

# What is read for checksums while someone waits for a picture: a tenth of a second.
MAX_BYTES: Final = 128 << 20
# Pieces in which a tensor may lie: a view of some columns is a piece for each row.
MAX_PIECES: Final = 1 << 16
# Bytes that are read from a file at a time.
_CHUNK: Final = 16 << 20


class Allowance:
    """How many bytes may be read for checksums, and what was refused."""

    def __init__(self, limit: float = MAX_BYTES) -> None:
        self._left = limit
        self.refused = 0
        self.refused_bytes = 0

    def take(self, size: int) -> bool:
        """Whether that many may be read; those that may not are counted."""
        if size > self._left:
            self.refused += 1
            self.refused_bytes += size
            return False
        self._left -= size
        return True

    def add_notice(self, builder: SnapshotBuilder) -> None:
        """Say in the Snapshot what was not read."""
        if self.refused:
            builder.notice(
                UNSUMMED,
                f"{self.refused:,} weights or delegates of {byte_text(self.refused_bytes)} have no checksum: "
                f"more than {byte_text(MAX_BYTES)} is read only to compare two programs.",
            )


class PackedPieces(NamedTuple):
    """A tensor as pieces without a gap: their length, and stride and number of them, outermost first."""

    run: int
    outer: tuple[tuple[int, int], ...]

    @property
    def pieces(self) -> int:
        return prod(count for _, count in self.outer)


def packed(lies: Strided) -> PackedPieces | None:
    """The pieces in which a tensor lies; None where elements lie in one another's place."""
    if 0 in lies.shape:
        return PackedPieces(0, ())
    dims = [
        (step, count) for count, step in zip(lies.shape, lies.stride, strict=True) if count != 1 and step != 0
    ]
    dims.sort(reverse=True)
    run = 1
    while dims and dims[-1][0] == run:
        run *= dims.pop()[1]
    reach = run - 1
    for step, count in reversed(dims):
        if step <= reach:
            return None
        reach += step * (count - 1)
    return PackedPieces(run, tuple(dims))


def fills(lies: Strided, item: int, size: int) -> bool:
    """Whether the tensor is its whole storage of `size` bytes, so that the storage's checksum is its own."""
    whole = packed(lies)
    return whole is not None and not whole.outer and lies.offset == 0 and whole.run * item == size


def checksum(data: bytes | memoryview, lies: Strided, item: int) -> int | None:
    """The checksum of the tensor that lies so in `data`; None where it lies in too many pieces, or beyond."""
    found = packed(lies)
    if found is None or found.pieces > MAX_PIECES or lies.reach * item > len(data):
        return None
    view, length, crc = memoryview(data), found.run * item, 0
    for indices in product(*(range(count) for _, count in found.outer)):
        at = lies.offset + sum(index * step for index, (step, _) in zip(indices, found.outer, strict=True))
        crc = zlib.crc32(view[at * item : at * item + length], crc)
    return crc


def checksum_at(read_at: Callable[[int, int], bytes], offset: int, size: int) -> int:
    """The checksum of a stretch of a file, read a part at a time."""
    crc = 0
    for start in range(0, size, _CHUNK):
        crc = zlib.crc32(read_at(offset + start, min(_CHUNK, size - start)), crc)
    return crc
