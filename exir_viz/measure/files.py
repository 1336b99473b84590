"""Read and write the `.exirprofile` file of a Profile.

Layout: 8 bytes of magic, then the length of the record in 8 bytes (big-endian), the record as a zlib stream
of JSON, and the Snapshot as a `.exirviz` file. No pickle. A file is not trusted: sizes are limited, columns
must have one length, and every node must be in the Snapshot.
"""

from __future__ import annotations

import os
import zlib

import msgspec

from exir_viz.errors import FileTooLarge, MalformedFile, TruncatedFile, UnknownFormat, UnsupportedVersion
from exir_viz.options import path as path_of
from exir_viz.readers.files import PROFILE_MAGIC
from exir_viz.snapshot import Snapshot, wire
from exir_viz.upgrade_hint import upgrade_hint

from .profile import Profile
from .records import BASES, SCHEMA, UNKNOWN, ProfileRecord

MAGIC = PROFILE_MAGIC
MAX_RECORD_BYTES = 1 << 28
_LENGTH = 8
_RECORD = "record"


class _Head(msgspec.Struct):
    """The part of a record that is read first: its schema."""

    schema: int


def encode(profile: Profile) -> bytes:
    """The whole file: the same Profile gives the same bytes."""
    record = zlib.compress(encode_record(profile), wire.LEVEL)
    return b"".join([MAGIC, len(record).to_bytes(_LENGTH, "big"), record, wire.encode(profile.snapshot)])


def encode_record(profile: Profile) -> bytes:
    """The record as JSON, for a page that already has the Snapshot."""
    return msgspec.json.encode(profile.record)


def read(path: str | os.PathLike[str]) -> Profile:
    """Read a `.exirprofile` file; raises a FileError that says what is wrong with it."""
    path = path_of("load", path, "profile.save(path) writes a .exirprofile file.")
    wire.check_regular(path)
    size = path.stat().st_size
    if size > wire.MAX_FILE_BYTES:
        raise FileTooLarge(path.name, f"it has {size:,} bytes, the limit is {wire.MAX_FILE_BYTES:,}")
    return decode(path.read_bytes(), path.name)


def decode(data: bytes, file: str = "bytes") -> Profile:
    """Bytes → Profile."""
    if data[: len(MAGIC)] != MAGIC:
        raise UnknownFormat(file, "it does not begin as a .exirprofile file does")
    start = len(MAGIC) + _LENGTH
    stop = start + int.from_bytes(data[len(MAGIC) : start], "big")
    if len(data) < start or len(data) < stop:
        raise TruncatedFile(file, f"it ends after {len(data):,} bytes, within its record")
    raw = _unpacked(data[start:stop], file)
    wire.check_decoded(wire.decoded_bytes(raw), stop - start, file)
    record = _record(raw, file)
    snapshot = wire.decode(data[stop:], file)
    if why := problem(record, snapshot):
        raise MalformedFile(file, why)
    return Profile(record, snapshot)


def problem(record: ProfileRecord, snapshot: Snapshot) -> str:
    """The contradiction in a record, as a sentence; "" if there is none."""
    columns = msgspec.structs.asdict(record.columns)
    lengths = {len(column) for column in columns.values()}
    if len(lengths) > 1:
        return f"its columns have {', '.join(map(str, sorted(lengths)))} entries, and must have the same"
    if record.method not in snapshot.methods:
        return f"it is of the method {record.method!r}, which its Snapshot does not have"
    if not all(0 <= basis < len(BASES) for basis in record.columns.basis):
        return "it has an unknown basis"
    for name, numbers in columns.items():
        wrong = next((one for one in numbers if name != "nodes" and one < UNKNOWN), None)
        if wrong is not None:
            return f"its column {name!r} has {wrong:,}, which is neither a count nor {UNKNOWN}, not known"
    known = {f"{graph.path}/{name}" for graph in snapshot.graphs for name in graph.columns.names}
    unknown = next((name for name in record.columns.nodes if name not in known), None)
    return "" if unknown is None else f"it has costs of {unknown!r}, which its Snapshot does not have"


def _unpacked(packed: bytes, file: str) -> bytes:
    unpacker = zlib.decompressobj()
    try:
        raw = unpacker.decompress(
            packed, min(MAX_RECORD_BYTES, max(wire.SMALL_BYTES, wire.MAX_RATIO * len(packed)))
        )
    except zlib.error as error:
        raise MalformedFile(file, f"its record is not a zlib stream ({error})") from error
    if unpacker.unconsumed_tail:
        raise FileTooLarge(file, f"its record unpacks to more than {len(raw):,} bytes")
    return raw


def _record(raw: bytes, file: str) -> ProfileRecord:
    schema = wire.decode_json(raw, _Head, file, _RECORD).schema
    if schema <= SCHEMA:
        return wire.decode_json(raw, ProfileRecord, file, _RECORD)
    raise UnsupportedVersion(
        file,
        f"it was written in schema {schema}, and this exir_viz reads up to {SCHEMA}",
        hint=upgrade_hint(),
    )
