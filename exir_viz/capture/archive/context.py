"""Which file and which member are being read: whoever finds something wrong raises it from here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import msgspec

from exir_viz.errors import FileTooLarge, MalformedFile

T = TypeVar("T")
Source = bytes | str | msgspec.Raw


@dataclass(frozen=True, slots=True)
class Place:
    """A member of a file, and within it the node that is being read, for the error that names them."""

    file: str
    member: str
    node: str = ""

    def at(self, node: str) -> Place:
        return Place(self.file, self.member, node)

    def malformed(self, reason: str) -> MalformedFile:
        return MalformedFile(self.file, self._with_node(reason), member=self.member)

    def too_large(self, reason: str) -> FileTooLarge:
        return FileTooLarge(self.file, self._with_node(reason), member=self.member)

    def decode(self, decoder: Callable[[Source], T], data: Source, what: str) -> T:
        """Decode JSON; what does not follow the schema is the file's fault."""
        try:
            return decoder(data)
        except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
            raise self.malformed(f"{what} does not follow torch's schema: {error}") from error

    def one(self, union: dict[str, T], what: str) -> tuple[str, T]:
        """The one member of a union."""
        if len(union) != 1:
            raise self.malformed(f"{what} is to have one kind, not {len(union)}")
        return next(iter(union.items()))

    def _with_node(self, reason: str) -> str:
        return f"at node {self.node!r}, {reason}" if self.node else reason
