"""What a change cost or gained: the time of each match before and after, and of each rule.

Enters: a Diff, and for each side the seconds of its nodes by id with what was in no node (a Profile has
both). Leaves: `CostChange`, plain data whose parts add up to the wholes. It knows no Profile and no torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.records import Record

if TYPE_CHECKING:
    from .diff import Diff

SCHEMA = 1


class MatchCost(Record, frozen=True):
    """Seconds of all nodes of one match on either side; `ratio` is after to before, None where that was 0."""

    match: int
    before: float
    after: float
    ratio: float | None = None


class RuleCost(Record, frozen=True):
    """Seconds of all matches of one rule; "" stands for what is the same."""

    rule: str
    matches: int
    before: float
    after: float
    ratio: float | None = None


class CostChange(Record, frozen=True):
    """All of it: the matches that took time, in reading order; the rules, what changed most in time first.

    `before` and `after` are the wholes, seconds of one run; `overhead` is what of them was in no node.
    """

    schema: int
    before: float
    after: float
    overhead: tuple[float, float]
    matches: tuple[MatchCost, ...]
    rules: tuple[RuleCost, ...]


class Whole(Protocol):
    """Nanoseconds of a run, or of a part of it."""

    @property
    def time(self) -> int: ...


class Costs(Protocol):
    """What is asked of a Profile."""

    @property
    def snapshot(self) -> Snapshot: ...
    @property
    def overhead(self) -> Whole | None: ...
    def series(self, what: str = "time") -> Mapping[str, float]: ...


def costs(diff: Diff, before: Costs, after: Costs) -> CostChange:
    """The costs of a diff's matches. Raises ValueError where a profile is of another program."""
    ours = _by_match(before, diff.numbering_a, diff.match_of_a, "before")
    theirs = _by_match(after, diff.numbering_b, diff.match_of_b, "after")
    matches = tuple(
        MatchCost(at, ours.get(at, 0.0), theirs.get(at, 0.0), _ratio(ours.get(at, 0.0), theirs.get(at, 0.0)))
        for at in range(len(diff))
        if at in ours or at in theirs
    )
    overhead = _overhead(before), _overhead(after)
    return CostChange(
        SCHEMA,
        before=sum(ours.values()) + overhead[0],
        after=sum(theirs.values()) + overhead[1],
        overhead=overhead,
        matches=matches,
        rules=_rules(diff, matches),
    )


def _by_match(
    profile: Costs, numbering: Numbering, match_of: Mapping[int, int], side: str
) -> dict[int, float]:
    """Seconds by match."""
    snapshot = numbering.snapshot
    if profile.snapshot is not snapshot and profile.snapshot != snapshot:
        raise ValueError(f"the profile {side} is of another program than that side of the diff")
    numbers = {
        node.id: numbering.number(node) for graph in snapshot.graphs for node in graph if node.op != "output"
    }
    found: dict[int, float] = {}
    for name, seconds in profile.series("time").items():
        match = match_of[numbers[name]]
        found[match] = found.get(match, 0.0) + seconds
    return found


def _rules(diff: Diff, matches: tuple[MatchCost, ...]) -> tuple[RuleCost, ...]:
    sums: dict[str, list[float]] = {}
    for one in matches:
        rule = diff[one.match].rule
        entry = sums.setdefault("" if rule is None else rule.text, [0, 0.0, 0.0])
        entry[0] += 1
        entry[1] += one.before
        entry[2] += one.after
    rows = [RuleCost(text, int(n), a, b, _ratio(a, b)) for text, (n, a, b) in sums.items()]
    return tuple(sorted(rows, key=lambda row: (-abs(row.after - row.before), row.rule)))


def _ratio(before: float, after: float) -> float | None:
    return after / before if before else None


def _overhead(profile: Costs) -> float:
    return profile.overhead.time / 1e9 if profile.overhead is not None else 0.0
