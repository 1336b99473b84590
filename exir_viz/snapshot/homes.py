"""The module call that what a node costs counts for, of nodes too that name none.

A node within a branch, a loop or a delegate that names none is at home where the node that holds its graph
is; the call of a delegate that names none, in what is around all it took; an element of a tuple, where what
made the tuple is.
"""

from __future__ import annotations

from collections.abc import Sequence

from .columns import NONE
from .graph import Graph, Node
from .index import common_start, index_of
from .opkind import op_name
from .records import Scope


def home_of(node: Node) -> int:
    """The number of the innermost module call around a node; NONE where it is in none."""
    held: Node | None = node
    while held is not None:
        own = held.graph.columns.scopes[held.position]
        home = own if own != NONE else _common_within(held)
        if home != NONE:
            return home
        is_element = op_name(held.target) == "getitem" and held.inputs
        held = held.inputs[0] if is_element else held.graph.holder
    return NONE


def module_of(node: Node) -> tuple[Scope, ...]:
    """The module calls around a node, outermost first; those of its home where it names none."""
    return node.graph.snapshot.scope_chain(home_of(node))


def delegated(call: Node) -> Sequence[Graph]:
    """What a backend took that a node calls; of a node that calls none of it, nothing."""
    return index_of(call.graph).delegated.get(call.position, ())


def _common_within(call: Node) -> int:
    """Around all that a backend took, for a call of it that names no module itself."""
    chains = [chain for graph in delegated(call) if (chain := index_of(graph).around) is not None]
    common = common_start(chains)
    return common[-1] if common else NONE
