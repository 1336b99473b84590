"""Frames of sessions: one row per stage, or per operator that could be decomposed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, cast

from exir_viz.options import named_options, refuse, several
from exir_viz.table import Table, table

if TYPE_CHECKING:
    import pandas as pd

    from exir_viz.stages.records import OpRow, StageTree
    from exir_viz.stages.session import Session


@named_options
def stages(tree: StageTree | Session) -> pd.DataFrame:
    """List the stages of a session.

    Parameters
    ----------
    tree
        A Session, or the result of `session.record()`.

    Returns
    -------
    pandas.DataFrame
        A row per stage, a parent before its children.

        Columns: stage (its id), name, parent (an id), state ("ready", "failed", "loaded"), step (its kind),
        title, dialect, unverified (lowered with `check_ir=False`); calls (nodes that compute); on_cpu and
        delegated (ops that do work) and share ("70% on XNNPACK"); kept, added and removed (calls, compared
        with the parent); seconds; unshared_bytes (memory that no other stage uses); notices (how many);
        reason (why a step failed).

    Raises
    ------
    WrongArgument
        If it is not a Session or its record.
    MissingExtra
        If pandas is not installed.

    Examples
    --------
    >>> core = session.decompose()
    >>> exir_viz.tables.stages(session)[["name", "calls"]].values.tolist()
    [['export', 3], ['core', 5]]
    """
    return stage_table(tree).frame()


def stage_table(tree: StageTree | Session) -> Table:
    """See `stages`."""
    record = _record(tree)
    columns = (
        *("stage", "name", "parent", "state", "step", "title", "dialect", "unverified", "calls"),
        *("on_cpu", "delegated", "share", "kept", "added", "removed", "seconds"),
        *("unshared_bytes", "notices", "reason"),
    )
    rows = (
        (
            *(one.id, one.name, one.parent, one.state.value, one.step.kind.value, one.step.title),
            *(one.dialect.value if one.dialect else None, one.unverified, one.calls),
            *(one.on_cpu, one.delegated, one.share),
            *((one.change.kept, one.change.added, one.change.removed) if one.change else (None, None, None)),
            *(one.step.seconds, one.unshared_bytes, sum(notice.count for notice in one.step.notices)),
            one.failure.reason if one.failure else None,
        )
        for one in record.stages
    )
    integers = ("calls", "on_cpu", "delegated", "kept", "added", "removed", "unshared_bytes", "notices")
    return table(
        "tables.stages()",
        rows,
        columns,
        integers=integers,
        booleans=("unverified",),
        known_floats=("seconds",),
    )


@named_options
def decompositions(rows: Iterable[OpRow]) -> pd.DataFrame:
    """List the operators of a stage and what decomposing would do to them.

    Parameters
    ----------
    rows
        The result of `stage.ops()`.

    Returns
    -------
    pandas.DataFrame
        A row per operator, the most frequent first.

        Columns: op; count; decomposes (whether `stage.decompose([...])` accepts it); in_core_table (whether
        Core ATen's table decomposes it); core (whether it is a Core ATen operator); implicit (whether
        functionalization always removes it); nodes (the first that call it, joined by ", ").

    Raises
    ------
    WrongArgument
        If it is not the rows of `stage.ops()`.
    MissingExtra
        If pandas is not installed.

    Examples
    --------
    >>> frame = exir_viz.tables.decompositions(session.root.ops()).set_index("op")
    >>> bool(frame.loc["aten.linear.default", "decomposes"])
    True
    """
    return decomposition_table(rows).frame()


def decomposition_table(rows: Iterable[OpRow]) -> Table:
    """See `decompositions`."""
    given: tuple[object, ...] = tuple(rows) if several(rows) else (rows,)
    for row in given:
        if type(row).__name__ != "OpRow":
            refuse("decompositions", "rows", row, "the rows of stage.ops()")
    columns = ("op", "count", "decomposes", "in_core_table", "core", "implicit", "nodes")
    found = (
        (
            *(row.op, row.count, row.decomposes, row.in_core_table, row.core, row.implicit),
            ", ".join(row.nodes),
        )
        for row in cast("tuple[OpRow, ...]", given)
    )
    booleans = ("decomposes", "in_core_table", "core", "implicit")
    return table("tables.decompositions()", found, columns, integers=("count",), booleans=booleans)


def _record(tree: object) -> StageTree:
    """The tree as records. The class is checked by its name, because tables do not import stages."""
    record = getattr(tree, "record", None)
    found = record() if type(tree).__name__ == "Session" and callable(record) else tree
    if type(found).__name__ != "StageTree":
        refuse("stages", "tree", tree, "a Session, or its session.record()")
    return cast("StageTree", found)
