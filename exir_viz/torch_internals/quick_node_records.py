"""Copy `from_node`, torch's record of the nodes that a node was made from, in less time.

Why: every pass of a lowering runs each node again, and torch then copies the node's whole record with
`copy.deepcopy`, which goes through each object's `__reduce_ex__`. A record grows with every pass: this takes
a tenth of the time of a lowering to XNNPACK. Here a record copies itself; the same objects are new.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final
from unittest.mock import patch

from .features import Feature

FEATURE: Final = Feature(
    name="quick_node_records",
    purpose="Lower programs faster: copy the origins of nodes quickly",
    without="Lowering takes longer.",
    uses=("torch.fx.traceback.NodeSource.NodeInfo(name, target, graph_id)",),
)


@contextmanager
def quick_node_records() -> Iterator[None]:
    """While the block runs, records copy themselves. A block within a block changes nothing."""
    if not FEATURE.is_usable():
        yield
        return
    from torch.fx.traceback import NodeSource

    if "__deepcopy__" in vars(NodeSource):
        yield
        return
    with patch.object(NodeSource, "__deepcopy__", _copied, create=True):
        yield


def _copied(source: Any, memo: dict[int, Any]) -> Any:
    kind: Any = type(source)
    made = kind.__new__(kind)
    vars(made).update(vars(source))
    made.action = [*source.action]
    if source.node_info is not None:
        made.node_info = kind.NodeInfo(**vars(source.node_info))
    made.from_node = [copy.deepcopy(one, memo) for one in source.from_node]
    return made
