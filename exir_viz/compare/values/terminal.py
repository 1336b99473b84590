"""Compared values on one terminal screen: where they diverge, outputs, NaN and Inf, what was not compared."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from typing import TYPE_CHECKING

from exir_viz.snapshot.format import amount_text, decibel_text, plural
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.printable import one_line, printable

from .records import Ran

if TYPE_CHECKING:
    from .records import Numbers, OutputRow
    from .values import Compared, Values

_ROWS = 10
_RAN: dict[Ran, str] = {
    Ran.RUNTIME: "runtime",
    Ran.EAGER: "eager torch",
    Ran.EMULATED: "emulated",
    Ran.NOT_RUN: "not run",
}
_WIDTH = 100
_NUMBERS = re.compile(r"\d+")


def summarise(values: Values, rows: int = _ROWS) -> str:
    """Plain text; control characters of the program's text are escaped."""
    record = values.record
    inputs = ", ".join(f"{path}: {value}" for path, value in record.inputs) or "none"
    bound = f"max|a−b| > {amount_text(record.atol)} + {amount_text(record.rtol)} × max|a|"
    lines = [
        f"{record.a} → {record.b}: {_count(values)}",
        f"Mismatch: {bound}{_coarse(record.coarse)}",
        f"Inputs ({record.inputs_from}{_samples(record.samples)}): {inputs}",
        f"What ran: {ran_text(values)}",
    ]
    if values.first is not None:
        lines += ["", "First to diverge", *_listed(values.origins, rows)]
    elif values.diverged:
        lines += ["", "First to diverge: unknown. The pairs that diverge are only probable matches."]
    elif values and values.agree is False:
        lines += ["", "First to diverge: a value without a counterpart, after the values that agree."]
    lines += _devices(values, rows)
    if values.outputs:
        lines += ["", "Outputs"]
        lines += [f"  {_returned(row)}" for row in values.outputs]
    lines += [f"  metric {amount_text(one)} → {amount_text(other)}" for one, other in values.metrics]
    lines += _producers(values)
    left = Counter(record.reasons[one.reason] for one in record.uncompared)
    if left:
        lines += ["", "Not compared", *(f"  {count:,}  {reason}" for reason, count in left.most_common(rows))]
    notes = [line for note in record.notes for line in textwrap.wrap(printable(note), _WIDTH)]
    return "\n".join([*(one_line(line, _WIDTH) for line in lines), *(["", *notes] if notes else [])])


def _count(values: Values) -> str:
    """How many values diverge; how many outputs, where no value does (a file has only outputs)."""
    outputs = plural(len(values.outputs), "output diverges", "outputs diverge")
    count = sum(row.numbers is not None and row.numbers.diverged for row in values.outputs)
    if not values and values.outputs:
        return f"{count:,} of {outputs}"
    diverge = plural(len(values), "value diverges", "values diverge")
    text = f"{len(values.diverged):,} of {diverge}"
    return f"{text}, but {count:,} of {outputs}" if count and not values.diverged else text


def ran_text(values: Values) -> str:
    """What computed the values of b, with counts: "runtime 5, emulated 2"."""
    every = values.record.devices or values.record.rows or values.outputs
    counts: Counter[Ran] = Counter(row.ran for row in every if row.ran is not Ran.INPUT)
    return ", ".join(f"{text} {counts[ran]:,}" for ran, text in _RAN.items() if counts[ran]) or "nothing"


def _samples(count: int) -> str:
    return f", {count:,} of them, the first is" if count > 1 else ""


def _devices(values: Values, rows: int) -> list[str]:
    """Delegates and ops whose own error is too large, and those that the runtime did not run."""
    if not values.devices:
        return []
    diverged = [one for one in values.devices if one.diverged]
    lines = ["", "In the runtime (isolated; in sequence)"]
    shown = diverged or [one for one in values.devices if one.backend]
    for one in shown[:rows]:
        found = (one.isolated, one.in_sequence)
        both = "; ".join("not run" if numbers is None else _distance(numbers) for numbers in found)
        lines.append(f"  {both}  {one.node.id}  {one.backend or op_name(one.node.target)}")
    if len(shown) > rows:
        lines.append(f"  … {len(shown) - rows:,} more")
    for reason, count in why_not_run(values)[:rows]:
        text = f"{count:,} not in the runtime: {printable(reason)}"
        lines += textwrap.wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="    ")
    return lines


def why_not_run(values: Values) -> list[tuple[str, int]]:
    """Why delegates and ops did not run, with counts. Of texts that differ in numbers only, the first."""
    texts = [one.reason for one in values.devices if one.reason]
    first = {_NUMBERS.sub("#", text): text for text in reversed(texts)}
    counts = Counter(_NUMBERS.sub("#", text) for text in texts)
    return [(first[alike], count) for alike, count in counts.most_common()]


def _coarse(coarse: tuple[tuple[str, float], ...]) -> str:
    """Dtypes with a larger tolerance: "; bfloat16: 0.0156"."""
    return "".join(f"; {dtype}: {amount_text(rtol)}" for dtype, rtol in coarse)


def _listed(found: tuple[Compared, ...], rows: int) -> list[str]:
    lines = [
        f"  {_distance(one.numbers)}  {one.b.id}  {op_name(one.b.target)}{_doubt(one)}"
        for one in found[:rows]
    ]
    return lines if len(found) <= rows else [*lines, f"  … {len(found) - rows:,} more"]


def _doubt(one: Compared) -> str:
    return f", probably from {one.a.id}" if one.probable else ""


def _returned(row: OutputRow) -> str:
    if row.numbers is None:
        return f"? not compared  {row.name}: {row.reason}"
    ran = "" if row.ran is Ran.EAGER else f" ({_RAN[row.ran]})"
    return f"{_distance(row.numbers)}  {row.name}{ran}"


def _distance(found: Numbers) -> str:
    mark = "≠" if found.diverged else "="
    unlike = f"{found.unlike:,} NaN or Inf on one side" if found.unlike else ""
    if found.max_abs is None:
        return f"{mark} {unlike}, no finite pair"
    if not found.max_abs and not found.unlike:
        return f"{mark} different" if found.diverged else f"{mark} equal"
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
                f"  {name} in {one.side}: first in {node.id} ({op_name(node.target)}), "
                f"{plural(one.count, 'element')}"
            )
    return lines
