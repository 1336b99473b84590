"""The frame of a diff: one row a match."""

from __future__ import annotations

from typing import TYPE_CHECKING

from exir_viz.snapshot.opkind import op_name

from .frame import Row, frame

if TYPE_CHECKING:
    import pandas as pd

    from exir_viz.compare.diff import Diff, Match


def matches(diff: Diff) -> pd.DataFrame:
    """One row a match of a diff, in reading order: that of b, with what was removed where it stood.

    kind ("same", "changed", "moved", "rewritten", "added", "removed"); a and b (ids, joined by ", ");
    op_a and op_b; fields (in what the two differ); module (its path, on b's side if there); evidence,
    confidence (0 to 1), reason and rule (both "" for what is the same).
    """
    columns = (
        *("kind", "a", "b", "op_a", "op_b", "fields", "module", "evidence", "confidence", "reason", "rule"),
    )
    return frame((_match(one) for one in diff), columns, ()).astype({"confidence": "float64"})


def _match(match: Match) -> Row:
    sides = match.a, match.b
    ids = (", ".join(node.id for node in nodes) or None for nodes in sides)
    names = (", ".join(op_name(node.target) for node in nodes) or None for nodes in sides)
    scope = next((node.scope for node in (*match.b, *match.a) if node.scope is not None), None)
    rule = match.rule
    return (
        *(match.kind.value, *ids, *names, ", ".join(match.fields), None if scope is None else scope.path),
        *(match.evidence.name, match.evidence.confidence, match.reason, "" if rule is None else rule.text),
    )
