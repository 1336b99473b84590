"""Tables: of a Snapshot (nodes, edges, values, modules, specs, symbols, ops, payloads), a diff, a session.

Each function makes a tidy pandas frame; `records` and `table` give the same rows without pandas. One frame
has the rows of all methods and nested graphs; the columns `method` and `graph` (the graph's path,
"forward/true_graph_0") distinguish them, and (graph, node) names a node. Sizes are bytes; unknown values are
missing (NA, and None without pandas). pandas is imported when a frame is made; torch never.
"""

from .diffs import costs, matches, numbers
from .named_tables import records, table
from .snapshot_frames import (
    NAMES,
    edges,
    frames,
    nodes,
    ops,
    payload_ops,
    payload_tensors,
    scopes,
    signature,
    symbols,
    values,
)
from .stages import decompositions, stages

__all__ = [
    "NAMES",
    "costs",
    "decompositions",
    "edges",
    "frames",
    "matches",
    "nodes",
    "numbers",
    "ops",
    "payload_ops",
    "payload_tensors",
    "records",
    "scopes",
    "signature",
    "stages",
    "symbols",
    "table",
    "values",
]
