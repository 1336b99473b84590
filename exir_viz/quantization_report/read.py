"""`exir_viz.quantization`: the Snapshot of a program, the scales that its state holds, and the rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from exir_viz.readers.files import recorded
from exir_viz.snapshot import Snapshot

from .assess import Assessment
from .dataflow import first_items, returned_by_delegates
from .numbers import StateReader
from .records import OpQuantization
from .report import QuantizationReport
from .report_warnings import observers_without_data, warnings_of

if TYPE_CHECKING:
    from exir_viz.compare.values.values import Values

# Scales of one tensor that are read; the rest is counted.
_MOST_SCALES = 4096


def quantization(x: object, values: Values | None = None) -> QuantizationReport:
    """See `exir_viz.quantization`."""
    snapshot = recorded(x)
    if snapshot is None:
        from exir_viz.readers.live import capture

        snapshot = capture(x)
    found = report_of(snapshot, _state_of(x, snapshot))
    rows = found if values is None else _with_snr(found, values)
    # a prepared module is not quantized yet
    warnings = tuple(observers_without_data(x)) or found.warnings
    return QuantizationReport(snapshot, rows, warnings)


def report_of(snapshot: Snapshot, state: StateReader | None = None) -> QuantizationReport:
    """The report of a Snapshot; `state` reads what it does not hold."""
    assessment = Assessment(snapshot, state or _recorded_state(snapshot))
    rows = tuple(assessment.rows())
    return QuantizationReport(snapshot, rows, warnings_of(snapshot, rows, assessment.pairs))


def _with_snr(rows: QuantizationReport, values: Values) -> Iterator[OpQuantization]:
    ratios = {one.b.id: one.numbers.snr for one in values}
    for inner, outer in returned_by_delegates(values.diff.b):
        ratios.setdefault(inner.id, ratios.get(outer.id))
    for node, item in first_items(values.diff.b):
        ratios.setdefault(node.id, ratios.get(item.id))
    for row in rows:
        yield replace(row, snr=ratios.get(row.node))


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
    programs = _programs(getattr(x, "program", x), snapshot)
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


def _programs(x: object, snapshot: Snapshot) -> Mapping[str, object]:
    """ExportedPrograms by method."""
    if isinstance(x, Mapping):
        return {str(name): one for name, one in x.items() if hasattr(one, "state_dict")}
    if type(x).__name__ == "ExportedProgram":
        return dict.fromkeys(snapshot.methods, x)
    exported = getattr(x, "exported_program", None)
    methods = getattr(x, "methods", ())
    if callable(exported):
        return {name: exported(name) for name in (methods() if callable(methods) else methods)}
    return {}
