"""Metadata handed over by reference: a copied node has not equal metadata but the same.

Copying a graph copies each node's dict, not what is in it, and a pass hands `from_node` on as it is. So the
very list that a node of the parent holds, or the very value, names that node: exactly where only one holds
it, or where one of those that do has the same name. A trace or a torch function is asked last, and counts
only where one node alone holds it and calls the same op: what is made at one line shares its trace.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import fx

from exir_viz.snapshot.lineage import Evidence

from .links import CALLS, Links
from .op_names import base

# Objects that are created per node. Values count only if they are tensors: Python shares small numbers.
_OWN = ("from_node", "val")
_KEYS = (*_OWN, "stack_trace", "torch_fn")
_KINDS = (list, tuple, str, torch.Tensor)


def link(links: Links) -> None:
    """Link nodes that hold an object of a node of the parent."""
    holders: dict[tuple[str, int], dict[fx.Node, None]] = {}
    for holder, node in (*((node, node) for node in links.parent.nodes), *links.twins.items()):
        for key in _objects(holder):
            holders.setdefault(key, {})[node] = None
    paths = {
        node: place.path for graphs in (links.parent, links.child) for node, place in graphs.place_of.items()
    }
    for node in links.open():
        for key in _objects(node):
            among = [one for one in holders.get(key, ()) if one.op in CALLS or node.op not in CALLS]
            if key[0] in _OWN or (len(among) == 1 and base(among[0]) == base(node)):
                found = _one(node, among, paths)
            else:
                found = None
            if found is not None:
                links.add(node, (found,), Evidence.IDENTITY)
                break


def _objects(node: fx.Node) -> Iterator[tuple[str, int]]:
    for key in _KEYS:
        if key == "val" and node.op == "placeholder":  # a branch is called with the very values of its caller
            continue
        value = node.meta.get(key)
        empty = isinstance(value, (list, tuple, str)) and not value
        if isinstance(value, _KINDS) and not empty:
            yield key, id(value)


def _one(node: fx.Node, among: Sequence[fx.Node], paths: dict[fx.Node, str]) -> fx.Node | None:
    for same in (
        [one for one in among if one.name == node.name],
        [one for one in among if one.op == node.op],
        [one for one in among if paths[one] == paths[node]],
    ):
        among = [one for one in among if one in same] or among
    return among[0] if len(among) == 1 else None
