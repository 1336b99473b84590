"""Snapshot ↔ bytes: the `.exirviz` file, which is also what is sent to a page.

Layout: 8 bytes of magic, 4 bytes header length (big-endian), a JSON header that names schema and sections,
then the sections, each a zlib stream of JSON: `skeleton`, `detail`, `page` (what only pages need), in a page
its `reports`, and in a session the other stages. A reader of Snapshots skips all but the first two, so that
pages can change without a new schema. The same Snapshot gives the same bytes. No file is trusted: sizes are
limited before anything is unpacked, and every number is checked against its table, so that later readers
meet no dangling reference.
"""

from __future__ import annotations

import re
import stat
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeVar

import msgspec

from exir_viz.errors import (
    FileTooLarge,
    MalformedFile,
    TruncatedFile,
    UnknownFormat,
    UnsupportedVersion,
)
from exir_viz.upgrade_hint import upgrade_hint

from .columns import PAGE_VERSION, SCHEMA, Detail, PageData, PageSkeleton, Skeleton
from .delegation import delegation_of
from .memory import memory_of
from .placement import placements_of
from .program_state import program_state
from .records import Record
from .schema_upgrade import upgrade
from .snapshot import Snapshot
from .symbol_names import in_user_names
from .validate import number_problem, problem

# The section that Python derives and never reads.
PAGE = "page"
# The tree of a session's stages; only a session's file has it.
STAGES = "stages"

MAGIC = b"EXIRVIZ\n"
MAX_HEADER_BYTES = 1 << 16
MAX_SECTION_BYTES = 1 << 30
MAX_FILE_BYTES = 1 << 30
# Snapshots of repeated layers pack 30 to 1; a larger stream that claims 200 to one is a bomb.
MAX_RATIO = 200
SMALL_BYTES = 16 << 20
# What decoded JSON may take in memory: some, and these bytes for each byte in the file. A program of 10,000
# nodes takes 108, all others in the tests take less.
SMALL_DECODED = 64 << 20
MAX_DECODED_RATIO = 250
# Nodes of the largest program that a page analyzes, and compares, without being asked; some 0.1 ms a node.
MOST_NODES = 20_000
# 4 packs the skeletons of the corpus within 6 % of level 9 in a third of its time.
LEVEL = 4

_T = TypeVar("_T")
_encoder = msgspec.json.Encoder()
# Only such numbers can be too large; looking for them in the JSON is faster than in the records.
_LONG_NUMBER = re.compile(rb"\d{16}")


class Section(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One section of the file: packed and unpacked sizes in bytes, and the CRC-32 of the unpacked."""

    name: str
    packed: int
    bytes: int
    crc32: int


class Header(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The first part of a file: its format and schema."""

    schema: int
    sections: tuple[Section, ...]


def page_data(snapshot: Snapshot) -> PageData:
    """Everything else that a page shows, derived here so that the page derives nothing."""
    from exir_viz.reports.rules.edge_dtypes import edge_dtypes

    large = is_large(snapshot)
    return PageData(
        PAGE_VERSION,
        placements_of(snapshot),
        delegation_of(snapshot),
        tuple(memory_of(method) for method in in_user_names(snapshot).methods.values()),
        () if large else edge_dtypes(snapshot),
        program_state(snapshot),
        large,
    )


def is_large(snapshot: Snapshot) -> bool:
    """Whether analyses of a program take too long for a page to make them unasked."""
    return sum(map(len, snapshot.graphs)) > MOST_NODES


def encode_skeleton(snapshot: Snapshot) -> bytes:
    """The skeleton with the page data, packed: what a page needs before it can draw."""
    skeleton = PageSkeleton(**msgspec.structs.asdict(snapshot.skeleton), page=page_data(snapshot))
    return zlib.compress(_encoder.encode(skeleton), LEVEL)


def encode_detail(snapshot: Snapshot) -> bytes:
    """The detail alone, packed: what a page asks for once it has drawn."""
    return zlib.compress(_encoder.encode(snapshot.detail), LEVEL)


def encode(snapshot: Snapshot, more: Mapping[str, object] | None = None) -> bytes:
    """The whole file; `more`: sections that only pages have, by name."""
    return encode_sections({**snapshot_sections(snapshot), **(more or {})}, snapshot.schema)


def snapshot_sections(snapshot: Snapshot) -> dict[str, Record]:
    """The sections of a file that begins with this Snapshot."""
    return {"skeleton": snapshot.skeleton, "detail": snapshot.detail, PAGE: page_data(snapshot)}


def encode_sections(sections: Mapping[str, object], schema: int) -> bytes:
    """A file of any sections, each a record or records."""
    raw = {name: _encoder.encode(section) for name, section in sections.items()}
    packed = {name: zlib.compress(data, LEVEL) for name, data in raw.items()}
    described = tuple(
        Section(name, len(packed[name]), len(data), zlib.crc32(data)) for name, data in raw.items()
    )
    header = _encoder.encode(Header(schema, described))
    return b"".join([MAGIC, len(header).to_bytes(4, "big"), header, *packed.values()])


def read(path: Path) -> Snapshot:
    """Read a `.exirviz` file; raises a FileError that names the file and its part."""
    return decode(read_bytes(path), path.name)


def check_regular(path: Path) -> None:
    """Raise UnknownFormat for a folder, and for a pipe, a socket or a device: reading from these could wait
    for ever.
    """
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise UnknownFormat(
            path.name or str(path), "it is a folder, not a file", hint="Pass the path of a file in it."
        )
    if not stat.S_ISREG(mode):
        raise UnknownFormat(
            path.name,
            "it is a pipe, a socket or a device, not a file",
            hint="Write what comes from it to a file, and open that.",
        )


def is_session(path: Path) -> bool:
    """Whether a file is a `.exirviz` file of a session. Raises a FileError for one that is damaged."""
    return path.suffix == ".exirviz" and STAGES in Sections(read_bytes(path), path.name)


def read_bytes(path: Path) -> bytes:
    """The bytes of a file that is not too large."""
    check_regular(path)
    size = path.stat().st_size
    if size > MAX_FILE_BYTES:
        raise FileTooLarge(path.name, f"it has {size:,} bytes, the limit is {MAX_FILE_BYTES:,}")
    return path.read_bytes()


def decode(data: bytes, file: str = "bytes") -> Snapshot:
    """Bytes → Snapshot; an older schema is upgraded, a newer one refused."""
    return Sections(data, file).snapshot()


class Sections:
    """The sections of a file; each is unpacked and checked when it is asked for."""

    def __init__(self, data: bytes, file: str) -> None:
        if not data:
            raise TruncatedFile(file, "it is empty")
        if data[: len(MAGIC)] != MAGIC:
            raise UnknownFormat(file, "it does not begin as a .exirviz file does")
        self._data, self._file = data, file
        header, start = _header(data, file)
        if header.schema > SCHEMA:
            raise UnsupportedVersion(
                file,
                f"it was written in schema {header.schema}, and this exir_viz reads up to {SCHEMA}",
                hint=upgrade_hint(),
            )
        self._schema = header.schema
        # Of the sections that were decoded: their bytes in the file, and in memory.
        self._packed = self._decoded = 0
        # By name of a section: where it begins, and its entry of the header.
        self.places: dict[str, tuple[int, Section]] = {}
        for section in header.sections:
            if section.packed < 0 or section.name in self.places:
                reason = "it has two sections of one name, or one of less than no bytes"
                raise MalformedFile(file, reason, member=section.name)
            self.places[section.name] = (start, section)
            start += section.packed
            if start > len(data):
                raise TruncatedFile(
                    file, f"it ends {start - len(data):,} bytes too early", member=section.name
                )

    @property
    def unpacked(self) -> int:
        """How many bytes all sections claim to unpack to."""
        return sum(section.bytes for _, section in self.places.values())

    def __contains__(self, name: str) -> bool:
        return name in self.places

    def raw(self, name: str) -> bytes:
        """A section's JSON."""
        if name not in self.places:
            raise MalformedFile(self._file, f"it has no section {name!r}")
        start, section = self.places[name]
        return _unpack(self._data[start : start + section.packed], section, self._file)

    def json(self, name: str) -> bytes:
        """A section's JSON, which is not too much to decode, with all that was decoded before."""
        raw = self.raw(name)
        self._packed += self.places[name][1].packed
        self._decoded += decoded_bytes(raw)
        check_decoded(self._decoded, self._packed, self._file, name)
        return raw

    def record(self, name: str, type: Callable[..., _T]) -> _T:
        """A section as the record that it should be."""
        return decode_json(self.json(name), type, self._file, name)

    def snapshot(self, prefix: str = "") -> Snapshot:
        """The Snapshot of two sections, upgraded and with every number checked."""
        raw = {name: self.json(prefix + name) for name in ("skeleton", "detail")}
        if self._schema < SCHEMA:
            raw = upgrade(raw, self._schema, self._file)
        skeleton = decode_json(raw["skeleton"], Skeleton, self._file, prefix + "skeleton")
        detail = decode_json(raw["detail"], Detail, self._file, prefix + "detail")
        if why := problem(skeleton, detail):
            raise MalformedFile(self._file, why)
        return Snapshot(skeleton, detail)


def _header(data: bytes, file: str) -> tuple[Header, int]:
    start = len(MAGIC) + 4
    if len(data) < start:
        raise TruncatedFile(file, f"it ends after {len(data)} bytes, before its header")
    size = int.from_bytes(data[len(MAGIC) : start], "big")
    if size > MAX_HEADER_BYTES:
        raise FileTooLarge(file, f"its header claims {size:,} bytes, the limit is {MAX_HEADER_BYTES:,}")
    if len(data) < start + size:
        raise TruncatedFile(file, f"it ends after {len(data)} bytes, within its header")
    return decode_json(data[start : start + size], Header, file, "header"), start + size


def _unpack(packed: bytes, section: Section, file: str) -> bytes:
    most = max(SMALL_BYTES, MAX_RATIO * section.packed)
    if not 0 <= section.bytes <= min(MAX_SECTION_BYTES, most):
        raise FileTooLarge(
            file,
            f"it claims to unpack from {section.packed:,} to {section.bytes:,} bytes",
            member=section.name,
        )
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(packed, section.bytes + 1)
    except zlib.error as error:
        raise MalformedFile(file, f"it is not a zlib stream ({error})", member=section.name) from error
    if len(raw) != section.bytes or zlib.crc32(raw) != section.crc32:
        raise MalformedFile(file, "its contents do not match their checksum", member=section.name)
    return raw


def decoded_bytes(raw: bytes) -> int:
    """About how much memory the records, lists and values of some JSON take."""
    return 250 * raw.count(b"{") + 64 * raw.count(b"[") + 40 * raw.count(b",") + len(raw)


def check_decoded(decoded: int, packed: int, file: str, member: str = "") -> None:
    """Raise FileTooLarge if JSON of so many bytes in the file takes too much memory."""
    most = SMALL_DECODED + MAX_DECODED_RATIO * packed
    if decoded > most:
        raise FileTooLarge(
            file, f"decoding it would take {decoded:,} bytes, the limit is {most:,}", member=member
        )


def decode_json(raw: bytes, type: Callable[..., _T], file: str, member: str = "") -> _T:
    """JSON as a record; raises MalformedFile if it is none, or has a number that JavaScript reads wrongly."""
    try:
        record = msgspec.json.decode(raw, type=type)
    except (msgspec.DecodeError, RecursionError, UnicodeError) as error:
        raise MalformedFile(file, f"it does not follow the schema: {error}", member=member) from error
    if _LONG_NUMBER.search(raw) and (why := number_problem(record)):
        raise MalformedFile(file, why, member=member)
    return record  # type: ignore[no-any-return]
