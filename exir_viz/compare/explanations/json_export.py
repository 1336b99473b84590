"""A diff as JSON for other programs: the summary and all changes, with nodes by id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from exir_viz.compare.classify.counts import changes
from exir_viz.compare.records import ChangeRule, Contents, Counts, FactChange, ModuleChange, OpChange
from exir_viz.snapshot.records import Record

if TYPE_CHECKING:
    from exir_viz.compare.diff import Diff


class PlainMatch(Record, frozen=True):
    """A match with its nodes by id: "forward/linear_3"."""

    kind: str
    a: tuple[str, ...]
    b: tuple[str, ...]
    fields: tuple[str, ...]
    evidence: str
    confidence: float
    reason: str


class PlainDiff(Record, frozen=True):
    """The output of `exir-viz diff --json`; modules without a change are left out."""

    a: str
    b: str
    same: bool
    counts: Counts
    rules: tuple[ChangeRule, ...]
    modules: tuple[ModuleChange, ...]
    ops: tuple[OpChange, ...]
    facts: tuple[FactChange, ...]
    contents: Contents
    matches: tuple[PlainMatch, ...]


def to_json(diff: Diff) -> str:
    """The text, indented by one."""
    matches = tuple(
        PlainMatch(
            one.kind.value,
            tuple(node.id for node in one.a),
            tuple(node.id for node in one.b),
            one.fields,
            one.evidence.name,
            one.evidence.confidence,
            one.reason,
        )
        for one in diff.changes
    )
    modules = tuple(one for one in diff.modules if changes(one.counts))
    plain = PlainDiff(
        *(diff.comparison.a, diff.comparison.b, diff.is_empty, diff.counts, diff.rules, modules),
        *(diff.ops, diff.facts, diff.contents, matches),
    )
    return msgspec.json.format(msgspec.json.encode(_whole(plain)), indent=1).decode()


def _whole(value: Any) -> Any:
    """A record with every field: the wire format omits defaults, other programs look for `added`."""
    if isinstance(value, msgspec.Struct):
        return {name: _whole(field) for name, field in msgspec.structs.asdict(value).items()}
    return [_whole(one) for one in value] if isinstance(value, tuple) else value
