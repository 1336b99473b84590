"""Metadata passed on by reference: a copied node has the same metadata objects, not only equal ones.

Copying a graph copies each node's dict but not the values in it, and a pass passes `from_node` on unchanged.
So a list or a value that a node shares with a node of the parent identifies that node: exactly if only one
node has it, or if one of several has the same name. A stack trace or torch_fn is used last, and only if
exactly one node has it and calls the same op: all nodes made at one line share its trace.
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
    """Link nodes that share an object with a node of the parent."""
    holders: dict[tuple[str, int], dict[fx.Node, None]] = {}
    for holder, node in (*((node, node) for node in links.parent.nodes), *links.originals.items()):
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
        # a branch is called with the value objects of its caller
        if key == "val" and node.op == "placeholder":
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
