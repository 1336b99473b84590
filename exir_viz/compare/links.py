"""Links that a caller gives: exact lineage, or anything else that says which node came from which.

Enters: pairs of nodes (or of node numbers) with words of evidence, or a Lineage from b to a. Leaves:
numbers and words. An item of a tuple descends, as torch tells it, from the op that yields the tuple; where
a takes the same item, the link is to that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from exir_viz.snapshot import Node
from exir_viz.snapshot.lineage import Lineage

from .side import Side

# How far links are believed whose evidence is itself inferred (Evidence.NAME, Evidence.STRUCTURE).
INFERRED = 0.9

Links: TypeAlias = Lineage | Iterable[tuple[int | Node, int | Node, str]]


class Link(NamedTuple):
    """Node a became node b, or a part of it; `text` says how that is known."""

    a: int
    b: int
    text: str


def read_links(links: Links, a: Side, b: Side) -> list[Link]:
    """The links by number; those to an item of a tuple go to the same item."""
    found = [Link(_number(x, a), _number(y, b), text) for x, y, text in _triples(links)]
    items = {(i, a.arguments[number]): number for number in range(a.size) for i in _item_of(a, number)}
    return [_to_item(link, items, b) for link in found]


def _triples(links: Links) -> Iterator[tuple[int | Node, int | Node, str]]:
    if not isinstance(links, Lineage):
        yield from links
        return
    for node, ancestor, evidence in zip(links.nodes, links.ancestors, links.evidence, strict=True):
        yield ancestor, node, links.kinds[evidence].value


def _number(node: int | Node, side: Side) -> int:
    return node if isinstance(node, int) else side.bases[node.graph.number] + node.position


def _to_item(link: Link, items: dict[tuple[int, int], int], b: Side) -> Link:
    if not _item_of(b, link.b):
        return link
    return link._replace(a=items.get((link.a, b.arguments[link.b]), link.a))


def _item_of(side: Side, number: int) -> list[int]:
    """The node whose item a `getitem` takes; nothing for another node."""
    return list(side.inputs[number]) if side.targets[number] == side.getitem else []
