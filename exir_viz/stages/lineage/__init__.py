"""Who came from whom, between two live stages: one file per kind of evidence.

What enters: the programs of a stage and of its parent, both still in memory. What leaves: a Lineage, by the
numbers that their Snapshots give to nodes. Each node is linked by the first evidence that speaks of it, the
exact kinds before the inferred; what is left says why it exists.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from exir_viz.snapshot.lineage import Lineage

if TYPE_CHECKING:
    from torch import fx
    from torch.export import ExportedProgram

Programs = Mapping[str, "ExportedProgram"]


def link(parent: Programs, child: Programs, copies: Mapping[fx.Node, fx.Node] | None = None) -> Lineage:
    """The Lineage of `child` to the stage it was made from.

    copies: nodes of the copy that the step worked on → the parent's (`sharing.LiveCopy.twins`). Hops that
    name the copy's graphs name the parent's afterwards.
    """
    from . import delegates, hops, names, objects, order, orphans, places, twins
    from .graphs import Graphs
    from .links import Links

    links = Links(Graphs.of(parent), Graphs.of(child), copies or {})
    hops.name_originals(links)
    twins.link(links)
    hops.link(links)
    objects.link(links)
    delegates.kept(links)
    places.link(links)
    places.getitems(links)
    delegates.taken(links)
    names.link(links)
    names.hops(links)
    order.link(links)
    delegates.taken(links)  # by members that are linked only now
    return links.finish(orphans.reasons(links))
