"""Read and write a session as a `.exirviz` file: all Snapshots, their lineage and the steps.

The first sections are the Snapshot of the current stage, so that any reader of Snapshots can open the file. A
file is not trusted: as for Snapshots, sizes are limited before anything is unpacked, and every name and
number is checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from exir_viz.errors import FileTooLarge, MalformedFile
from exir_viz.snapshot import SCHEMA, Snapshot, file_writing
from exir_viz.snapshot.lineage import Lineage, problems
from exir_viz.snapshot.records import Record
from exir_viz.snapshot.redaction import Redaction
from exir_viz.snapshot.wire import (
    MAX_HEADER_BYTES,
    STAGES,
    Sections,
    encode_sections,
    read_bytes,
    snapshot_sections,
)
from exir_viz.stages.content import StageContent
from exir_viz.stages.live import NotPossible
from exir_viz.stages.plain_code import PlainCode
from exir_viz.stages.records import StageRecord, StageState, StageTree
from exir_viz.stages.stage_record import record_of

if TYPE_CHECKING:
    from exir_viz.stages.session import Session

# Limit for all unpacked sections together: a few stages of the largest programs.
MAX_BYTES: Final = 4 << 30
# Limit for a section's entry in the header; the header is limited too.
_ENTRY_BYTES: Final = 110
_ID: Final = re.compile(r"s\d{1,6}")
_DEEPEST: Final = 20


class Tree(Record, frozen=True):
    """The section `stages`: the records, the current stage, and the stage whose Snapshot comes first.

    `made` counts the stages ever made; the next stage's id follows from it.
    """

    tree: StageTree
    at: str
    shown: str
    made: int


@dataclass(frozen=True)
class SessionContents:
    """The contents of a session file."""

    stages: tuple[tuple[StageRecord, StageContent], ...]
    at: str
    made: int


def write(session: Session, path: Path, *, sources: bool = True, absolute_paths: bool = False) -> Path:
    """Write a session's file; the options are those of `exir_viz.snapshot.redaction`."""
    shown = session.current.shown
    there = [stage.snapshot for stage in session.stages if not stage.failed]
    share = Redaction(there, sources=sources, absolute_paths=absolute_paths)
    first = share.snapshot(shown.snapshot)
    sections: dict[str, Any] = snapshot_sections(first)
    records = []
    for stage in session.stages:
        records.append(share.record(msgspec.structs.replace(record_of(stage), offers=())))
        if stage.failed:
            continue
        if stage is not shown:
            written = share.snapshot(stage.snapshot)
            sections[f"{stage.id}/skeleton"] = written.skeleton
            sections[f"{stage.id}/detail"] = written.detail
        if stage.lineage is not None:
            sections[f"{stage.id}/lineage"] = stage.lineage
    if len(sections) * _ENTRY_BYTES > MAX_HEADER_BYTES:
        raise NotPossible(
            f"Cannot save {len(records)} stages in one file: drop stages that you do not need with "
            "stage.drop()."
        )
    sections[STAGES] = Tree(StageTree(tuple(records)), session.current.id, shown.id, session.made)
    return file_writing.write(path, encode_sections(sections, SCHEMA))


def read(path: Path) -> SessionContents:
    """Read a session's file; a file of one Snapshot becomes a session of one stage. Raises a FileError."""
    sections = Sections(read_bytes(path), path.name)
    if sections.unpacked > MAX_BYTES:
        raise FileTooLarge(path.name, f"it claims to unpack to {sections.unpacked:,} bytes")
    if STAGES not in sections:
        raise MalformedFile(
            path.name, "it holds one Snapshot, not a session", hint="Open it with exir_viz.load(path)."
        )
    found = sections.record(STAGES, Tree)
    for why in _problems(found):
        raise MalformedFile(path.name, why, member=STAGES)
    snapshots: dict[str, Snapshot] = {}
    stages = tuple(
        (record, _content(sections, found, record, snapshots, path.name)) for record in found.tree.stages
    )
    return SessionContents(stages, found.at, found.made)


def _content(
    sections: Sections, tree: Tree, record: StageRecord, snapshots: dict[str, Snapshot], file: str
) -> StageContent:
    if record.failure is not None:
        return StageContent(
            record.step,
            StageState.FAILED,
            failure=record.failure,
            findings=record.findings,
            code=PlainCode.loaded(record.code),
        )
    prefix = "" if record.id == tree.shown else f"{record.id}/"
    snapshot = snapshots[record.id] = sections.snapshot(prefix)
    lineage = None
    if record.parent is not None and f"{record.id}/lineage" in sections:
        lineage = sections.record(f"{record.id}/lineage", Lineage)
        sizes = (_size(snapshot), _size(snapshots[record.parent]))
        for why in problems(lineage, *sizes):
            raise MalformedFile(file, why, member=f"{record.id}/lineage")
    return StageContent(
        record.step,
        StageState.LOADED,
        snapshot,
        lineage=lineage,
        change=record.change,
        findings=record.findings,
        code=PlainCode.loaded(record.code),
    )


def _size(snapshot: Snapshot) -> int:
    return sum(map(len, snapshot.graphs))


def _problems(found: Tree) -> Iterator[str]:
    """The problems of the tree. A valid one has one root, and its failed stages are leaves."""
    records = found.tree.stages
    whole: set[str] = set()
    seen: set[str] = set()
    for number, record in enumerate(records):
        if not _ID.fullmatch(record.id) or int(record.id[1:]) >= found.made or record.id in seen:
            yield f"a stage is called {record.id[:20]!r}"
        if number == 0 and record.parent is not None:
            yield f"its first stage {record.id!r} has a parent"
        if number and record.parent is None:
            yield f"stage {record.id!r} has no parent, and it is not the first"
        if number and record.parent is not None and record.parent not in whole:
            yield (
                f"the parent of stage {record.id!r} is {record.parent[:20]!r}, "
                "and no stage with this id and a program comes before it"
            )
        if number == 0 and record.failure is not None:
            yield "its first stage failed"
        if not _is_shallow([record.step.options, *(fix.options for fix in _fixes(record))]):
            yield f"the options of stage {record.id!r} are nested more than {_DEEPEST} deep"
        seen.add(record.id)
        if record.failure is None:
            whole.add(record.id)
    if len({record.name for record in records}) != len(records):
        yield "two stages have the same name"
    if not records or found.at not in seen or found.shown not in whole:
        yield "its current stage is missing"


def _fixes(record: StageRecord) -> Iterator[Any]:
    yield from record.failure.fixes if record.failure else ()


def _is_shallow(level: list[Any]) -> bool:
    for _ in range(_DEEPEST):
        level = [
            child
            for one in level
            if isinstance(one, dict | list)
            for child in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return True
    return False
