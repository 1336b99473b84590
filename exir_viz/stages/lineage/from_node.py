"""Nodes that are the same objects as in the working copy, and `from_node`, torch's record of an earlier node.

A hop names a node by name, target and the id of its graph. The id is Python's `id()`: it is valid while the
parent's graph is alive, and a stage keeps it alive. The nearest hop that names a node of the parent is the
ancestor. A placeholder records the op that first used it, so placeholders are linked by signature instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from torch import fx
from torch.fx.traceback import NodeSource

from exir_viz.snapshot.lineage import Evidence

from .links import CALLS, Links
from .op_names import converts


def link_copied(links: Links) -> None:
    """Link nodes of the working copy that the step did not replace: the copy was made from the parent's."""
    for node in links.open():
        if node in links.originals:
            links.add(node, (links.originals[node],), Evidence.IDENTITY)


def link(links: Links, inlined: Mapping[fx.Node, fx.Node]) -> None:
    """Link nodes whose hop names the ancestor and its graph.

    inlined: nodes that were in a body before. Their hop names the call that holds the body.
    """
    known = {(id(node.graph), node.name): node for node in links.parent.nodes}
    texts: dict[int, str] = {}

    def named(source: NodeSource) -> fx.Node | None:
        node = known.get((source.graph_id, source.name))
        return node if node is not None and text(node, texts) == source.target else None

    for node in links.open(*CALLS):
        found: Iterable[fx.Node] = nearest(node, named)
        evidence = Evidence.FROM_NODE
        if node in inlined:
            holding = set(links.parent.holding(inlined[node]))
            found = [inlined[node] if one in holding else one for one in found]
            evidence = Evidence.GENERATED_CODE if inlined[node] in found else evidence
        # quantize and dequantize nodes are added next to a node; the node did not become them
        if converts(node):
            found = (one for one in found if converts(one))
        links.add(node, found, evidence)


def nearest(node: fx.Node, named: Callable[[NodeSource], fx.Node | None]) -> Iterator[fx.Node]:
    """The first hop that names a node, on each path back."""
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
    """The hops of a record; a user's pass may have left any object there."""
    every = recorded if isinstance(recorded, list | tuple) else ()
    return [one for one in every if isinstance(one, NodeSource)]


def name_originals(links: Links) -> None:
    """Rewrite hops that name graphs of the working copy to name the parent's graphs.

    The copy is freed, and another graph may get its address later.
    """
    graphs = {id(copied.graph): id(node.graph) for copied, node in links.originals.items()}
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
    """A target in a hop's notation; `texts` caches it by target, because the text of an edge op is long."""
    kept = texts.get(id(node.target))
    if kept is None:
        kept = texts[id(node.target)] = str(node.target)
    return kept
