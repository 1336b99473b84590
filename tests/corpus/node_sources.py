"""A shortcut for `from_node`, torch's record of the nodes that a node was made from.

Every pass of a lowering runs each node again, and torch then copies the node's whole record with
`copy.deepcopy`, which goes through each object's `__reduce_ex__`. A record grows with every pass. This took a
tenth of the time of a lowering to XNNPACK. Here a record copies itself: the same objects are new.
`tests/test_node_sources.py` checks that.
"""

from __future__ import annotations

import copy
from typing import Any

from torch.fx.traceback import NodeSource


def copy_sources_quickly() -> None:
    """Copy records of nodes without `__reduce_ex__` in this process."""
    NodeSource.__deepcopy__ = _copied  # type: ignore[attr-defined]


def _copied(source: NodeSource, memo: dict[int, Any]) -> NodeSource:
    made = NodeSource.__new__(NodeSource)
    vars(made).update(vars(source))
    made.action = [*source.action]
    if source.node_info is not None:
        made.node_info = NodeSource.NodeInfo(**vars(source.node_info))
    made.from_node = [copy.deepcopy(one, memo) for one in source.from_node]
    return made
