"""Lineage between two live stages: one file per kind of evidence.

What enters: the programs of a stage and of its parent, both still in memory. What leaves: a Lineage, in the
node numbers of their Snapshots. The first evidence that applies links a node, exact kinds before inferred
ones; nodes without a link get a reason.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from exir_viz.snapshot.lineage import Lineage

if TYPE_CHECKING:
    from torch import fx
    from torch.export import ExportedProgram

Programs = Mapping[str, "ExportedProgram"]


def link(
    parent: Programs,
    child: Programs,
    copies: Mapping[fx.Node, fx.Node] | None = None,
) -> Lineage:
    """The Lineage of `child` to its parent stage.

    Nodes that came from an inlined body get the user's lines again.

    copies: maps nodes of the copy that the step worked on to the parent's nodes (`LiveCopy.originals`). A hop
    that names a graph of the copy is then read as one of the parent.
    """
    from . import (
        delegates,
        from_node,
        inlined_bodies,
        op_order,
        orphan_reasons,
        same_name,
        shared_metadata,
        structure,
    )
    from .links import Links
    from .live_graphs import LiveGraphs

    links = Links(LiveGraphs.of(parent), LiveGraphs.of(child), copies or {})
    inlined = inlined_bodies.inlined_origins(links.parent, links.child)
    inlined_bodies.restore_lines(inlined)
    from_node.name_originals(links)
    from_node.link_copied(links)
    from_node.link(links, inlined)
    shared_metadata.link(links)
    delegates.kept(links)
    structure.link(links)
    structure.getitems(links)
    delegates.link_delegated(links)
    same_name.link(links)
    same_name.hops(links)
    op_order.link(links)
    delegates.link_delegated(links)  # some of their members are linked only now
    return links.finish(orphan_reasons.reasons(links))
