"""The dtypes of edge operators for a page: allowed ones, those of each call, and a refused combination."""

from __future__ import annotations

from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.columns import EdgeDtypes
from exir_viz.snapshot.graph import Node
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.operators import DtypeRule, dtypes_text, word_of
from exir_viz.snapshot.opkind import op_name

from .edge import dtypes_of_calls, refused_near, remedy_of
from .rule import EDGE, Subject


def edge_dtypes(snapshot: Snapshot) -> tuple[EdgeDtypes, ...]:
    """The rules of all calls, one record for calls of one operator with the same dtypes."""
    numbering = Numbering(snapshot)
    found: dict[tuple[str, tuple[tuple[str, str], ...]], tuple[DtypeRule, list[Node]]] = {}
    for method in snapshot.methods.values():
        if method.dialect not in EDGE:
            continue
        for node, rule, dtypes in dtypes_of_calls(Subject(method, method.dialect)):
            key = (op_name(node.target), tuple(dtypes.items()))
            found.setdefault(key, (rule, []))[1].append(node)
    return tuple(
        _record(op, dict(dtypes), rule, tuple(map(numbering.number, nodes)))
        for (op, dtypes), (rule, nodes) in found.items()
    )


def _record(op: str, dtypes: dict[str, str], rule: DtypeRule, nodes: tuple[int, ...]) -> EdgeDtypes:
    is_allowed = rule.allows(dtypes)
    refused = refused_near(rule, dtypes) if is_allowed else dtypes
    return EdgeDtypes(
        nodes,
        tuple(map(word_of, dtypes)),
        tuple(dtypes.values()),
        tuple(map(rule.allowed, dtypes)),
        is_allowed,
        "" if refused is None else f"{op} with {dtypes_text(refused)}",
        "" if is_allowed else remedy_of(rule, dtypes),
    )
