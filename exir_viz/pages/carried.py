"""What a page carries, as base64 text in script elements that no browser runs: a Snapshot, a session, a diff.

Of a session it carries each stage's Snapshot, and in an element of their own the tree, the lineages, which
stage to show, and which to show side by side; of any two of these, in their order, the comparison and the
text side by side. Of a diff it carries both Snapshots, the comparison, the text, and what was measured. The
page's own names for these elements are in `labextension/src/hosts/page.ts`.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from exir_viz.compare.diff import Diff, diff
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.wire import encode

if TYPE_CHECKING:
    from exir_viz.compare.measured import Measured
    from exir_viz.stages.session import Session
    from exir_viz.stages.stage import Stage

# The JSON of a profile's record by the id of its stage.
Records: TypeAlias = Mapping[str, bytes]


def elements(
    shown: Snapshot | Session | Diff,
    compare: Sequence[Stage | str] = (),
    measured: Measured | None = None,
) -> str:
    """The script elements, one to a line.

    `compare`: of a session, stages to begin with side by side. `measured`: of a diff, what was.
    """
    if isinstance(shown, Diff):
        return "\n".join(_compared(shown, measured))
    if isinstance(shown, Snapshot):
        return _element("exirviz-program", encode(shown))
    from exir_viz.stages.beside import beside

    return "\n".join(_staged(shown, beside(shown, compare) if compare else ()))


def told(session: Session, compare: Sequence[Stage] = ()) -> bytes:
    """JSON of what a page knows of a session besides its Snapshots."""
    lineages = {stage.id: stage.lineage for stage in session.stages if stage.lineage is not None}
    beside = {"compare": [stage.id for stage in compare]} if compare else {}
    return msgspec.json.encode(
        {"tree": session.record(), "at": session.current.id, "lineages": lineages, **beside}, enc_hook=str
    )


def packed(record: object) -> bytes:
    """JSON as a zlib stream, as the front end unpacks it."""
    return zlib.compress(msgspec.json.encode(record))


def name_of(shown: Snapshot | Session | Diff) -> str:
    """What was captured, by name or else by class; a session's is that of its first stage."""
    if isinstance(shown, Diff):
        return f"{shown.comparison.a} → {shown.comparison.b}"
    snapshot = shown if isinstance(shown, Snapshot) else shown.root.content.snapshot
    return "session" if snapshot is None else snapshot.origin.name or snapshot.origin.type


def _staged(session: Session, compare: Sequence[Stage]) -> Iterator[str]:
    yield _element("exirviz-stages", told(session, compare))
    for number, stage in enumerate(session.stages):
        snapshot = stage.content.snapshot
        if snapshot is not None:
            yield _element(f"exirviz-stage-{number}", encode(snapshot))
    numbers = {stage.id: number for number, stage in enumerate(session.stages)}
    for a, b in combinations(compare, 2):
        name = f"exirviz-diff-{numbers[a.id]}-{numbers[b.id]}"
        found = diff(a, b)
        yield _element(name, packed(found.comparison))
        yield _element(f"{name}-text", packed(found.text()))


def _compared(diff: Diff, measured: Measured | None) -> Iterator[str]:
    yield _element("exirviz-diff", packed(diff.comparison))
    yield _element("exirviz-diff-a", encode(diff.a))
    yield _element("exirviz-diff-b", encode(diff.b))
    yield _element("exirviz-diff-text", packed(diff.text()))
    if measured is not None:
        yield _element("exirviz-diff-measured", packed(measured))


def profiled(profiles: Records) -> str:
    """The element of profiles: JSON of records by stage; a program without stages is the stage ""."""
    if not profiles:
        return ""
    pairs = [(stage, msgspec.Raw(record)) for stage, record in profiles.items()]
    return _element("exirviz-profiles", msgspec.json.encode(pairs))


def _element(name: str, data: bytes) -> str:
    text = base64.b64encode(data).decode()
    return f'<script type="application/octet-stream" id="{name}">{text}</script>'
