"""The answer to a request: a program, a profile with its program, all stages of a session, or a comparison of
two programs or stages.

It can also be a page that opens anywhere.

An answer is a `.exirviz` file, with more sections if there is more to show: `profile`; `stages` and their
Snapshots, whose sections start with the id of the stage; or `comparison`, `text`, `measured` and, of files,
both Snapshots, whose sections start with `a/` and `b/`. With stages comes the `version` of their file:
stages and a comparison of them belong together if it is the same. Weights are not part of an answer. Making
one needs neither torch nor Jupyter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

import exir_viz
from exir_viz.compare.diff import Diff
from exir_viz.compare.measurements import Measured, known
from exir_viz.errors import (
    FileError,
    FileTooLarge,
    MalformedFile,
    TruncatedFile,
    UnknownFormat,
    UnsupportedVersion,
)
from exir_viz.measure.files import MAGIC as PROFILE_MAGIC
from exir_viz.measure.files import read as read_profile
from exir_viz.measure.profile import Profile
from exir_viz.pages.html import html
from exir_viz.pages.page_data import session_data
from exir_viz.pages.reports import sections_for_pages
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.columns import SCHEMA
from exir_viz.snapshot.redaction import Redaction
from exir_viz.snapshot.wire import check_regular, encode_sections, is_session, snapshot_sections

if TYPE_CHECKING:
    from exir_viz.stages.session import Session


class Problem(msgspec.Struct, frozen=True):
    """Why a file is not shown, and what to do about it. `member`: the part of the file that is wrong."""

    file: str
    reason: str
    remedy: str
    member: str = ""


# The remedy if the error itself does not contain one.
_REMEDIES: Final[tuple[tuple[type[FileError], str], ...]] = (
    (TruncatedFile, "The file is incomplete. Copy, download or save it again."),
    (FileTooLarge, "Save a smaller part of the model. Do not use files from unknown sources."),
    (UnsupportedVersion, "Save the file again with a version that this exir_viz reads."),
    (UnknownFormat, "Open a .pt2, .pte, ETRecord, .exirviz or .exirprofile file."),
    (MalformedFile, "Save the file again. Do not use files from unknown sources."),
)


def program_answer(path: Path) -> bytes:
    """Read one file. Raises OSError, and FileError for a file that cannot be read."""
    if is_session(path):
        return _session_answer(path)
    opened = _open(path)
    if isinstance(opened, Profile):
        sections = _program(opened.snapshot)
        sections["profile"] = opened.record
    else:
        sections = _program(opened)
    return encode_sections(sections, SCHEMA)


def _session_answer(path: Path) -> bytes:
    version = _version(path)  # before the stages are read, and after that for a comparison
    session = _session(path)
    sections: dict[str, object] = {"stages": msgspec.Raw(session_data(session)), "version": version}
    for stage in session.stages:
        if not stage.failed:
            sections |= _program(stage.snapshot, f"{stage.id}/")
    return encode_sections(sections, SCHEMA)


def diff_answer(a: Path, b: Path) -> bytes:
    """Compare two files. Raises as `program_answer` does."""
    diff, measured = _compared(a, b)
    sections = _comparison(diff)
    if measured != Measured():
        sections["measured"] = measured
    sections |= _prefixed(snapshot_sections(diff.a), "a/") | _prefixed(snapshot_sections(diff.b), "b/")
    return encode_sections(sections, SCHEMA)


def stages_answer(path: Path, a: str, b: str) -> bytes:
    """Compare two stages of a session, by their ids. Raises as `program_answer` does."""
    session = _session(path) if is_session(path) else ()
    stages = {stage.id: stage for stage in session if not stage.failed}
    for wanted in (a, b):
        if wanted not in stages:
            hint = "Reload the file: it may have changed."
            raise MalformedFile(path.name, f"it has no program of stage {wanted!r}", hint=hint)
    diff = exir_viz.diff(stages[a], stages[b])
    return encode_sections(_comparison(diff) | {"version": _version(path)}, SCHEMA)


def page_answer(a: Path, b: Path | None = None) -> bytes:
    """One file, or a comparison of two, as a page. Raises as `program_answer` does."""
    if b is not None:
        diff, measured = _compared(a, b)
        return html([diff], measured=[measured]).encode()
    if is_session(a):
        return html(_session(a), title=a.name).encode()
    opened = _open(a)
    if isinstance(opened, Profile):
        return html(opened.snapshot, title=a.name, profiles={"": opened}).encode()
    return html(opened, title=a.name).encode()


def problem_of(error: FileError) -> Problem:
    """What is wrong with a file, and the remedy."""
    remedy = error.hint or next(text for kind, text in _REMEDIES if isinstance(error, kind))
    return Problem(error.file, error.reason, remedy, error.member)


def _session(path: Path) -> Session:
    from exir_viz.stages.session import Session

    return Session.load(path)


def _version(path: Path) -> str:
    """Two versions of a file differ in it."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _open(path: Path, *, whole: bool = False) -> Snapshot | Profile:
    from exir_viz.readers.files import load

    check_regular(path)
    with path.open("rb") as file:
        head = file.read(len(PROFILE_MAGIC))
    return read_profile(path) if head == PROFILE_MAGIC else load(path, whole=whole)


def _compared(a: Path, b: Path) -> tuple[Diff, Measured]:
    """The changes from one file to the other, with costs if both are profiles."""
    opened = [_open(path, whole=True) for path in (a, b)]
    snapshots = [one.snapshot if isinstance(one, Profile) else one for one in opened]
    diff = exir_viz.diff(*snapshots, names=_names(a, b))
    profiles = [one if isinstance(one, Profile) else None for one in opened]
    return diff, known(diff, None, *profiles)


def _comparison(diff: Diff) -> dict[str, object]:
    return {"comparison": diff.comparison, "text": diff.text()}


def _program(snapshot: Snapshot, prefix: str = "") -> dict[str, object]:
    sections = {**snapshot_sections(snapshot), **sections_for_pages(snapshot, Redaction())}
    return _prefixed(sections, prefix)


def _prefixed(sections: Mapping[str, object], prefix: str) -> dict[str, object]:
    return {f"{prefix}{name}": section for name, section in sections.items()}


def _names(a: Path, b: Path) -> tuple[str, str]:
    """Titles of both: their names, with the folder if the names are equal."""
    if a.name != b.name:
        return a.name, b.name
    folders = f"{a.parent.name}/{a.name}", f"{b.parent.name}/{b.name}"
    return folders if folders[0] != folders[1] else (f"{a.name} (1)", f"{b.name} (2)")
