"""The frames of one Snapshot: one row a node, an edge, a value, a module call, a spec, a symbol or op."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exir_viz.options import instance, named_options
from exir_viz.snapshot.snapshot import Snapshot

from . import snapshot_rows

if TYPE_CHECKING:
    import pandas as pd

HOW = "exir_viz.load(path) or capture(program) makes one; a stage has one as stage.snapshot."
NAMES = ("nodes", "edges", "values", "scopes", "signature", "symbols", "ops")


@named_options
def frames(snapshot: Snapshot) -> dict[str, pd.DataFrame]:
    """Every frame by its name, in the order of NAMES."""
    instance("frames", "snapshot", snapshot, Snapshot, HOW)
    makers = (nodes, edges, values, scopes, signature, symbols, ops)
    return {name: make(snapshot) for name, make in zip(NAMES, makers, strict=True)}


@named_options
def nodes(snapshot: Snapshot) -> pd.DataFrame:
    """One row a node, in execution order.

    method, graph, position, node; op (FX's word: "call_function", …), target ("aten.add.Tensor"), kind
    ("matrix", "view", …); value (short: "f32[4, 8]"), bytes; inputs and users (how many); module (its
    path), class, call (0 for the first call of the module); file, line, function, code (of the user's
    line that made it); debug_handle.
    """
    instance("nodes", "snapshot", snapshot, Snapshot, HOW)
    return snapshot_rows.nodes(snapshot).frame()


@named_options
def edges(snapshot: Snapshot) -> pd.DataFrame:
    """One row a use of a value; a node that uses another twice makes two.

    method, graph; source and target (nodes); argument (which of the target's inputs, from 0); value (short
    text) and bytes of what flows.
    """
    instance("edges", "snapshot", snapshot, Snapshot, HOW)
    return snapshot_rows.edges(snapshot).frame()


@named_options
def values(snapshot: Snapshot) -> pd.DataFrame:
    """One row a value that a node yields; a tuple has a row for each of its items.

    method, graph, node; item ("" for a value that is no part, else "[1]"); type ("tensor", "symbol", …),
    value (short text); dtype, shape and stride ("s77, 3"), dim_order ("0, 1"), device, layout,
    requires_grad, bytes; hint (the example value of a symbol).
    """
    instance("values", "snapshot", snapshot, Snapshot, HOW)
    return snapshot_rows.values(snapshot).frame()


@named_options
def scopes(snapshot: Snapshot) -> pd.DataFrame:
    """One row a module call that holds nodes, parents before children.

    method, graph, scope (key; two calls of a module differ), parent (its key), module (path), class, call,
    depth; own_ops, own_parameters (elements), own_bytes (of parameters, buffers, constants), and the same
    as total_… with all calls within.
    """
    instance("scopes", "snapshot", snapshot, Snapshot, HOW)
    return snapshot_rows.scopes(snapshot).frame()


@named_options
def signature(snapshot: Snapshot) -> pd.DataFrame:
    """One row an input or output spec, in the program's order.

    method; direction ("input", "output"), position; kind ("parameter", "user_output", …), name (of the
    node; "" for a constant), target (the state or input it stands for or writes), path (where the user
    passes or finds it), value (short text), bytes, persistent (of buffers).
    """
    instance("signature", "snapshot", snapshot, Snapshot, HOW)
    return snapshot_rows.signature(snapshot).frame()


@named_options
def symbols(snapshot: Snapshot) -> pd.DataFrame:
    """One row a symbol.

    method, symbol, type ("int", …), backed (known from inputs, or only at run time), lower and upper
    ("int_oo" is unbounded), hint (example value), dim (the user's name), bound_at (where it is read:
    "x.size()[0]").
    """
    instance("symbols", "snapshot", snapshot, Snapshot, HOW)
    return snapshot_rows.symbols(snapshot).frame()


@named_options
def ops(snapshot: Snapshot) -> pd.DataFrame:
    """The histogram: one row a target of a graph, the most frequent first.

    method, graph, target ("aten.add.Tensor"), kind, count, schema (torch's, where known).
    """
    instance("ops", "snapshot", snapshot, Snapshot, HOW)
    return snapshot_rows.ops(snapshot).frame()
