"""Values on one screen of a terminal: where it began, what is handed back, NaN and Inf, what was left."""

from __future__ import annotations

import textwrap
from collections import Counter
from typing import TYPE_CHECKING

from exir_viz.snapshot.format import amount_text, decibel_text
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.printable import one_line, printable

if TYPE_CHECKING:
    from .records import Numbers, OutputRow
    from .values import Compared, Values

_ROWS = 10
_WIDTH = 100


def summarise(values: Values, rows: int = _ROWS) -> str:
    """Plain text; text of the program is made printable."""
    record = values.record
    inputs = ", ".join(f"{path}: {value}" for path, value in record.inputs) or "none"
    apart = f"beyond {amount_text(record.atol)} + {amount_text(record.rtol)} × the largest magnitude"
    lines = [
        f"{record.a} → {record.b}: {len(values.parted):,} of {len(values):,} values part",
        f"{apart}{_coarse(record.coarse)}",
        f"inputs ({record.inputs_from}): {inputs}",
    ]
    if values.first is not None:
        lines += ["", "Where it began", *_listed(values.origins, rows)]
    elif values.parted:
        lines += ["", "Where it began is not known: what parts is only probably each other's"]
    if values.outputs:
        lines += ["", "Handed back"]
        lines += [f"  {_returned(row)}" for row in values.outputs]
    lines += _producers(values)
    left = Counter(record.reasons[one.reason] for one in record.uncompared)
    if left:
        lines += ["", "Not compared", *(f"  {count:,}  {reason}" for reason, count in left.most_common(rows))]
    notes = [line for note in record.notes for line in textwrap.wrap(printable(note), _WIDTH)]
    return "\n".join([*(one_line(line, _WIDTH) for line in lines), *(["", *notes] if notes else [])])


def _coarse(coarse: tuple[tuple[str, float], ...]) -> str:
    """Dtypes that round more than that: "; bfloat16: 0.0156"."""
    return "".join(f"; {dtype}: {amount_text(rtol)}" for dtype, rtol in coarse)


def _listed(found: tuple[Compared, ...], rows: int) -> list[str]:
    lines = [
        f"  {_said(one.numbers)}  {one.b.id}  {op_name(one.b.target)}{_doubt(one)}" for one in found[:rows]
    ]
    return lines if len(found) <= rows else [*lines, f"  … {len(found) - rows:,} more"]


def _doubt(one: Compared) -> str:
    return f", probably what {one.a.id} became" if one.probable else ""


def _returned(row: OutputRow) -> str:
    if row.numbers is None:
        return f"? not compared  {row.name}: {row.reason}"
    return f"{_said(row.numbers)}  {row.name}"


def _said(found: Numbers) -> str:
    mark = "≠" if found.parted else "="
    unlike = f"{found.unlike:,} NaN or Inf on one side" if found.unlike else ""
    if found.max_abs is None:
        return f"{mark} {unlike}, no two numbers"
    if not found.max_abs and not found.unlike:
        return f"{mark} other" if found.parted else f"{mark} equal"
    far = f"{mark} max {amount_text(found.max_abs)}, SNR {decibel_text(found.snr)}"
    return " ".join(filter(None, (far, unlike)))


def _producers(values: Values) -> list[str]:
    if not values.producers:
        return []
    lines = ["", "NaN and Inf"]
    for one in values.producers:
        node = values.producer(one.side, one.trouble)
        if node is not None:
            name = {"nan": "NaN", "inf": "Inf"}[one.trouble.value]
            lines.append(
                f"  {name} in {one.side}: first in {node.id} ({op_name(node.target)}), {one.count:,} elements"
            )
    return lines
