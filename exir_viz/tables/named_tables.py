"""The rows of every table by its name, without pandas."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from exir_viz.snapshot.snapshot import Snapshot
from exir_viz.table import Cell, Table

from . import snapshot_rows
from .diffs import match_table, number_table
from .stages import decomposition_table, stage_table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from exir_viz.compare.diff import Diff
    from exir_viz.compare.numbers.values import Values
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
    """The rows of a table as dicts, for which pandas is not needed.

    x: a Snapshot for the names in NAMES ("nodes", "ops", …); a Diff for "matches"; what `compare_values`
       found for "numbers"; `session.record()` for "stages"; `stage.ops()` for "decompositions".
    name: the function of `exir_viz.tables` that makes the frame with the same columns.

    Raises ValueError for a name that no table of `x` has.
    """
    return table(x, name).records()


def table(x: Snapshot | Diff | Values | StageTree | Iterable[OpRow], name: str) -> Table:
    """The same as a Table, with `records()`, `csv()`, `json()`, `markdown()` and, with pandas, `frame()`."""
    makers = _OF_SNAPSHOTS if isinstance(x, Snapshot) else _OF_OTHERS
    if name not in makers:
        raise ValueError(f"A {type(x).__name__} has no table {name!r}. Tables: {', '.join(makers)}.")
    return makers[name](x)
