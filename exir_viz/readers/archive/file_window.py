"""A part of a file as a file of its own: an archive within an archive, not copied out of it."""

from __future__ import annotations

from typing import BinaryIO


class FileWindow:
    """Bytes `start` to `start + size` of a handle, as much of a file as Container asks for."""

    def __init__(self, handle: BinaryIO, start: int, size: int) -> None:
        self._handle = handle
        self._start = start
        self._size = size
        self._at = 0

    def seek(self, offset: int, whence: int = 0) -> int:
        """Move; whence is 0 from the start, 1 from here, 2 from the end."""
        self._at = offset + (0, self._at, self._size)[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, size: int) -> bytes:
        """At most `size` bytes, fewer at the end."""
        size = max(0, min(size, self._size - self._at))
        self._handle.seek(self._start + self._at)
        data = self._handle.read(size)
        self._at += len(data)
        return data
