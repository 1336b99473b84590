"""Names, where nothing better speaks: inferred, and said to be.

A program that was saved and opened again has hops whose graph ids mean nothing any more, but the names and
targets in them still do. And a node that kept its name and its op is most likely the same node.
"""

from __future__ import annotations

from torch import fx
from torch.fx.traceback import NodeSource

from exir_viz.snapshot.lineage import Evidence

from .from_node import nearest, text
from .links import CALLS, Links
from .op_names import base


def link(links: Links) -> None:
    """Link what has name and op in common with a node that has no descendant yet.

    Not where graphs share nothing else: exporting again counts names anew, and `add_3` is then another.
    """
    taken, strangers = links.taken(), dict(links.strangers())
    for place, before in links.pairs.items():
        if place in strangers:
            continue
        free = {node.name: node for node in before.nodes if node not in taken}
        for node in place.nodes:
            same = free.get(node.name)
            if same is not None and same.op == node.op and base(same) == base(node):
                links.add(node, (same,), Evidence.NAME)


def hops(links: Links) -> None:
    """Link by hops of which only name and target are known to be true: where no hop's graph is known."""
    texts: dict[int, str] = {}
    for place, before in links.strangers():
        known = {(node.name, text(node, texts)): node for node in before.nodes}

        def named(source: NodeSource, known: dict[tuple[str, str], fx.Node] = known) -> fx.Node | None:
            return known.get((source.name, source.target))

        for node in place.nodes:
            if node.op in CALLS:
                links.add(node, nearest(node, named), Evidence.NAME)
