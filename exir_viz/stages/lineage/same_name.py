"""Match by name, if there is no better evidence. Such links are marked as inferred.

The graph ids in hops mean nothing in a program that was saved and loaded again, but the names and targets in
them still do. A node that kept its name and its op is most likely the same node.
"""

from __future__ import annotations

from torch import fx
from torch.fx.traceback import NodeSource

from exir_viz.snapshot.lineage import Evidence

from .from_node import nearest, text
from .links import CALLS, Links
from .op_names import base


def link(links: Links) -> None:
    """Link a node to one of equal name and op that has no descendant yet.

    Graphs that share nothing else are skipped: re-export numbers names again, so that `add_3` is another
    node.
    """
    with_descendants, strangers = links.with_descendants(), dict(links.strangers())
    for place, before in links.pairs.items():
        if place in strangers:
            continue
        free = {node.name: node for node in before.nodes if node not in with_descendants}
        for node in place.nodes:
            same = free.get(node.name)
            if same is not None and same.op == node.op and base(same) == base(node):
                links.add(node, (same,), Evidence.NAME)


def hops(links: Links) -> None:
    """Link by hops whose name and target are valid but whose graph is unknown."""
    texts: dict[int, str] = {}
    for place, before in links.strangers():
        known = {(node.name, text(node, texts)): node for node in before.nodes}

        def named(source: NodeSource, known: dict[tuple[str, str], fx.Node] = known) -> fx.Node | None:
            return known.get((source.name, source.target))

        for node in place.nodes:
            if node.op in CALLS:
                links.add(node, nearest(node, named), Evidence.NAME)
