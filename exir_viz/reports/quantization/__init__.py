"""Which ops of a program compute in integers, with which scales, and why the others compute in float.

`assess` says of each op how it computes, and `numbers` reads scales and zero points; both read Snapshots.
For a live program or a stage, scales come from its state too. Of a prepared module, observers are examined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from exir_viz.readers.accepted_inputs import live_programs
from exir_viz.reports.report import Category, Column, Fact, Outcome, Report, Row, Section, Unit, worst
from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.format import decibel_text, plural

from .assess import TITLES, Assessment, OpQuantization, OpStatus
from .dataflow import first_items, returned_by_delegates
from .numbers import StateReader, is_quantize, number_text, numbers_of

if TYPE_CHECKING:
    from exir_viz.compare.values.values import Values

# Scales of one tensor that are read; the rest is counted.
_MOST_SCALES: Final = 4096
# Ops in float come first: they are what can be gained.
_ORDER: Final = (
    *(OpStatus.BETWEEN, OpStatus.FLOAT, OpStatus.WEIGHTS, OpStatus.DYNAMIC, OpStatus.QUANTIZED),
    OpStatus.INTEGER,
)
_FLOAT: Final = (OpStatus.FLOAT, OpStatus.BETWEEN)
_CALIBRATE: Final = "Run the prepared module on calibration inputs before converting it."

# By id of a node: the signal-to-noise ratio of its result against the float program, in decibels.
Ratios = Mapping[str, float | None]


def quantization(snapshot: Snapshot, *, live: object = None, values: Values | None = None) -> Report:
    """Which ops compute in integers, and why the others compute in float."""
    assessment = Assessment(
        snapshot, _recorded_state(snapshot) if live is None else _state_of(live, snapshot)
    )
    ops = tuple(assessment.rows())
    # a prepared module is not quantized yet
    warnings = tuple(_observers_without_data(live)) or tuple(_warnings(snapshot, ops, assessment.pairs))
    noted = [Section("warnings", warnings)] if warnings else []
    if not assessment.pairs and all(op.status in _FLOAT for op in ops):
        headline = "Not quantized: no quantize op and no integer weights"
        return Report(headline, worst(warnings), sections=tuple(noted))
    ratios = None if values is None else _ratios(values)
    by_status = {status: [op for op in ops if op.status is status] for status in _ORDER}
    rows = {status: tuple(_rows(found, ratios)) for status, found in by_status.items() if found}
    columns = () if ratios is None else (Column("least SNR", Unit.DECIBELS),)
    sections = [Section(TITLES[status], found, columns) for status, found in rows.items()]
    counts = ", ".join(
        f"{len(by_status[status]):,} {TITLES[status]}" for status in OpStatus if by_status[status]
    )
    return Report(
        f"{plural(len(ops), 'op')}: {counts or 'none computes floats'}",
        worst((*warnings, *(row for found in rows.values() for row in found))),
        tuple(
            Fact(TITLES[status], plural(len(by_status[status]), "op"), _nodes(by_status[status]))
            for status in OpStatus
            if by_status[status]
        ),
        (*noted, *sections, *_modules(ops, ratios)),
        tuple(Category(TITLES[status], _nodes(found)) for status, found in by_status.items() if found),
        ("names of nodes and modules: a .pte has only payloads, and a row selects their delegates",)
        if snapshot.origin.type == "pte"
        else (),
    )


def _nodes(ops: Sequence[OpQuantization]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(op.node for op in ops))


def _rows(ops: Sequence[OpQuantization], ratios: Ratios | None) -> Iterator[Row]:
    """A row for each operator and reason; where ratios are known, its noisiest op first."""
    groups: dict[tuple[str, str], list[OpQuantization]] = {}
    for op in ops:
        groups.setdefault((op.op, op.reason), []).append(op)
    for (name, reason), found in groups.items():
        if ratios is not None:
            found.sort(key=lambda op: _or_most(ratios.get(op.node)))
        yield Row(
            name,
            reason,
            severity=Outcome.NOTE if found[0].status is OpStatus.BETWEEN else Outcome.FINE,
            nodes=tuple(op.node for op in found),
            texts=tuple(_numbers_text(op, ratios) for op in found),
            values=() if ratios is None else (ratios.get(found[0].node),),
        )


def _or_most(ratio: float | None) -> float:
    return float("inf") if ratio is None else ratio


def _numbers_text(op: OpQuantization, ratios: Ratios | None) -> str:
    """ "← int8 per tensor, scale 0.0068; weights int8 per channel; → int8 per tensor; SNR 42 dB"."""
    parts = [f"← {number_text(one)}" for one in op.inputs]
    parts += [f"weights {number_text(one)}" for one in op.weights]
    parts += [f"→ {number_text(op.output)}"] if op.output is not None else []
    ratio = None if ratios is None else ratios.get(op.node)
    return "; ".join([*parts, *([] if ratio is None else [f"SNR {decibel_text(ratio)}"])])


def _modules(ops: Sequence[OpQuantization], ratios: Ratios | None) -> Iterator[Section]:
    """A row for each module: its ops by status, its noisiest result, and how its results are quantized."""
    groups: dict[str, list[OpQuantization]] = {}
    for op in ops:
        groups.setdefault(op.module, []).append(op)
    if not any(groups):
        return
    shown = [status for status in OpStatus if any(op.status is status for op in ops)]
    noise = () if ratios is None else (Column("least SNR", Unit.DECIBELS),)
    columns = (*(Column(TITLES[status], Unit.COUNT) for status in shown), *noise, Column("result"))
    rows = []
    for module, found in groups.items():
        counts = Counter(op.status for op in found)
        least = () if ratios is None else (_least(ratios.get(op.node) for op in found),)
        results = sorted({number_text(op.output) for op in found} - {""})
        result = f"{len(results)} different" if len(results) > 1 else next(iter(results), "")
        values = (*(counts[status] for status in shown), *least, result)
        rows.append(Row(module or "(no module)", nodes=_nodes(found), values=values))
    yield Section("modules", tuple(rows), columns)


def _least(ratios: Iterator[float | None]) -> float | None:
    return min((ratio for ratio in ratios if ratio is not None), default=None)


def _ratios(values: Values) -> Ratios:
    ratios = {one.b.id: one.numbers.snr for one in values}
    for inner, outer in returned_by_delegates(values.diff.b):
        ratios.setdefault(inner.id, ratios.get(outer.id))
    for node, item in first_items(values.diff.b):
        ratios.setdefault(node.id, ratios.get(item.id))
    return ratios


# --- Warnings --------------------------------------------------------------------------------------------


def _warnings(snapshot: Snapshot, ops: Sequence[OpQuantization], pairs: int) -> Iterator[Row]:
    """What went wrong as a whole: quantization changed nothing, or observers saw no data."""
    if pairs and ops and all(op.status in _FLOAT for op in ops):
        every = "The only op computes" if len(ops) == 1 else f"All {plural(len(ops), 'op')} compute"
        cost = f"{pairs:,} quantize {'op costs' if pairs == 1 else 'ops cost'} time on top"
        yield Row("Quantization changed nothing", f"{every} in float, and {cost}.", severity=Outcome.WARNING)
    default = [
        node.id
        for graph in snapshot.graphs
        for node in graph
        if node.op == "call_function" and is_quantize(node) and _is_default(node)
    ]
    if default:
        yield Row(
            "Scale 1 and zero point 0",
            "Observers give these where they saw no data.",
            _CALIBRATE,
            Outcome.WARNING,
            tuple(default),
        )


def _observers_without_data(module: Any) -> Iterator[Row]:
    named = getattr(module, "named_modules", None)
    empty = []
    for name, one in named() if callable(named) else ():
        low: Any = getattr(one, "min_val", None)
        high: Any = getattr(one, "max_val", None)
        are_tensors = hasattr(low, "numel") and hasattr(high, "numel")
        if are_tensors and (low.numel() == 0 or bool((low > high).any())):
            empty.append(name)
    if empty:
        title = f"{plural(len(empty), 'observer')} without data"
        yield Row(title, f"They are {', '.join(empty)}.", _CALIBRATE, Outcome.WARNING)


def _is_default(node: Node) -> bool:
    found = numbers_of(node, lambda _method, _name: None).numbers
    return found.scheme == "per tensor" and found.scales == (1.0,) and found.zero_points == (0,)


# --- State -----------------------------------------------------------------------------------------------


def _recorded_state(snapshot: Snapshot) -> StateReader:
    """Small constants, which a Snapshot holds."""
    entries = {
        (method.name, entry.name): entry
        for method in snapshot.methods.values()
        for entry in method.state
        if entry.data is not None
    }

    def read(method: str, name: str) -> tuple[tuple[float, ...], int] | None:
        entry = entries.get((method, name))
        if entry is None or entry.data is None:
            return None
        return tuple(map(float, entry.data)), len(entry.data)

    return read


def _state_of(x: object, snapshot: Snapshot) -> StateReader:
    """State of a live program, or of a stage's; else what the Snapshot holds."""
    programs = live_programs(x)
    recorded_state = _recorded_state(snapshot)

    def read(method: str, name: str) -> tuple[tuple[float, ...], int] | None:
        program: Any = programs.get(method)
        tensor = None
        if program is not None:
            tensor = program.state_dict.get(name, program.constants.get(name))
        if tensor is None:
            return recorded_state(method, name)
        flat = tensor.detach().flatten()
        return tuple(map(float, flat[:_MOST_SCALES].tolist())), flat.numel()

    return read
