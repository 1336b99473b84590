"""The rows of every table by its name, without pandas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from exir_viz.snapshot.snapshot import Snapshot
from exir_viz.table import Cell, Table

from . import payload_rows, snapshot_rows
from .diffs import match_table, number_table
from .stages import decomposition_table, stage_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from exir_viz.compare.diff import Diff
    from exir_viz.compare.values.values import Values
    from exir_viz.stages.records import OpRow, StageTree

_OF_SNAPSHOTS: Final[Mapping[str, Callable[[Any], Table]]] = MappingProxyType(
    {
        "nodes": snapshot_rows.nodes,
        "edges": snapshot_rows.edges,
        "values": snapshot_rows.values,
        "scopes": snapshot_rows.scopes,
        "signature": snapshot_rows.signature,
        "symbols": snapshot_rows.symbols,
        "ops": snapshot_rows.ops,
        "payload_ops": payload_rows.payload_ops,
        "payload_tensors": payload_rows.payload_tensors,
    }
)
_OF_OTHERS: Final[Mapping[str, Callable[[Any], Table]]] = MappingProxyType(
    {
        "matches": match_table,
        "numbers": number_table,
        "stages": stage_table,
        "decompositions": decomposition_table,
    }
)


def records(x: Snapshot | Diff | Values | StageTree | Iterable[OpRow], name: str) -> list[dict[str, Cell]]:
    """Return the rows of a table as dicts, without pandas.

    Parameters
    ----------
    x
        A Snapshot for the names in NAMES ("nodes", "ops", …); a Diff for "matches"; its `.values()`
        for "numbers"; `session.record()` for "stages"; `stage.ops()` for "decompositions".
    name
        The function of `exir_viz.tables` that makes the DataFrame with the same columns.

    Returns
    -------
    list of dict
        A dict per row.

    Raises
    ------
    ValueError
        If `x` has no such table.

    Examples
    --------
    >>> exir_viz.tables.records(snapshot, "ops")[0]["count"]
    2
    """
    return table(x, name).records()


def table(x: Snapshot | Diff | Values | StageTree | Iterable[OpRow], name: str) -> Table:
    """Return a table without pandas.

    Parameters
    ----------
    x, name
        As for `records`.

    Returns
    -------
    Table
        It has `records()`, `csv()`, `json()`, `markdown()` and, with pandas, `frame()`.

    Raises
    ------
    ValueError
        If `x` has no such table.

    Examples
    --------
    >>> exir_viz.tables.table(snapshot, "ops").csv().splitlines()[0]
    'method,graph,target,kind,count,schema'
    """
    makers = _OF_SNAPSHOTS if isinstance(x, Snapshot) else _OF_OTHERS
    if name not in makers:
        raise ValueError(f"A {type(x).__name__} has no table {name!r}. Tables: {', '.join(makers)}.")
    return makers[name](x)
