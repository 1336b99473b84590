"""Attribute costs to an earlier stage: each node gets the time of all nodes made from it.

Enters: the Profile of a stage, and its lineage to an earlier one. Leaves: `Carried`. A node with several
ancestors divides its time among them evenly, which is marked as estimated. Nodes without an ancestor, and
time outside nodes, have entries of their own, so that the sum is that of the Profile.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, overload

from exir_viz.compare.align.known_links import StageLike, down
from exir_viz.options import wrong_argument
from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.format import plural, time_text
from exir_viz.snapshot.lineage import Evidence, Lineage, LineageIndex, Link
from exir_viz.snapshot.numbering import Numbering

from .records import Basis

if TYPE_CHECKING:
    import pandas as pd

    from .profile import Cost, Profile


@dataclass(frozen=True, slots=True)
class CostShare:
    """The contribution of one node of the later stage: its seconds, its share of them, the evidence of
    its link.

    `time` is None if the node's time is unknown. `basis` is `estimated` if the node has several ancestors,
    which divide its time evenly; else the basis of the node's own time.
    """

    node: Node
    time: float | None
    share: float
    evidence: Evidence
    basis: Basis

    @property
    def exact(self) -> bool:
        """Whether the link is exact, not inferred."""
        return Link(0, self.evidence).exact


@dataclass(frozen=True, slots=True)
class CarriedCost:
    """A node of the earlier stage, with the seconds of its descendants, as far as their times are known.

    `time` is None if no time is known.
    """

    node: Node
    parts: tuple[CostShare, ...]

    @property
    def time(self) -> float | None:
        known = [part.time for part in self.parts if part.time is not None]
        return sum(known) if known else None

    @property
    def bases(self) -> frozenset[Basis]:
        """The bases of the times in it."""
        return frozenset(part.basis for part in self.parts if part.time is not None)


@dataclass(frozen=True, slots=True)
class Orphan:
    """A node of the later stage without an ancestor: its seconds, and why it is there, if known."""

    node: Node
    time: float | None
    reason: str


class Carried(Sequence[CarriedCost]):
    """The costs of a Profile at an earlier stage, in that stage's running order."""

    def __init__(
        self,
        profile: Profile,
        snapshot: Snapshot,
        costs: Sequence[CarriedCost],
        orphans: tuple[Orphan, ...],
    ) -> None:
        self.profile = profile
        self.snapshot = snapshot
        self.orphans = orphans
        self._costs = tuple(costs)

    @property
    def overhead(self) -> float:
        """Seconds outside nodes."""
        return 0.0 if self.profile.overhead is None else self.profile.overhead.time / 1e9

    @property
    def time(self) -> float:
        """All known seconds: of nodes, of orphans, and the overhead."""
        nodes, rest = ([one.time or 0.0 for one in found] for found in (self._costs, self.orphans))
        return sum(nodes) + sum(rest) + self.overhead

    def __len__(self) -> int:
        return len(self._costs)

    def __iter__(self) -> Iterator[CarriedCost]:
        return iter(self._costs)

    @overload
    def __getitem__(self, key: int) -> CarriedCost: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[CarriedCost, ...]: ...
    def __getitem__(self, key: int | slice) -> CarriedCost | tuple[CarriedCost, ...]:
        return self._costs[key]

    def of(self, node: Node) -> CarriedCost | None:
        """The cost of a node of the earlier stage; None if no computing node was made from it."""
        return next((one for one in self._costs if one.node == node), None)

    def series(self) -> Mapping[str, float]:
        """Seconds by node of the earlier stage, to paint it with."""
        return {one.node.id: one.time for one in self._costs if one.time is not None}

    @property
    def frame(self) -> pd.DataFrame:
        """One row per part: see `frames.carried_frame`."""
        from .frames import carried_frame

        return carried_frame(self)

    def __repr__(self) -> str:
        return f"<{plural(len(self), 'node')} with {time_text(self.time)} of {self.profile!r}>"


class StageOf(StageLike, Protocol):
    """A stage that knows the others of its session."""

    @property
    def session(self) -> Sequence[StageLike]: ...


def at(profile: Profile, stage: StageOf) -> Carried:
    """The costs of a profile at `stage`, an ancestor of the profiled stage."""
    if not (hasattr(stage, "session") and hasattr(stage, "snapshot")):
        raise wrong_argument(
            f"Costs can only be carried to a stage of a session, not to a {type(stage).__name__}: pass "
            "one, like session.root."
        )
    for later in stage.session:
        if _snapshot(later) is profile.snapshot:
            lineage = Lineage() if later is stage else down(stage, later)
            if lineage is None:
                raise wrong_argument(
                    f"Stage {later.name!r}, which was profiled, was not made from {stage.name!r}: costs are "
                    "carried back to the stages that it was made from."
                )
            return carry(profile, lineage, stage.snapshot)
    raise wrong_argument(
        f"The profile belongs to no stage of the session of {stage.name!r}. Make one with "
        "exir_viz.profile(stage)."
    )


def carry(profile: Profile, lineage: Lineage, snapshot: Snapshot) -> Carried:
    """The costs of a profile by the nodes of the Snapshot at the other end of `lineage`."""
    here, there, index = Numbering(profile.snapshot), Numbering(snapshot), LineageIndex(lineage)
    is_same = profile.snapshot is snapshot
    parts: dict[int, list[CostShare]] = {}
    orphans: list[Orphan] = []
    for cost in profile:
        number = here.number(cost.node)
        found = (Link(number, Evidence.IDENTITY),) if is_same else index.ancestors(number)
        for link in found:
            parts.setdefault(link.node, []).append(_part(cost, link, len(found)))
        if not found:
            orphans.append(Orphan(cost.node, cost.time, index.reason(number)))
    costs = [CarriedCost(there.node(number), tuple(parts[number])) for number in sorted(parts)]
    return Carried(profile, snapshot, costs, tuple(orphans))


def _part(cost: Cost, link: Link, ancestors: int) -> CostShare:
    time = None if cost.time is None else cost.time / ancestors
    basis = cost.basis if ancestors == 1 else Basis.ESTIMATED
    return CostShare(cost.node, time, 1 / ancestors, link.evidence, basis)


def _snapshot(stage: StageLike) -> Snapshot | None:
    """The Snapshot of a stage; None if its step failed."""
    return None if getattr(stage, "failed", False) else stage.snapshot
