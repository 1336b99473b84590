"""Which file, member and node are being read, and how many records may still be created.

Readers raise errors through the context, so that every error names its place. They also count each record
there, so that the number of records from one file is limited.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

import msgspec

from exir_viz.errors import FileTooLarge, MalformedFile
from exir_viz.readers.archive import limits
from exir_viz.snapshot.format import plural

T = TypeVar("T")
Source = bytes | str | msgspec.Raw

_MAX_SHOWN = 80
# A string, which is passed over, or a number that JSON does not have.
_STRING_OR_NUMBER = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|-?\bInfinity\b|\bNaN\b', re.DOTALL)


@dataclass(slots=True)
class Budget:
    """How much of each limit for the whole file is left."""

    records: int = limits.MAX_RECORDS
    expression_chars: int = limits.MAX_EXPRESSION_CHARS
    names: int = limits.MAX_NAMES_TRIED
    pickle_steps: int = limits.MAX_PICKLE_STEPS


@dataclass(frozen=True, slots=True)
class MemberPlace:
    """A member of a file, and within it the node that is being read."""

    file: str
    member: str
    budget: Budget = field(default_factory=Budget)
    node: str = ""

    def at(self, node: str) -> MemberPlace:
        return MemberPlace(self.file, self.member, self.budget, node)

    def malformed(self, reason: str) -> MalformedFile:
        return MalformedFile(self.file, self._with_node(reason), member=self.member)

    def too_large(self, reason: str) -> FileTooLarge:
        return FileTooLarge(self.file, self._with_node(reason), member=self.member)

    def spend(self, records: int) -> None:
        """Account for records about to be made."""
        self.budget.records -= records
        if self.budget.records < 0:
            raise self.too_large(f"it has more than {limits.MAX_RECORDS:,} records")

    def spend_expression(self, chars: int) -> None:
        """Account for the text of an expression about to be read or written."""
        self.budget.expression_chars -= chars
        if self.budget.expression_chars < 0:
            raise self.too_large(
                f"its symbolic expressions have more than {limits.MAX_EXPRESSION_CHARS:,} characters"
            )

    def spend_name(self) -> None:
        """Account for a name that was tried and is taken."""
        self.budget.names -= 1
        if self.budget.names < 0:
            raise self.too_large("its names collide too often")

    def decode(self, decoder: Callable[[Source], T], data: Source, what: str) -> T:
        """Decode JSON; what does not follow the schema is the file's fault."""
        try:
            return decoder(data)
        except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
            raise self.malformed(f"{what} does not follow torch's schema: {error}") from error

    def one(self, union: dict[str, T], what: str) -> tuple[str, T]:
        """The one member of a union."""
        if len(union) != 1:
            raise self.malformed(f"{what} must have one kind, not {len(union)}")
        return next(iter(union.items()))

    def _with_node(self, reason: str) -> str:
        return f"at node {brief(self.node)}, {reason}" if self.node else reason


def brief(text: str) -> str:
    """A text that a file brings, as an error shows it: quoted, escaped, of bounded length."""
    return repr(text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1]}…")


def quote_numbers(data: bytes) -> bytes:
    """JSON whose NaN and infinities are strings: torch up to 2.6 leaves them bare, as Python writes them."""
    return _STRING_OR_NUMBER.sub(_quoted, data)


def _quoted(found: re.Match[bytes]) -> bytes:
    text = found[0]
    return text if text.startswith(b'"') else b'"%b"' % text


def check_separators(data: bytes, packed: int, place: MemberPlace) -> bytes:
    """JSON is decoded at once, so how much it can decode to is bounded by its commas.

    packed: the bytes that it takes in the file.
    """
    commas = data.count(b",")
    most = min(limits.MAX_SEPARATORS, limits.SMALL_SEPARATORS + limits.SEPARATORS_PER_BYTE * packed)
    if commas > most:
        raise place.too_large(f"it has {plural(commas, 'value')}, and at most {most:,} are read")
    return data
