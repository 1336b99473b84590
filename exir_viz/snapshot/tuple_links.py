"""Whether an op that yields a tuple became another one with the same items.

torch records an op as the ancestor of all calls that it became, and of the items of their tuples. An LSTM
becomes calls that split gates: item 1 of such a split is not item 1 of the LSTM.
"""

from __future__ import annotations

from collections.abc import Collection

from .graph import Node
from .opkind import ITEM, op_name
from .records import SequenceValue


def is_same_tuple(early: Node, late: Node, became: Collection[Node]) -> bool:
    """Whether the items of `late` are those of `early`, by all nodes that `early` became.

    True if it is the same op, or if nothing but the tuple and its items came from it. Where a delegate takes
    an item, its input is that item.
    """
    sizes = {len(node.value.items) for node in (early, late) if isinstance(node.value, SequenceValue)}
    if len(sizes) > 1:
        return False
    name = _name(early)
    if _name(late) == name:
        return sum(_name(node) == name for node in became) <= 1
    return all(node == late or is_item_of(node, late) or node.op == "placeholder" for node in became)


def is_item_of(node: Node, owner: Node) -> bool:
    return op_name(node.target) == ITEM and owner in node.inputs


def _name(node: Node) -> str:
    """The name of an op without what its dialect adds."""
    return node.target.name.removesuffix("_copy").strip("_")
