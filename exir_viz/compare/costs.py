"""What a change cost or gained: the time of each match before and after, of each rule, and of each module.

Enters: a Diff, and for each side the seconds of its nodes by id with what was in no node (a Profile has
both). Leaves: `CostChange`, plain data whose parts add up to the wholes. It knows no Profile and no torch.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.columns import NONE
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


class ModuleCost(Record, frozen=True):
    """Seconds of one module call with all within it; `module` is its place in `Comparison.modules`."""

    module: int
    before: float
    after: float
    ratio: float | None = None


class CostChange(Record, frozen=True):
    """All of it: the matches that took time, in reading order; the rules, what changed most in time first.

    The modules that took time stand as the comparison has them; what is in no module is in none of them.

    `before` and `after` are the wholes, seconds of one run; `overhead` is what of them was in no node.
    """

    schema: int
    before: float
    after: float
    overhead: tuple[float, float]
    matches: tuple[MatchCost, ...]
    rules: tuple[RuleCost, ...]
    modules: tuple[ModuleCost, ...] = ()


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
    nodes = _by_node(before, diff.numbering_a, "before"), _by_node(after, diff.numbering_b, "after")
    ours, theirs = _sums(nodes[0], diff.match_of_a), _sums(nodes[1], diff.match_of_b)
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
        modules=_modules(diff, nodes),
    )


def _by_node(profile: Costs, numbering: Numbering, side: str) -> dict[int, float]:
    """Seconds by number of node."""
    snapshot = numbering.snapshot
    if profile.snapshot is not snapshot and profile.snapshot != snapshot:
        raise ValueError(f"the profile {side} is of another program than that side of the diff")
    numbers = {
        node.id: numbering.number(node) for graph in snapshot.graphs for node in graph if node.op != "output"
    }
    return {numbers[name]: seconds for name, seconds in profile.series("time").items()}


def _sums(seconds: Mapping[int, float], key_of: Mapping[int, int]) -> dict[int, float]:
    """Seconds by what their nodes are of."""
    found: dict[int, float] = {}
    for node, time in seconds.items():
        found[key_of[node]] = found.get(key_of[node], 0.0) + time
    return found


def _modules(diff: Diff, nodes: tuple[Mapping[int, float], Mapping[int, float]]) -> tuple[ModuleCost, ...]:
    before = _by_scope(nodes[0], diff.numbering_a)
    after = _by_scope(nodes[1], diff.numbering_b)
    rows = (
        (number, before.get(module.a, 0.0), after.get(module.b, 0.0))
        for number, module in enumerate(diff.comparison.modules)
    )
    return tuple(ModuleCost(number, a, b, _ratio(a, b)) for number, a, b in rows if a or b)


def _by_scope(seconds: Mapping[int, float], numbering: Numbering) -> dict[int, float]:
    """Seconds by number of scope, each with all within it."""
    scopes = numbering.snapshot.scopes
    own = {node: numbering.node(node) for node in seconds}
    found = _sums(seconds, {node: one.graph.columns.scopes[one.position] for node, one in own.items()})
    for number in range(len(scopes) - 1, -1, -1):  # what a scope stands in comes before it
        outer = scopes[number].parent
        if outer != NONE and number in found:
            found[outer] = found.get(outer, 0.0) + found[number]
    found.pop(NONE, None)
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
