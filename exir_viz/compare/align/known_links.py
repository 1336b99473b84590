"""Links known before matching: lineage between stages, or links that the user passes.

Enters: pairs of nodes (or of node numbers) with an evidence text; or two stages with a lineage. Leaves:
`Known`, by number. torch records the op as ancestor of a tuple item; if the other side takes the same item of
the same tuple, the link is to that item.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, Protocol, TypeAlias

from exir_viz.compare.normalize.delegates import running_nodes
from exir_viz.compare.normalize.side import Side
from exir_viz.compare.normalize.stored_contents import LiveState
from exir_viz.errors import ExirVizError
from exir_viz.options import refuse, several
from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.lineage import EXACT, Evidence, Lineage, compose, links_of
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.tuple_links import is_same_tuple

# The confidence of a link whose evidence is itself inferred.
INFERRED = 0.9

_LINK = (
    "A link is (node of a, node of b, evidence), such as (a.method.graph['add'], b.method.graph['add'], "
    "'name'). Its number or its id works too."
)

Links: TypeAlias = Iterable[tuple[int | str | Node, int | str | Node, str]]


class StageLike(Protocol):
    """The attributes of a stage that are needed to follow its lineage."""

    name: str

    @property
    def snapshot(self) -> Snapshot: ...
    @property
    def parent(self) -> StageLike | None: ...
    @property
    def lineage(self) -> Lineage | None: ...
    @property
    def weights(self) -> LiveState | None: ...


class Link(NamedTuple):
    """Node a became node b, or a part of it; `text` is the evidence."""

    a: int
    b: int
    text: str


class Known(NamedTuple):
    """Links known before matching, and why a node of either side has no counterpart."""

    links: tuple[Link, ...] = ()
    reasons_a: Mapping[int, str] = {}
    reasons_b: Mapping[int, str] = {}


def given(links: Links, a: Snapshot, b: Snapshot) -> Known:
    """The caller's links."""
    if not several(links):
        refuse("diff", "links", links, "pairs of nodes", _LINK)
    ours, theirs = Numbering(a), Numbering(b)
    return Known(tuple(_given(link, ours, theirs) for link in links))


def _given(link: object, a: Numbering, b: Numbering) -> Link:
    match link:
        case (x, y, str(text)):
            return Link(_number(x, a, "a"), _number(y, b, "b"), text)
    raise ExirVizError(f"{link!r} is not a link. {_LINK}")


def between(a: StageLike, b: StageLike) -> Known:
    """The lineage between two stages, if one was made from the other; else nothing."""
    lineage = down(a, b)
    if lineage is not None:
        links, reasons = _of(lineage, b.snapshot)
        return Known(links, {}, reasons)
    lineage = down(b, a)
    if lineage is not None:
        links, reasons = _of(lineage, a.snapshot)
        return Known(tuple(Link(link.b, link.a, link.text) for link in links), reasons, {})
    return Known()


def _of(lineage: Lineage, late: Snapshot) -> tuple[tuple[Link, ...], dict[int, str]]:
    """The links of a lineage, early to late, and why nodes have none.

    A delegate's call descends from all ancestors of its members: it is left out if these have descendants of
    their own.
    """
    links = [Link(ancestor, node, kind.value) for node, ancestor, kind in links_of(lineage)]
    running = running_nodes(late)
    kept = {link.a for link in links if link.b not in running}
    left = {link.b for link in links if link.b in running and link.a in kept}
    reasons = {orphan.node: orphan.reason for orphan in lineage.orphans}
    return tuple(link for link in links if link.b not in left), reasons


def confidence(text: str) -> float:
    """The confidence of a link with that evidence."""
    inferred = text in {kind.value for kind in Evidence if kind not in EXACT}
    return INFERRED if inferred else 1.0


def to_items(links: Iterable[Link], a: Side, b: Side) -> list[Link]:
    """The links, with a link of a tuple item redirected to the same item of the other side's tuple."""
    ours, theirs = _items(a), _items(b)
    links = list(links)
    of_a: dict[int, list[Node]] = defaultdict(list)
    of_b: dict[int, list[Node]] = defaultdict(list)
    for link in links:
        of_a[link.a].append(b.node(link.b))
        of_b[link.b].append(a.node(link.a))
    found = []
    for link in links:
        before, after = a.targets[link.a] == a.getitem, b.targets[link.b] == b.getitem
        if after and not before and _is_item_of_same(a, link.a, b, link.b, of_a[link.a]):
            found.append(link._replace(a=ours.get((link.a, b.arguments[link.b]), link.a)))
        elif before and not after and _is_item_of_same(b, link.b, a, link.a, of_b[link.b]):
            found.append(link._replace(b=theirs.get((link.b, a.arguments[link.a]), link.b)))
        else:
            found.append(link)
    return found


def _is_item_of_same(side: Side, op: int, other: Side, item: int, became: Collection[Node]) -> bool:
    """Whether an item is that of the tuple that an op of the other side yields."""
    owners = other.inputs[item]
    return bool(owners) and is_same_tuple(side.node(op), other.node(owners[0]), became)


def _items(side: Side) -> dict[tuple[int, int], int]:
    """By tuple and arguments (the index): the node that takes that item."""
    getitems = (
        (i, inputs) for i, inputs in enumerate(side.inputs) if side.targets[i] == side.getitem and inputs
    )
    return {(inputs[0], side.arguments[i]): i for i, inputs in getitems}


def down(early: StageLike, late: StageLike) -> Lineage | None:
    """The composed lineage from a stage back to an ancestor."""
    found: Lineage | None = None
    stage = late
    while stage is not early:
        if stage.parent is None or stage.lineage is None:
            return None
        found = stage.lineage if found is None else compose(found, stage.lineage)
        stage = stage.parent
    return found


def _number(node: object, numbering: Numbering, side: str) -> int:
    if isinstance(node, int) and 0 <= node < len(numbering):
        return node
    if isinstance(node, str):
        node = numbering.snapshot.find(node) or node
    if isinstance(node, Node) and node.graph.snapshot is numbering.snapshot:
        return numbering.number(node)
    raise ExirVizError(f"{node!r} is not a node of {side}. {_LINK}")
