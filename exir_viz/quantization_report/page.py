"""The quantization report for a page: grouped by status, operator and reason, nodes by number."""

from __future__ import annotations

from exir_viz.snapshot.columns import NONE, PageQuantization, QuantizationRow
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.snapshot import Snapshot

from .read import report_of
from .records import TITLES, OpQuantization, OpStatus, number_text

_ORDER = (
    *(OpStatus.BETWEEN, OpStatus.FLOAT, OpStatus.WEIGHTS, OpStatus.DYNAMIC, OpStatus.QUANTIZED),
    OpStatus.INTEGER,
)


def page_quantization(snapshot: Snapshot) -> PageQuantization | None:
    """The report; None where a program has no quantize op and no integer payload."""
    if not _has_integers(snapshot):
        return None
    report, numbering = report_of(snapshot), Numbering(snapshot)
    numbers = {node.id: numbering.number(node) for graph in snapshot.graphs for node in graph}
    groups: dict[tuple[OpStatus, str, str], list[OpQuantization]] = {}
    for row in report:
        groups.setdefault((row.status, row.op, row.reason), []).append(row)
    ordered = sorted(groups.items(), key=lambda item: _ORDER.index(item[0][0]))
    return PageQuantization(
        len(report),
        tuple((TITLES[status], count) for status, count in report.counts.items() if count),
        report.warnings,
        tuple(
            QuantizationRow(
                status.value,
                TITLES[status],
                op,
                reason,
                tuple(numbers.get(row.node, NONE) for row in rows),
                tuple(map(_text, rows)),
            )
            for (status, op, reason), rows in ordered
        ),
    )


def _has_integers(snapshot: Snapshot) -> bool:
    if any("quantize" in target.name for target in snapshot.targets):
        return True
    payloads = (graph.payload for graph in snapshot.graphs if graph.payload is not None)
    return any(tensor.quantization is not None for payload in payloads for tensor in payload.tensors)


def _text(row: OpQuantization) -> str:
    parts = [f"← {number_text(one)}" for one in row.inputs]
    parts += [f"weights {number_text(one)}" for one in row.weights]
    parts += [f"→ {number_text(row.output)}"] if row.output is not None else []
    return "; ".join(parts)
