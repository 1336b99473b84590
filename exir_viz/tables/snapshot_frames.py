"""The frames of one Snapshot: one row per node, edge, value, module call, spec, symbol, op, payload op."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exir_viz.options import instance, named_options
from exir_viz.snapshot.snapshot import Snapshot

from . import payload_rows, snapshot_rows

if TYPE_CHECKING:
    import pandas as pd

HOW = "exir_viz.load(x) makes one; a stage has one as stage.snapshot."
NAMES = (
    "nodes",
    "edges",
    "values",
    "scopes",
    "signature",
    "symbols",
    "ops",
    "payload_ops",
    "payload_tensors",
)


@named_options
def frames(snapshot: Snapshot) -> dict[str, pd.DataFrame]:
    """Make every table of a program.

    Parameters
    ----------
    snapshot
        The program.

    Returns
    -------
    dict
        A pandas.DataFrame by table name, in the order of NAMES.

    Raises
    ------
    WrongArgument
        If it is not a Snapshot.
    MissingExtra
        If pandas is not installed.

    Examples
    --------
    >>> list(exir_viz.tables.frames(snapshot))[:2]
    ['nodes', 'edges']
    """
    instance("frames", "snapshot", snapshot, Snapshot, HOW)
    makers = (nodes, edges, values, scopes, signature, symbols, ops, payload_ops, payload_tensors)
    return {name: make(snapshot) for name, make in zip(NAMES, makers, strict=True)}


@named_options
def nodes(snapshot: Snapshot) -> pd.DataFrame:
    """List the nodes.

    Parameters
    ----------
    snapshot
        The program.

    Returns
    -------
    pandas.DataFrame
        A row per node, in execution order.

        Columns: method, graph, position, node; op ("call_function", …), target ("aten.add.Tensor"), kind
        ("matrix", "view", …); value ("f32[4, 8]"), bytes; inputs and users (how many); module (its path),
        class, call (0 for the first call of the module); file, line, function, code (your source line);
        debug_handle.

    Raises
    ------
    WrongArgument
        If it is not a Snapshot.
    MissingExtra
        If pandas is not installed.

    Examples
    --------
    >>> frame = exir_viz.tables.nodes(snapshot)
    >>> list(frame["node"])[-4:]
    ['linear', 'relu', 'linear_1', 'output']
    """
    instance("nodes", "snapshot", snapshot, Snapshot, HOW)
    return snapshot_rows.nodes(snapshot).frame()


@named_options
def edges(snapshot: Snapshot) -> pd.DataFrame:
    """List the uses of values.

    Parameters
    ----------
    snapshot
        The program.

    Returns
    -------
    pandas.DataFrame
        A row per use. A node that uses a value twice has two rows.

        Columns: method, graph; source and target (nodes); argument (which input of the target, from 0); value
        (short text) and bytes.

    Raises
    ------
    WrongArgument
        If it is not a Snapshot.
    MissingExtra
        If pandas is not installed.

    Examples
    --------
    >>> frame = exir_viz.tables.edges(snapshot)
    >>> list(frame[frame["target"] == "relu"]["source"])
    ['linear']
    """
    instance("edges", "snapshot", snapshot, Snapshot, HOW)
    return snapshot_rows.edges(snapshot).frame()


@named_options
def values(snapshot: Snapshot) -> pd.DataFrame:
    """List the values that nodes yield.

    Parameters
    ----------
    snapshot
        The program.

    Returns
    -------
    pandas.DataFrame
        A row per value. Each item of a tuple has its own row.

        Columns: method, graph, node; item ("" or, in a tuple, "[1]"); type ("tensor", "symbol", …), value
        (short text); dtype, shape and stride ("s77, 3"), dim_order ("0, 1"), device, layout, requires_grad,
        bytes; hint (the example value of a symbol).

    Raises
    ------
    WrongArgument
        If it is not a Snapshot.
    MissingExtra
        If pandas is not installed.

    Examples
    --------
    >>> frame = exir_viz.tables.values(snapshot).set_index("node")
    >>> frame.loc["relu", "shape"]
    '2, 8'
    """
    instance("values", "snapshot", snapshot, Snapshot, HOW)
    return snapshot_rows.values(snapshot).frame()


@named_options
def scopes(snapshot: Snapshot) -> pd.DataFrame:
    """List the module calls.

    Parameters
    ----------
    snapshot
        The program.

    Returns
    -------
    pandas.DataFrame
        A row per module call that contains nodes, parents before children.

        Columns: method, graph, scope (key; two calls of a module differ), parent (its key), module (path),
        class, call, depth; own_ops, own_parameters (elements), own_bytes (of parameters, buffers and
        constants); and total_ops and so on, with all submodules.

    Raises
    ------
    WrongArgument
        If it is not a Snapshot.
    MissingExtra
        If pandas is not installed.

    Examples
    --------
    >>> frame = exir_viz.tables.scopes(snapshot).set_index("module")
    >>> int(frame.loc["fc1", "own_parameters"])
    40
    """
    instance("scopes", "snapshot", snapshot, Snapshot, HOW)
    return snapshot_rows.scopes(snapshot).frame()


@named_options
def signature(snapshot: Snapshot) -> pd.DataFrame:
    """List the inputs and outputs.

    Parameters
    ----------
    snapshot
        The program.

    Returns
    -------
    pandas.DataFrame
        A row per input or output spec, in program order.

        Columns: method; direction ("input", "output"), position; kind ("parameter", "user_output", …), name
        (of the node; "" for a constant), target (the state or input that it represents or writes), path
        (where you pass or find it), value (short text), bytes, persistent (for buffers).

    Raises
    ------
    WrongArgument
        If it is not a Snapshot.
    MissingExtra
        If pandas is not installed.

    Examples
    --------
    >>> frame = exir_viz.tables.signature(snapshot)
    >>> frame["kind"].value_counts()["parameter"]
    4
    """
    instance("signature", "snapshot", snapshot, Snapshot, HOW)
    return snapshot_rows.signature(snapshot).frame()


@named_options
def symbols(snapshot: Snapshot) -> pd.DataFrame:
    """List the symbols.

    Parameters
    ----------
    snapshot
        The program.

    Returns
    -------
    pandas.DataFrame
        A row per symbol.

        Columns: method, symbol, type ("int", …), backed (known from the inputs, or only at run time), lower
        and upper ("int_oo" is unbounded), hint (example value), dim (your name), bound_at (where it is read,
        such as "x.size()[0]").

    Raises
    ------
    WrongArgument
        If it is not a Snapshot.
    MissingExtra
        If pandas is not installed.

    Examples
    --------
    >>> batch = torch.export.Dim("batch")
    >>> dynamic = exir_viz.load(model, x, dynamic_shapes=({0: batch},))
    >>> exir_viz.tables.symbols(dynamic).loc[0, "dim"]
    'batch'
    """
    instance("symbols", "snapshot", snapshot, Snapshot, HOW)
    return snapshot_rows.symbols(snapshot).frame()


@named_options
def ops(snapshot: Snapshot) -> pd.DataFrame:
    """Count the operators.

    Parameters
    ----------
    snapshot
        The program.

    Returns
    -------
    pandas.DataFrame
        A row per operator of a graph, the most frequent first.

        Columns: method, graph, target ("aten.add.Tensor"), kind, count, schema (torch's, where known).

    Raises
    ------
    WrongArgument
        If it is not a Snapshot.
    MissingExtra
        If pandas is not installed.

    Examples
    --------
    >>> exir_viz.tables.ops(snapshot)[["target", "count"]].values.tolist()
    [['aten.linear.default', 2], ['aten.relu.default', 1]]
    """
    instance("ops", "snapshot", snapshot, Snapshot, HOW)
    return snapshot_rows.ops(snapshot).frame()


@named_options
def payload_ops(snapshot: Snapshot) -> pd.DataFrame:
    """List the ops that backends made of delegates, as their payloads have them.

    Parameters
    ----------
    snapshot
        The program.

    Returns
    -------
    pandas.DataFrame
        A row per op of a payload whose format is known, in the order in which the backend runs it.

        Columns: method, graph, delegate ("XNNPACK 3"), position; op ("FullyConnected"), inputs, outputs
        ("float32[1, 4]"), options; debug_handle; nodes (those it was made from) and evidence for this
        ("debug handle", "order"). A `.pte` alone does not have the nodes.

    Raises
    ------
    WrongArgument
        If it is not a Snapshot.
    MissingExtra
        If pandas is not installed.

    Examples
    --------
    >>> len(exir_viz.tables.payload_ops(snapshot))  # nothing is delegated
    0
    """
    instance("payload_ops", "snapshot", snapshot, Snapshot, HOW)
    return payload_rows.payload_ops(snapshot).frame()


@named_options
def payload_tensors(snapshot: Snapshot) -> pd.DataFrame:
    """List the tensors of payloads, with their quantization.

    Parameters
    ----------
    snapshot
        The program.

    Returns
    -------
    pandas.DataFrame
        A row per tensor of a payload whose format is known.

        Columns: method, graph, delegate ("XNNPACK 3"), tensor, role ("input", "output", "constant",
        "intermediate"), dtype (the backend's: "qcint8"), shape, bytes and key (of a constant's data); scheme
        ("per tensor", "per channel", "per block", "dynamic per token"), scales and zero_points (the first
        ones), scale_count, axis, block.

    Raises
    ------
    WrongArgument
        If it is not a Snapshot.
    MissingExtra
        If pandas is not installed.

    Examples
    --------
    >>> len(exir_viz.tables.payload_tensors(snapshot))  # nothing is delegated
    0
    """
    instance("payload_tensors", "snapshot", snapshot, Snapshot, HOW)
    return payload_rows.payload_tensors(snapshot).frame()
