"""The source of a payload: its bytes, read in parts, and data that it refers to by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


def _no_data(_key: str, _size: int) -> None:
    return None


@dataclass(frozen=True, slots=True)
class PayloadSource:
    """A payload.

    Attributes
    ----------
    size
        Its bytes.
    read_at
        Reads some of them: `read_at(offset, size)`. It returns fewer bytes past the end.
    named_data
        Reads the first bytes of data that the payload names and the program keeps: `named_data(key, size)`.
        None if the program has no data of that name.
    """

    size: int
    read_at: Callable[[int, int], bytes]
    named_data: Callable[[str, int], bytes | None] = _no_data

    @classmethod
    def of(
        cls, data: bytes | memoryview, named_data: Callable[[str, int], bytes | None] = _no_data
    ) -> PayloadSource:
        """A payload in memory."""
        view = memoryview(data)
        return cls(len(view), lambda offset, size: bytes(view[offset : offset + size]), named_data)
