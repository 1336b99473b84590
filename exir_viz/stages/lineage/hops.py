"""`from_node`: torch's own record of what a node was made from.

A hop names a node by name, target and the id of its graph. The id is Python's: it says the truth while the
parent's graph is alive, which a stage sees to. The nearest hop that names a node of the parent is its
ancestor. What a placeholder records is the op that first used it: placeholders are linked by signature.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from torch import fx
from torch.fx.traceback import NodeSource

from exir_viz.snapshot.lineage import Evidence

from .links import CALLS, Links
from .targets import converts


def link(links: Links, kin: Mapping[fx.Node, fx.Node]) -> None:
    """Link what names its ancestor and its graph, or the ancestor's twin in the copy a step worked on."""
    known = {(id(node.graph), node.name): node for node in links.parent.nodes}
    known |= {(id(twin.graph), twin.name): node for twin, node in kin.items()}
    texts: dict[int, str] = {}

    def named(source: NodeSource) -> fx.Node | None:
        node = known.get((source.graph_id, source.name))
        return node if node is not None and text(node, texts) == source.target else None

    for node in links.open(*CALLS):
        found = nearest(node, named)
        if converts(node):  # a node that quantization put before or after another is not what that became
            found = (one for one in found if converts(one))
        links.add(node, found, Evidence.FROM_NODE)


def nearest(node: fx.Node, named: Callable[[NodeSource], fx.Node | None]) -> Iterator[fx.Node]:
    """On each way back, the first hop that names a node."""
    level = list(node.meta.get("from_node") or ())
    while level:
        deeper: list[NodeSource] = []
        for source in level:
            found = named(source)
            if found is None:
                deeper += source.from_node
            else:
                yield found
        level = deeper


def text(node: fx.Node, texts: dict[int, str]) -> str:
    """A target as a hop writes it; `texts` keeps it by target, for an edge op's text is long."""
    kept = texts.get(id(node.target))
    if kept is None:
        kept = texts[id(node.target)] = str(node.target)
    return kept
