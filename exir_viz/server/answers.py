"""The answer to a request: a program, a profile with its program, or a comparison of two programs.

It can also be a page that opens anywhere.

An answer is a `.exirviz` file, with more sections if there is more to show: `profile`; or `comparison`,
`text`, `measured` and both Snapshots, whose sections start with `a/` and `b/`. Weights are not part of it.
Making one needs neither torch nor Jupyter.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

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
from exir_viz.measure.profile import Profile
from exir_viz.pages.analysis import analysis_of
from exir_viz.pages.html import html
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.columns import SCHEMA
from exir_viz.snapshot.redaction import Redaction
from exir_viz.snapshot.wire import check_regular, encode_sections, snapshot_sections


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
    opened = _open(path)
    if isinstance(opened, Profile):
        sections = _sides(opened.snapshot)
        sections["profile"] = opened.record
    else:
        sections = _sides(opened)
    return encode_sections(sections, SCHEMA)


def diff_answer(a: Path, b: Path) -> bytes:
    """Compare two files. Raises as `program_answer` does."""
    diff, measured = _compared(a, b)
    sections: dict[str, object] = {"comparison": diff.comparison, "text": diff.text()}
    sections |= _sides(diff.a, "a/") | _sides(diff.b, "b/")
    if measured != Measured():
        sections["measured"] = measured
    return encode_sections(sections, SCHEMA)


def page_answer(a: Path, b: Path | None = None) -> bytes:
    """One file, or a comparison of two, as a page. Raises as `program_answer` does."""
    if b is not None:
        diff, measured = _compared(a, b)
        return html([diff], measured=[measured]).encode()
    opened = _open(a)
    if isinstance(opened, Profile):
        return html(opened.snapshot, title=a.name, profiles={"": opened}).encode()
    return html(opened, title=a.name).encode()


def problem_of(error: FileError) -> Problem:
    """What is wrong with a file, and the remedy."""
    remedy = error.hint or next(text for kind, text in _REMEDIES if isinstance(error, kind))
    return Problem(error.file, error.reason, remedy, error.member)


def _open(path: Path, *, whole: bool = False) -> Snapshot | Profile:
    from exir_viz.readers.files import load

    check_regular(path)
    with path.open("rb") as file:
        head = file.read(len(PROFILE_MAGIC))
    return exir_viz.load_profile(path) if head == PROFILE_MAGIC else load(path, whole=whole)


def _compared(a: Path, b: Path) -> tuple[Diff, Measured]:
    """The changes from one file to the other, with costs if both are profiles."""
    opened = [_open(path, whole=True) for path in (a, b)]
    snapshots = [one.snapshot if isinstance(one, Profile) else one for one in opened]
    diff = exir_viz.diff(*snapshots, names=_names(a, b))
    profiles = [one if isinstance(one, Profile) else None for one in opened]
    return diff, known(diff, None, *profiles)


def _sides(snapshot: Snapshot, prefix: str = "") -> dict[str, object]:
    found = snapshot_sections(snapshot, analysis=None if prefix else analysis_of(snapshot, Redaction()))
    return {f"{prefix}{name}": section for name, section in found.items()}


def _names(a: Path, b: Path) -> tuple[str, str]:
    """Titles of both: their names, with the folder if the names are equal."""
    if a.name != b.name:
        return a.name, b.name
    folders = f"{a.parent.name}/{a.name}", f"{b.parent.name}/{b.name}"
    return folders if folders[0] != folders[1] else (f"{a.name} (1)", f"{b.name} (2)")
