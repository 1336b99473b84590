"""Choose the reader of a file by its first bytes, never by its name. Nothing in a file is executed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from exir_viz.errors import MalformedFile, TruncatedFile, UnknownFormat, naming
from exir_viz.options import path as path_of
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.format import plural
from exir_viz.snapshot.gc_pause import paused
from exir_viz.snapshot.validate import number_problem, problem
from exir_viz.snapshot.wire import MAGIC, check_regular

from .accepted_inputs import is_path, not_loaded

# A zip archive begins with a member, or with its directory when it has none.
_ZIP: Final = (b"PK\x03\x04", b"PK\x05\x06")
# FlatBuffers keep the name of their schema after the offset of the root table.
_FLATBUFFER_AT: Final = slice(4, 6)
_HEAD_BYTES: Final = 16
# How a `.exirprofile` begins, which is no program.
PROFILE_MAGIC: Final = b"EXIRPROF"


@paused
def load(path: str | os.PathLike[str], *, whole: bool = False) -> Snapshot:
    """Read a `.pt2`, `.pte`, ETRecord or `.exirviz` file as data: nothing in it is executed.

    whole: checksums of all constants and delegates of a `.pte`, however large; an archive has its own.
    Raises FileNotFoundError and its like where there is no such file, and a FileError that says which part of
    the file is wrong, and how, for one that cannot be read.
    """
    path = checked(path)
    head = head_of(path)
    with naming(path):
        snapshot = _read(path, head, whole=whole)
        parts = snapshot.skeleton, snapshot.detail
        if kind_of(head) != ".exirviz" and (why := problem(*parts) or number_problem(*parts)):
            raise MalformedFile(path.name, why)
        return snapshot


def head_of(path: Path) -> bytes:
    """The first bytes of a file, which decide how it is read."""
    check_regular(path)
    with path.open("rb") as handle, naming(path):
        return handle.read(_HEAD_BYTES)


def checked(path: object, verb: str = "load") -> Path:
    """A path, or WrongArgument."""
    if not is_path(path):
        raise not_loaded(path, verb)
    return path_of(verb, path)


def recorded(x: object, *, whole: bool = False) -> Snapshot | None:
    """The Snapshot of a file, a stage, a Profile or an Explorer; None for a live program."""
    if is_path(x):
        return load(x, whole=whole)
    snapshot = x if isinstance(x, Snapshot) else getattr(x, "snapshot", None)
    return snapshot if isinstance(snapshot, Snapshot) else None


def _read(path: Path, head: bytes, *, whole: bool) -> Snapshot:
    match kind_of(head):
        case ".exirviz":
            from exir_viz.snapshot.wire import read as read_snapshot

            return read_snapshot(path)
        case ".pt2":
            return _archive(path)
        case ".pte":
            from exir_viz.readers.flatbuffer import read as read_flatbuffer

            return read_flatbuffer(path, whole=whole)
    raise refusal(path.name, head)


def kind_of(head: bytes) -> str:
    """The suffix of the programs that begin so; "" where none does."""
    is_program = is_flatbuffer(head) or is_bundle(head)
    kinds = {".exirviz": head.startswith(MAGIC), ".pt2": head.startswith(_ZIP), ".pte": is_program}
    return next((suffix for suffix, begins in kinds.items() if begins), "")


def kind_at(path: Path) -> str:
    """The suffix for the program in a file; "" if it contains none."""
    return kind_of(head_of(path))


def is_flatbuffer(head: bytes) -> bool:
    """Whether a file that starts with these bytes is a `.pte`."""
    return head[_FLATBUFFER_AT] == b"ET"


def is_bundle(head: bytes) -> bool:
    """Whether a file that starts with these bytes is a `.bpte`, which contains a `.pte`."""
    return head[_FLATBUFFER_AT] == b"BP"


def _archive(path: Path) -> Snapshot:
    """A zip archive: an ETRecord has maps to join to the programs in it."""
    from exir_viz.readers import etrecord
    from exir_viz.readers.archive import read
    from exir_viz.readers.archive.container import Container
    from exir_viz.readers.archive.layouts import ETRECORD

    with Container.open(path) as container:
        recorded = ETRECORD in container
    return etrecord.read(path) if recorded else read(path)


def refusal(file: str, head: bytes) -> UnknownFormat | TruncatedFile:
    """Why a file that begins so has no program."""
    kinds = (MAGIC, *_ZIP)
    if any(kind.startswith(head) for kind in kinds):
        return TruncatedFile(
            file, "it is empty" if not head else f"it ends after {plural(len(head), 'byte')}"
        )
    if head.startswith(b"\x80"):
        return UnknownFormat(
            file,
            "it is a pickle from torch.save before 1.6: weights, not an exported program",
            hint="Export the module with torch.export.export, and save the result with torch.export.save.",
        )
    if head.startswith(b"version https://"):
        return UnknownFormat(
            file,
            "it is a Git LFS pointer, not the file itself",
            hint="Fetch the file with `git lfs pull`.",
        )
    if head.startswith(PROFILE_MAGIC):
        return UnknownFormat(
            file,
            "it is a profile, which exir_viz.load(path) and `exir-viz profile FILE` read",
            hint="To open the program without its costs, take exir_viz.load(path).snapshot.",
        )
    from exir_viz.readers.flatbuffer.container import OTHER_FILES

    if (other := OTHER_FILES.get(head[_FLATBUFFER_AT])) is not None:
        return UnknownFormat(file, other)
    return UnknownFormat(
        file,
        f"it begins with {head[:8]!r}, which no supported file does",
        hint="Pass a .pt2, .pte, ETRecord or .exirviz file.",
    )
