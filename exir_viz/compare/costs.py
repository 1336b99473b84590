"""The time of each match, rule and module before and after.

Enters: a Diff, and for each side the seconds of its nodes by id with the time outside nodes (a Profile has
both). Leaves: `CostChange`, plain data whose parts add up to the totals. It imports neither Profile nor
torch.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from exir_viz.options import refuse
from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.module_attribution import owner_of
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.records import Record

from .noise import NOTHING, Span, are_apart, span, total

if TYPE_CHECKING:
    from .diff import Diff

SCHEMA = 1


class MatchCost(Record, frozen=True):
    """Seconds of all nodes of one match on either side; `ratio` is after to before, None if that was 0.

    `noise`: the two differ by no more than two runs of one program do. `basis`: which times of either side
    were not measured directly ("emulated", "estimated"), absent if all were.
    """

    match: int
    before: float
    after: float
    ratio: float | None = None
    noise: bool = False
    basis: tuple[str, str] | None = None


class RuleCost(Record, frozen=True):
    """Seconds of all matches of one rule; "" is for what is the same."""

    rule: str
    matches: int
    before: float
    after: float
    ratio: float | None = None
    noise: bool = False
    basis: tuple[str, str] | None = None


class ModuleCost(Record, frozen=True):
    """Seconds of one module call including submodules.

    `module` is its index in `Comparison.modules`.
    """

    module: int
    before: float
    after: float
    ratio: float | None = None
    noise: bool = False
    basis: tuple[str, str] | None = None


class CostChange(Record, frozen=True):
    """The matches that took time, in reading order; the rules, the largest change of time first.

    The modules that took time are in the order of the comparison; time outside modules is in none of them.

    `before` and `after` are the totals, seconds of one run; `overhead` is the part of them outside nodes.
    `untimed` is a side's time in matches whose time one side does not know: it timed a delegate as one block,
    or an op not separately. They are in no entry of `matches`, `rules` and `modules`. `runs` says how either
    was measured, and `doubts` what makes the two hard to compare. `comparable` is False if different
    executors measured the two: then there are no ratios.
    """

    schema: int
    before: float
    after: float
    overhead: tuple[float, float]
    matches: tuple[MatchCost, ...]
    rules: tuple[RuleCost, ...]
    modules: tuple[ModuleCost, ...] = ()
    noise: bool = False
    untimed: tuple[float, float] = (0.0, 0.0)
    runs: tuple[str, str] = ("", "")
    doubts: tuple[str, ...] = ()
    comparable: bool = True


class Whole(Protocol):
    """Nanoseconds of a run, or of a part of it, over `n` runs."""

    @property
    def time(self) -> int: ...
    @property
    def p25(self) -> int: ...
    @property
    def p75(self) -> int: ...
    @property
    def n(self) -> int: ...


class NodeCost(Protocol):
    """What one node cost."""

    @property
    def node(self) -> Node: ...
    @property
    def time(self) -> float | None: ...
    @property
    def span(self) -> Span: ...
    @property
    def basis(self) -> str: ...


class Hidden(Protocol):
    """A call whose time is that of several ops."""

    @property
    def call(self) -> Node: ...
    @property
    def ops(self) -> tuple[Node, ...]: ...


class Costs(Protocol):
    """The interface of a Profile that is needed here."""

    @property
    def snapshot(self) -> Snapshot: ...
    @property
    def whole(self) -> Whole | None: ...
    @property
    def overhead(self) -> Whole | None: ...
    @property
    def fused_timings(self) -> Sequence[Hidden]: ...
    @property
    def untimed_ops(self) -> Sequence[Node]: ...
    @property
    def ran(self) -> str: ...
    @property
    def is_busy(self) -> bool: ...
    @property
    def doubts(self) -> Sequence[str]: ...
    def differences(self, other: Any) -> list[str]: ...
    def has_same_executor(self, other: Any) -> bool: ...
    def __iter__(self) -> Iterator[NodeCost]: ...


@dataclass(slots=True)
class _Sum:
    """Seconds of several nodes of one side, and which of them were not measured directly."""

    span: Span = NOTHING
    others: frozenset[str] = frozenset()

    def add(self, more: _Sum) -> None:
        self.span = total((self.span, more.span))
        self.others |= more.others


class _Side:
    """The costs of one side by number of node, and its nodes without a time of their own."""

    def __init__(self, profile: Costs, numbering: Numbering, name: str) -> None:
        snapshot = numbering.snapshot
        if profile.snapshot is not snapshot and profile.snapshot != snapshot:
            raise ValueError(f"the profile {name} is of another program than that side of the diff")
        self._numbering = numbering
        self._profile = profile
        self.nodes = {
            numbering.number(cost.node): _Sum(cost.span, frozenset({str(cost.basis)} - {"measured"}))
            for cost in profile
            if cost.time is not None
        }
        hidden = (node for one in profile.fused_timings for node in (one.call, *one.ops))
        self.hidden = {numbering.number(node) for node in (*hidden, *profile.untimed_ops)}

    def sums(self, key_of: Mapping[int, int]) -> dict[int, _Sum]:
        """Sums by group of nodes."""
        found: dict[int, _Sum] = {}
        for node, one in self.nodes.items():
            found.setdefault(key_of[node], _Sum()).add(one)
        return found

    def modules(self) -> dict[int, _Sum]:
        """By number of scope, including submodules."""
        scopes = self._numbering.snapshot.scopes
        found = self.sums({node: owner_of(self._numbering.node(node)) for node in self.nodes})
        for number in range(len(scopes) - 1, -1, -1):  # a scope's parent has a smaller number
            outer = scopes[number].parent
            if outer != NONE and number in found:
                found.setdefault(outer, _Sum()).add(found[number])
        found.pop(NONE, None)
        return found

    def mixed(self) -> set[int]:
        """The numbers of the scopes whose own time is unknown or incomplete."""
        found = {scope for node in self._profile.untimed_ops for scope in self._around(owner_of(node))}
        for one in self._profile.fused_timings:
            shared = {scope for op in one.ops for scope in self._around(_scope(op))}
            found |= shared.difference(self._around(owner_of(one.call)))
        return found

    def _around(self, scope: int) -> list[int]:
        return self._numbering.snapshot.scope_numbers(scope)


def _scope(node: Node) -> int:
    return node.graph.columns.scopes[node.position]


def costs(diff: Diff, before: Costs, after: Costs) -> CostChange:
    """The costs of a diff's matches. Raises ValueError if a profile belongs to another program."""
    for one in (before, after):
        if not hasattr(one, "snapshot"):
            how = "costs() takes a Profile of each side, exir_viz.profile(…)."
            refuse("costs", "a profile", one, "a Profile", how)
    a, b = _Side(before, diff.numbering_a, "before"), _Side(after, diff.numbering_b, "after")
    ours, theirs = a.sums(diff.match_of_a), b.sums(diff.match_of_b)
    lost = {diff.match_of_a[node] for node in a.hidden} | {diff.match_of_b[node] for node in b.hidden}
    is_alike = before.has_same_executor(after)
    # A busy machine causes larger differences than any change.
    is_noise = not is_alike or before.is_busy or after.is_busy
    matches = tuple(
        MatchCost(at, **_change(ours.get(at), theirs.get(at), is_alike, is_noise))
        for at in range(len(diff))
        if at not in lost and (at in ours or at in theirs)
    )
    overhead = _overhead(before), _overhead(after)
    wholes = _seconds(ours) + overhead[0], _seconds(theirs) + overhead[1]
    return CostChange(
        SCHEMA,
        before=wholes[0],
        after=wholes[1],
        overhead=overhead,
        matches=matches,
        rules=_rules(diff, ours, theirs, {one.match for one in matches}, is_alike, is_noise),
        modules=_modules(diff, a, b, is_alike, is_noise),
        noise=is_noise or not are_apart(_whole(before, wholes[0]), _whole(after, wholes[1])),
        untimed=(_seconds(ours, lost), _seconds(theirs, lost)),
        runs=(before.ran, after.ran),
        doubts=(
            *before.differences(after),
            *(f"before: {text}" for text in before.doubts),
            *(f"after: {text}" for text in after.doubts),
        ),
        comparable=is_alike,
    )


def _change(before: _Sum | None, after: _Sum | None, is_alike: bool, is_noise: bool) -> dict[str, Any]:
    a, b = before or _Sum(), after or _Sum()
    basis = " and ".join(sorted(a.others)), " and ".join(sorted(b.others))
    return {
        "before": a.span.time,
        "after": b.span.time,
        "ratio": _ratio(a.span.time, b.span.time) if is_alike else None,
        "noise": is_noise or not are_apart(a.span, b.span),
        "basis": basis if any(basis) else None,
    }


def _seconds(sums: Mapping[int, _Sum], only: Collection[int] | None = None) -> float:
    return sum(one.span.time for at, one in sums.items() if only is None or at in only)


def _modules(diff: Diff, a: _Side, b: _Side, is_alike: bool, is_noise: bool) -> tuple[ModuleCost, ...]:
    before, after = a.modules(), b.modules()
    lost = a.mixed(), b.mixed()
    return tuple(
        ModuleCost(number, **_change(before.get(module.a), after.get(module.b), is_alike, is_noise))
        for number, module in enumerate(diff.comparison.modules)
        if not (module.a in lost[0] or module.b in lost[1]) and (module.a in before or module.b in after)
    )


def _rules(
    diff: Diff,
    ours: Mapping[int, _Sum],
    theirs: Mapping[int, _Sum],
    reported: Collection[int],
    is_alike: bool,
    is_noise: bool,
) -> tuple[RuleCost, ...]:
    found: dict[str, tuple[int, _Sum, _Sum]] = {}
    for at in sorted(reported):
        rule = diff[at].rule
        text = "" if rule is None else rule.text
        count, a, b = found.get(text, (0, _Sum(), _Sum()))
        a.add(ours.get(at, _Sum()))
        b.add(theirs.get(at, _Sum()))
        found[text] = count + 1, a, b
    rows = [RuleCost(text, n, **_change(a, b, is_alike, is_noise)) for text, (n, a, b) in found.items()]
    return tuple(sorted(rows, key=lambda row: (-abs(row.after - row.before), row.rule)))


def _ratio(before: float, after: float) -> float | None:
    return after / before if before else None


def _overhead(profile: Costs) -> float:
    return profile.overhead.time / 1e9 if profile.overhead is not None else 0.0


def _whole(profile: Costs, seconds: float) -> Span:
    whole = profile.whole
    return span(seconds, *((whole.p25 / 1e9, whole.p75 / 1e9, whole.n) if whole else (None, None, 0)))
