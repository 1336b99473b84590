"""`from_node`: torch's own record of what a node was made from.

A hop names a node by name, target and the id of its graph. The id is Python's: it says the truth while the
parent's graph is alive, which a stage sees to. The nearest hop that names a node of the parent is its
ancestor. What a placeholder records is the op that first used it: placeholders are linked by signature.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from torch import fx
from torch.fx.traceback import NodeSource

from exir_viz.snapshot.lineage import Evidence

from .links import CALLS, Links
from .op_names import converts


def link(links: Links) -> None:
    """Link what names its ancestor and its graph."""
    known = {(id(node.graph), node.name): node for node in links.parent.nodes}
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
    level = sources(node.meta.get("from_node"))
    while level:
        deeper: list[NodeSource] = []
        for source in level:
            found = named(source)
            if found is None:
                deeper += sources(source.from_node)
            else:
                yield found
        level = deeper


def sources(recorded: object) -> list[NodeSource]:
    """The hops of a record; a user's pass may have left anything there."""
    every = recorded if isinstance(recorded, list | tuple) else ()
    return [one for one in every if isinstance(one, NodeSource)]


def name_originals(links: Links) -> None:
    """Have hops name the parent's graphs where they name those of the copy that the step worked on.

    The copy is let go, and the address of its graph may be another's later.
    """
    graphs = {id(twin.graph): id(node.graph) for twin, node in links.twins.items()}
    originals = set(graphs.values())
    parents = {id(one) for node in links.parent.nodes for one in sources(node.meta.get("from_node"))}
    for node in links.child.nodes:
        level = sources(node.meta.get("from_node"))
        while level:
            deeper: list[NodeSource] = []
            for source in level:
                if id(source) in parents or source.graph_id in originals:
                    continue
                if source.node_info is not None and source.graph_id in graphs:
                    source.node_info.graph_id = graphs[source.graph_id]
                else:
                    deeper += sources(source.from_node)
            level = deeper


def text(node: fx.Node, texts: dict[int, str]) -> str:
    """A target as a hop writes it; `texts` keeps it by target, for an edge op's text is long."""
    kept = texts.get(id(node.target))
    if kept is None:
        kept = texts[id(node.target)] = str(node.target)
    return kept
