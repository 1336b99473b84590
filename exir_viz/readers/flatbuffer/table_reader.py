"""Bytes of a flatbuffer → tables of the schema: bounds-checked, counted, nothing executed.

A table begins with the distance back to its vtable, which says where in the table each field is (0:
absent). Offsets to strings, vectors and tables are unsigned, so they only lead forward. Every reach is
checked against the buffer before it is made, and what is read is counted against `limits`.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, TypeVar

from exir_viz.errors import FileTooLarge, UnsupportedVersion
from exir_viz.upgrade_hint import upgrade_hint

from .corrupt import Corrupt
from .limits import MAX_RECORDS, MAX_REREAD
from .schema import Table
from .table_layouts import Field, Kind, layout_of

T = TypeVar("T", bound=Table)

_U32 = struct.Struct("<I")
_I32 = struct.Struct("<i")
_WIDTH = {letter: struct.calcsize("<" + letter) for letter in "bBhHiIqQfd?"}


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where a vtable puts the fields: one struct that reads all, then what is done with each number read.

    `present` holds, in the order of the struct, the field's index among the schema's, its offset and itself;
    a union's two parts have one entry, whose `tag` is where the struct left the member's number.
    """

    size: int
    unpack: struct.Struct
    present: tuple[tuple[int, int, int, int, Field], ...]


class TableReader:
    """Reads the tables of one buffer."""

    def __init__(self, data: memoryview) -> None:
        self._data = data
        self._size = len(data)
        self._layouts: dict[tuple[int, type[Table]], _Layout] = {}
        self._bytes_left = MAX_REREAD * self._size
        self._records_left = MAX_RECORDS
        # Fields that a newer ExecuTorch wrote and the schema does not name: (table, field id).
        self.unknown: set[tuple[str, int]] = set()

    def root(self, table: type[T]) -> T:
        """The table that the buffer's first four bytes lead to."""
        return self._table(table, self._follow(0))

    def _table(self, table: type[T], at: int) -> T:
        layout = self._layout(table, at)
        if at + layout.size > self._size:
            raise Corrupt(f"a table of {layout.size} bytes at {at} ends past the end")
        self._spend(layout.size, 1)
        numbers = layout.unpack.unpack_from(self._data, at)
        values = list(layout_of(table).defaults)
        for index, number, tag, offset, field in layout.present:
            if field.kind is Kind.SCALAR:
                values[index] = numbers[number]
                continue
            try:
                member = numbers[tag] if field.kind is Kind.UNION else 1
                values[index] = self._value(field, at + offset, member)
            except Corrupt as error:
                raise error.within(f".{field.name}") from None
        return table(*values)

    def _value(self, field: Field, at: int, member: int) -> Any:
        if field.kind is Kind.UNION and not 0 <= member <= len(field.tables):
            reason = f"it is of kind {member}, and kinds 1 to {len(field.tables)} are known"
            raise Corrupt(reason, UnsupportedVersion, upgrade_hint())
        if member == 0:
            return None
        start = self._follow(at)
        match field.kind:
            case Kind.TABLE | Kind.UNION:
                return self._table(field.tables[member - 1], start)
            case Kind.TABLES:
                return self._tables(field.tables[0], start)
            case Kind.SCALARS:
                return self._scalars(field.letter, start)
            case Kind.STRING:
                return self._string(start)
            case _:
                first, count = self._vector(start, 1)
                return self._data[first : first + count]

    def _tables(self, table: type[T], start: int) -> tuple[T, ...]:
        first, count = self._vector(start, 4)
        self._spend(4 * count, count)
        found: list[T] = []
        try:
            for at in range(first, first + 4 * count, 4):
                found.append(self._table(table, self._follow(at)))  # noqa: PERF401 (its length is the index)
        except Corrupt as error:
            raise error.within(f"[{len(found)}]") from None
        return tuple(found)

    def _scalars(self, letter: str, start: int) -> tuple[Any, ...]:
        width = _WIDTH[letter]
        first, count = self._vector(start, width)
        self._spend(width * count, count)
        return struct.unpack_from(f"<{count}{letter}", self._data, first)

    def _string(self, start: int) -> str:
        first, count = self._vector(start, 1)
        self._spend(count, 1)
        try:
            return str(self._data[first : first + count], "utf-8")
        except UnicodeDecodeError as error:
            raise Corrupt(f"its text is not UTF-8 ({error.reason} at byte {error.start})") from None

    def _vector(self, start: int, width: int) -> tuple[int, int]:
        """Where a vector's elements begin and how many there are."""
        if start + 4 > self._size:
            raise Corrupt(f"a vector at {start} begins past the end")
        count = _U32.unpack_from(self._data, start)[0]
        if start + 4 + count * width > self._size:
            raise Corrupt(f"a vector of {count:,} elements at {start} ends past the end")
        return start + 4, count

    def _follow(self, at: int) -> int:
        if at + 4 > self._size:
            raise Corrupt(f"an offset at {at} is past the end")
        offset = _U32.unpack_from(self._data, at)[0]
        if offset == 0 or at + offset + 4 > self._size:
            raise Corrupt(f"an offset at {at} leads to {at + offset:,}, of {self._size:,} bytes")
        return at + int(offset)

    def _layout(self, table: type[Table], at: int) -> _Layout:
        vtable = at - _I32.unpack_from(self._data, at)[0]
        layout = self._layouts.get((vtable, table))
        if layout is None:
            layout = self._layouts[vtable, table] = self._read_vtable(table, at, vtable)
        return layout

    def _read_vtable(self, table: type[Table], at: int, vtable: int) -> _Layout:
        if not 0 <= vtable <= self._size - 4:
            raise Corrupt(f"the vtable of the table at {at} would be at {vtable:,}")
        length, size = struct.unpack_from("<HH", self._data, vtable)
        if length < 4 or length % 2 or vtable + length > self._size or size < 4:
            raise Corrupt(f"the vtable at {vtable} is not one ({length} bytes, of a table of {size})")
        offsets = struct.unpack_from(f"<{(length - 4) // 2}H", self._data, vtable + 4)
        shape = layout_of(table)
        self._spend(length, 1)
        self.unknown.update(
            (table.__name__, slot) for slot in range(shape.slots, len(offsets)) if offsets[slot]
        )
        return _layout_of(shape.fields, offsets, size)

    def _spend(self, size: int, records: int) -> None:
        self._bytes_left -= size
        self._records_left -= records
        if self._bytes_left < 0:
            raise Corrupt("its parts refer to the same bytes over and over", FileTooLarge)
        if self._records_left < 0:
            raise Corrupt(f"it has more than {MAX_RECORDS:,} parts", FileTooLarge)


def _layout_of(fields: tuple[Field, ...], offsets: tuple[int, ...], size: int) -> _Layout:
    """One struct for a whole table, fields in the order of their offsets."""
    parts: list[
        tuple[int, str, int, bool]
    ] = []  # offset, letter, index of the field, whether it is a union's tag
    for index, field in enumerate(fields):
        letters = "BI" if field.kind is Kind.UNION else field.letter if field.kind is Kind.SCALAR else "I"
        found = [
            offsets[slot] if slot < len(offsets) else 0
            for slot in range(field.slot, field.slot + len(letters))
        ]
        if field.kind is Kind.UNION and found[0] and not found[1]:
            raise Corrupt("it has the type of a value, but no value").within(f".{field.name}")
        if all(found):
            parts += [
                (offset, letter, index, len(letters) == 2 and letter == "B")
                for offset, letter in zip(found, letters, strict=True)
            ]
    parts.sort()
    form, end = "<", 0
    places: dict[int, list[int]] = {}
    for number, (offset, letter, index, is_tag) in enumerate(parts):
        width = _WIDTH[letter]
        if offset < max(end, 4) or offset + width > size:
            raise Corrupt(f"a field of {width} bytes cannot be at {offset}").within(f".{fields[index].name}")
        form += f"{offset - end}x{letter}"
        end = offset + width
        place = places.setdefault(index, [0, 0, 0])
        if is_tag:
            place[1] = number
        else:
            place[0], place[2] = number, offset
    present = tuple(
        (index, number, tag, offset, fields[index]) for index, (number, tag, offset) in sorted(places.items())
    )
    return _Layout(size, struct.Struct(form), present)
