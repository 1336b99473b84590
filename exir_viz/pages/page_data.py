"""The data of a page, in named parts: a Snapshot, a session, diffs.

A page holds them as base64 text in script elements that no browser runs, a saved notebook as JSON.
For a session: each stage's Snapshot, and separate parts with the tree, the lineages, the stage to show,
and the stages to show side by side; for any two of these, and for each stage and its parent, the comparison,
the text side by side, and what was measured of both. For diffs, each starting with the program that the
previous one ended with: these programs as columns, and the same data for neighbours. The page's names for
these parts are in `labextension/src/hosts/saved_page.ts`.
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from exir_viz.compare.diff import Diff, make_diff
from exir_viz.compare.measurements import Measured, known
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.printable import html
from exir_viz.snapshot.redaction import Redaction
from exir_viz.snapshot.wire import encode, is_large

from .reports import sections_for_pages

if TYPE_CHECKING:
    from exir_viz.compare.values.values import Values
    from exir_viz.measure.profile import Profile
    from exir_viz.stages.session import Session
    from exir_viz.stages.stage import Stage


# Its name, and its bytes.
PagePart = tuple[str, bytes]


class Painting(Protocol):
    """Values by node: their name, and the packed numbers (see `widget.paint`)."""

    @property
    def head(self) -> Mapping[str, object]: ...
    @property
    def data(self) -> bytes: ...


class Scene(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One scene of a story: a caption, and what the explorer shows with it.

    `view` is empty if the explorer was not displayed yet: then `orders` and `selection` apply to the view
    that the page begins with.
    """

    caption: str
    stage: str = ""
    view: dict[str, Any] = {}
    selection: tuple[str, ...] = ()
    orders: tuple[dict[str, Any], ...] = ()


@dataclass(frozen=True)
class ViewState:
    """How an explorer shows its program: what is open, selected and searched, and the values painted on
    it.

    `view` is what its page last reported; empty if it was never displayed. `orders` came after that, and
    `show` is the label of the painting that was chosen after them, if any.
    """

    view: Mapping[str, object]
    paintings: Sequence[Painting] = ()
    selection: Sequence[str] = ()
    orders: Sequence[Mapping[str, object]] = ()
    show: str | None = None


def page_parts(  # noqa: PLR0913  every part, by name
    shown: Snapshot | Session | Sequence[Diff],
    share: Redaction,
    *,
    profiles: Mapping[str, Profile],
    look: ViewState | None = None,
    compare: Sequence[Stage | str] = (),
    values: Sequence[Values] = (),
    measured: Sequence[Measured] = (),
    scenes: Sequence[Scene] = (),
    stage: Stage | None = None,
    with_ancestors: bool = False,
) -> Iterator[PagePart]:
    """The parts; `share` says how Snapshots and records are written.

    profiles: by the id of their stage, or "" without stages. look: the initial view. stage: of a session, the
    one to show first; by default the current one. compare: stages to show side by side first; values:
    compared values of any two of them. measured: one for each diff. scenes: of a story that the page plays.
    with_ancestors: whether the page compares each stage of a session with its parent, and an ExecuTorch
    program with its edge program.
    """
    if isinstance(shown, Snapshot):
        yield "exirviz-program", encode(share.snapshot(shown), sections_for_pages(shown, share))
    elif isinstance(shown, Sequence):
        yield from _columns(shown, share, measured)
    else:
        from exir_viz.stages.comparable_stages import comparable_stages

        columns = comparable_stages(shown, compare) if compare else ()
        both = (*combinations(columns, 2), *(_with_ancestors(shown) if with_ancestors else ()))
        compared = tuple(dict.fromkeys(both))
        yield "exirviz-stages", session_data(shown, share, compare=columns, compared=compared, at=stage)
        yield from _staged(shown, share, compared, values, profiles)
    if profiles:
        pairs = [
            (stage, share.record(profile.record))
            for stage, main in profiles.items()
            for profile in (main, *main.other_sizes)
        ]
        yield "exirviz-profiles", packed_json(pairs)
    if look is not None:
        data = [base64.b64encode(one.data).decode() for one in look.paintings]
        heads = [one.head for one in look.paintings]
        yield (
            "exirviz-look",
            packed_json(
                {
                    "view": look.view,
                    "series": heads,
                    "data": data,
                    "selection": look.selection,
                    "orders": look.orders,
                    "show": look.show,
                }
            ),
        )
    if scenes:
        yield "exirviz-story", packed_json(scenes)


def snapshots_of(shown: Snapshot | Session | Sequence[Diff]) -> list[Snapshot]:
    """All Snapshots that a page carries."""
    if isinstance(shown, Snapshot):
        return [shown]
    if isinstance(shown, Sequence):
        return [one for each in shown for one in (each.a, each.b)]
    found = (stage.content.snapshot for stage in shown.stages)
    return [snapshot for snapshot in found if snapshot is not None]


def session_data(
    session: Session,
    share: Redaction | None = None,
    *,
    compare: Sequence[Stage] = (),
    compared: Sequence[tuple[Stage, Stage]] = (),
    at: Stage | None = None,
) -> bytes:
    """The JSON of a session for a page, without its Snapshots.

    compare: the stages to show side by side first. compared: the pairs that the page has comparisons of.
    at: the stage to show first.
    """
    data = {
        "tree": session.record() if share is None else share.record(session.record()),
        "at": (at or session.current).id,
        "lineages": {stage.id: stage.lineage for stage in session.stages if stage.lineage is not None},
        "compare": [stage.id for stage in compare],
        "compared": [(a.id, b.id) for a, b in compared],
    }
    return msgspec.json.encode(data, enc_hook=str)


def packed_json(record: object) -> bytes:
    """JSON as a zlib stream, for the front end to unpack."""
    return zlib.compress(msgspec.json.encode(record))


def name_of(shown: Snapshot | Session | Sequence[Diff]) -> str:
    """The name of the captured program, else its class; of a session, that of its first stage."""
    if isinstance(shown, Sequence):
        return " → ".join([shown[0].comparison.a, *(each.comparison.b for each in shown)])
    snapshot = shown if isinstance(shown, Snapshot) else shown.root.content.snapshot
    return "session" if snapshot is None else snapshot.origin.name or snapshot.origin.type


def _with_ancestors(session: Session) -> Iterator[tuple[Stage, Stage]]:
    """Each stage with its parent, and an ExecuTorch program with its edge program.

    Programs that take long to compare are left out.
    """
    for stage in session.stages:
        if stage.failed or stage.parent is None:
            continue
        for one in (stage.parent, stage.edge_stage):
            if one is not None and not is_large(one.snapshot) and not is_large(stage.snapshot):
                yield one, stage


def _staged(
    session: Session,
    share: Redaction,
    compared: Iterable[tuple[Stage, Stage]],
    values: Sequence[Values],
    profiles: Mapping[str, Profile],
) -> Iterator[PagePart]:
    numbers = {stage.id: number for number, stage in enumerate(session.stages)}
    for stage in session.stages:
        snapshot = stage.content.snapshot
        if snapshot is not None:
            written = encode(share.snapshot(snapshot), sections_for_pages(snapshot, share))
            yield f"exirviz-stage-{numbers[stage.id]}", written
    for a, b in compared:
        found = make_diff(a, b)
        both = next((one for one in values if (one.diff.a, one.diff.b) == (found.a, found.b)), None)
        measured = known(found, both, profiles.get(a.id), profiles.get(b.id))
        yield from _between(found, share, (numbers[a.id], numbers[b.id]), measured)


def _columns(diffs: Sequence[Diff], share: Redaction, measured: Sequence[Measured]) -> Iterator[PagePart]:
    for column, snapshot in enumerate([diffs[0].a, *(each.b for each in diffs)]):
        yield f"exirviz-column-{column}", encode(share.snapshot(snapshot))
    for at, each in enumerate(diffs):
        yield from _between(each, share, (at, at + 1), measured[at] if measured else Measured())


def shared_diff(found: Diff, share: Redaction) -> Diff:
    """A diff of the two as they are written: its text contains no more than they do."""
    names = {"a": share.text(found.comparison.a), "b": share.text(found.comparison.b)}
    comparison = msgspec.structs.replace(found.comparison, **names)
    return Diff(share.snapshot(found.a), share.snapshot(found.b), comparison)


def _between(found: Diff, share: Redaction, sides: tuple[int, int], measured: Measured) -> Iterator[PagePart]:
    name = f"exirviz-diff-{sides[0]}-{sides[1]}"
    written = shared_diff(found, share)
    yield name, packed_json(written.comparison)
    yield f"{name}-text", packed_json(written.text())
    if measured != Measured():
        yield f"{name}-measured", packed_json(share.record(measured))


def script_element(name: str, data: bytes) -> str:
    """A part in a page: no browser runs a script of this type."""
    text = base64.b64encode(data).decode()
    return html('<script type="application/octet-stream" id="{}">{}</script>', name, text)
