"""Lineage: for each node of one Snapshot, its ancestors in another, each link with its evidence.

Plain data, as it is kept and sent. Nodes are named by number: a graph's base (the lengths of the graphs
before it) plus a position (see `numbering`). A node without a link says why it has none, if that is known.
`LineageIndex` reads it in both directions; `compose` leads over a stage in between.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from .records import Record


class Evidence(StrEnum):
    """What a link rests on, the strongest first. `name` and `structure` are inferred, the others exact.

    from_node: torch's record of the node that it was made from, by name, target and graph.
    identity: the same object or the same place: metadata passed on by reference, an entry of the
        signature, an argument or output of calls that are themselves linked.
    delegate_map: what was delegated: a delegate's call, its outputs and its inputs, by its members.
    debug_handle: the number that ExecuTorch gives to what came of one exported node.
    generated_code: the line of code that torch generated for an inlined body, such as that of `no_grad`.
    name: the name and target are the same, and nothing else speaks of it.
    structure: the same op at the same place in the order, in graphs that share nothing else.
    """

    FROM_NODE = "from_node"
    IDENTITY = "identity"
    DELEGATE_MAP = "delegate_map"
    DEBUG_HANDLE = "debug_handle"
    GENERATED_CODE = "generated_code"
    NAME = "name"
    STRUCTURE = "structure"


_STRENGTH = {evidence: number for number, evidence in enumerate(reversed(Evidence))}
EXACT = frozenset(Evidence) - {Evidence.NAME, Evidence.STRUCTURE}


class Orphan(Record, frozen=True):
    """A node that no node of the parent became, and why it exists ("the memory that `conv` writes to")."""

    node: int
    reason: str


class Lineage(Record, frozen=True):
    """Links from a stage to its parent: `nodes[i]` came from `ancestors[i]`, by `evidence[i]` of `kinds`.

    Sorted by node, then ancestor. A node may have several ancestors, and an ancestor several descendants.
    """

    nodes: tuple[int, ...] = ()
    ancestors: tuple[int, ...] = ()
    evidence: tuple[int, ...] = ()
    kinds: tuple[Evidence, ...] = ()
    orphans: tuple[Orphan, ...] = ()


class Link(NamedTuple):
    """The other end of a link, and what the link rests on."""

    node: int
    evidence: Evidence

    @property
    def exact(self) -> bool:
        return self.evidence in EXACT


class LineageIndex:
    """A Lineage in both directions, each computed once, when first asked for."""

    def __init__(self, lineage: Lineage) -> None:
        self.lineage = lineage

    def ancestors(self, node: int) -> tuple[Link, ...]:
        """What a node of the child came from."""
        return tuple(self._back.get(node, ()))

    def descendants(self, node: int) -> tuple[Link, ...]:
        """What became of a node of the parent."""
        return tuple(self._forward.get(node, ()))

    def reason(self, node: int) -> str:
        """Why a node of the child has no ancestor; "" where it has one, or nothing is known."""
        return self._reasons.get(node, "")

    @cached_property
    def _back(self) -> dict[int, list[Link]]:
        found: dict[int, list[Link]] = {}
        for node, ancestor, evidence in links_of(self.lineage):
            found.setdefault(node, []).append(Link(ancestor, evidence))
        return found

    @cached_property
    def _forward(self) -> dict[int, list[Link]]:
        found: dict[int, list[Link]] = {}
        for node, ancestor, evidence in links_of(self.lineage):
            found.setdefault(ancestor, []).append(Link(node, evidence))
        return found

    @cached_property
    def _reasons(self) -> dict[int, str]:
        return {orphan.node: orphan.reason for orphan in self.lineage.orphans}


def links_of(lineage: Lineage) -> Iterator[tuple[int, int, Evidence]]:
    """Every link as (node, ancestor, evidence)."""
    columns = zip(lineage.nodes, lineage.ancestors, lineage.evidence, strict=True)
    return ((node, ancestor, lineage.kinds[kind]) for node, ancestor, kind in columns)


def lineage_of(links: dict[tuple[int, int], Evidence], reasons: dict[int, str]) -> Lineage:
    """Links by (node, ancestor) and reasons by node → the record."""
    ends = sorted(links)
    kinds = tuple(kind for kind in Evidence if kind in set(links.values()))
    numbers = {kind: number for number, kind in enumerate(kinds)}
    return Lineage(
        nodes=tuple(node for node, _ in ends),
        ancestors=tuple(ancestor for _, ancestor in ends),
        evidence=tuple(numbers[links[end]] for end in ends),
        kinds=kinds,
        orphans=tuple(Orphan(node, reasons[node]) for node in sorted(reasons)),
    )


def weaker(one: Evidence, other: Evidence) -> Evidence:
    """The evidence of two links in a row: inferred if one of them is."""
    return min(one, other, key=_STRENGTH.__getitem__)


def compose(late: Lineage, early: Lineage) -> Lineage:
    """Join the lineages child → middle and middle → parent. The strongest of several links counts."""
    middle = LineageIndex(early)
    links: dict[tuple[int, int], Evidence] = {}
    reasons = {orphan.node: orphan.reason for orphan in late.orphans}
    ended: dict[int, str] = {}
    for node, between, evidence in links_of(late):
        for ancestor, before in middle.ancestors(between):
            found, end = weaker(evidence, before), (node, ancestor)
            links[end] = max(links.get(end, found), found, key=_STRENGTH.__getitem__)
        if reason := middle.reason(between):
            ended.setdefault(node, reason)
    linked = {node for node, _ in links}
    return lineage_of(links, reasons | {node: ended[node] for node in ended if node not in linked})


def problems(lineage: Lineage, nodes: int, ancestors: int) -> Iterator[str]:
    """What is wrong with a Lineage between Snapshots of so many nodes; a file may hold anything."""
    columns = (lineage.nodes, lineage.ancestors, lineage.evidence)
    if len({len(column) for column in columns}) != 1:
        yield "the columns of the lineage differ in length"
        return
    for column, size, what in (
        (lineage.nodes, nodes, "a node"),
        (lineage.ancestors, ancestors, "an ancestor"),
        (lineage.evidence, len(lineage.kinds), "a kind of evidence"),
        (tuple(orphan.node for orphan in lineage.orphans), nodes, "a node without an ancestor"),
    ):
        if column and not 0 <= min(column) <= max(column) < size:
            yield f"the lineage names {what} that is not there"
    ends = list(zip(lineage.nodes, lineage.ancestors, strict=True))
    if any(one >= other for one, other in pairwise(ends)):
        yield "the links of the lineage are not in order"
