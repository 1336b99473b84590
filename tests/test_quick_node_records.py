"""While a step runs, records of nodes are copied as `copy.deepcopy` copies them."""

from __future__ import annotations

import copy

import torch
from torch.fx.traceback import NodeSource, NodeSourceAction

from exir_viz.torch_internals.quick_node_records import quick_node_records
from tests.corpus.shortcuts import without_shortcuts


def _record() -> NodeSource:
    """Three hops, the last of which also goes back to the first directly."""
    node = torch.fx.Graph().placeholder("x")
    for number in range(3):
        node.meta["from_node"] = [NodeSource(node, f"pass {number}", NodeSourceAction.CREATE)]
    (record,) = node.meta["from_node"]
    record.from_node.append(record.from_node[0].from_node[0])
    return record


def _parts(record: NodeSource) -> set[int]:
    """The ids of all objects of a record that can be changed."""
    own = {id(record), id(record.action), id(record.node_info), id(record.from_node)}
    return own.union(*map(_parts, record.from_node))


def test_a_copy_is_equal_and_shares_nothing_that_can_be_changed() -> None:
    record = _record()
    with without_shortcuts():
        plain = copy.deepcopy(record)
        with quick_node_records(), quick_node_records():
            assert "__deepcopy__" in vars(NodeSource)
            quick = copy.deepcopy(record)
        assert "__deepcopy__" not in vars(NodeSource)
    assert quick == plain == record
    assert vars(quick).keys() == vars(plain).keys()
    assert len(_parts(quick)) == len(_parts(plain)) == len(_parts(record))
    assert not _parts(quick) & _parts(record)
    assert quick.node_info is not None
    quick.node_info.graph_id = 0
    quick.from_node.clear()
    assert record == plain
