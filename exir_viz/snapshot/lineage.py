"""Lineage: for each node of one Snapshot, its ancestors in another, each link with its evidence.

Plain data, as it is kept and sent. Nodes are named by number: a graph's base (the lengths of the graphs
before it) plus a position. A node without a link says why it has none, if that is known.
"""

from __future__ import annotations

from enum import StrEnum

from .records import Record


class Evidence(StrEnum):
    """What a link rests on. The first four are exact; `name` and `structure` are inferred: show them so."""

    FROM_NODE = "from_node"
    IDENTITY = "identity"
    DELEGATE_MAP = "delegate_map"
    DEBUG_HANDLE = "debug_handle"
    NAME = "name"
    STRUCTURE = "structure"


class Orphan(Record, frozen=True):
    """A node that no node of the parent became, and why it exists ("the memory that `conv` writes to")."""

    node: int
    reason: str


class Lineage(Record, frozen=True):
    """Links from a stage to its parent: `nodes[i]` came from `ancestors[i]`, by `evidence[i]` of `kinds`.

    Sorted by node, then ancestor. A node may have several ancestors, and an ancestor several descendants.
    """

    nodes: tuple[int, ...] = ()
    ancestors: tuple[int, ...] = ()
    evidence: tuple[int, ...] = ()
    kinds: tuple[Evidence, ...] = ()
    orphans: tuple[Orphan, ...] = ()
