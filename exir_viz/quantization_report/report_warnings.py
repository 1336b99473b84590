"""What went wrong with a quantization as a whole: it changed nothing, or observers saw no data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.format import plural

from .numbers import is_quantize, numbers_of
from .records import OpQuantization, OpStatus

_FLOAT = (OpStatus.FLOAT, OpStatus.BETWEEN)
_NAMED = 3


def warnings_of(snapshot: Snapshot, rows: Sequence[OpQuantization], pairs: int) -> Iterator[str]:
    """The warnings about a program, a sentence each."""
    if rows and all(row.status in _FLOAT for row in rows):
        if pairs:
            yield (
                f"Quantization changed nothing: {_every(len(rows))} in float, and {pairs:,} quantize "
                f"{'op costs' if pairs == 1 else 'ops cost'} time on top."
            )
        else:
            yield "The program is not quantized: it has no quantize op and no integer weights."
    default = [
        node.name
        for graph in snapshot.graphs
        for node in graph
        if node.op == "call_function" and is_quantize(node) and _is_default(node)
    ]
    if default:
        yield _of_observers(default, "scale 1 and zero point 0, as observers give without data")


def observers_without_data(module: Any) -> Iterator[str]:
    """The warnings about a prepared module whose observers saw no data."""
    named = getattr(module, "named_modules", None)
    empty = []
    for name, one in named() if callable(named) else ():
        low: Any = getattr(one, "min_val", None)
        high: Any = getattr(one, "max_val", None)
        are_tensors = hasattr(low, "numel") and hasattr(high, "numel")
        if are_tensors and (low.numel() == 0 or bool((low > high).any())):
            empty.append(name)
    if empty:
        yield _of_observers(
            empty, "no data: run the prepared module on calibration inputs before converting it"
        )


def _every(ops: int) -> str:
    return "the only op computes" if ops == 1 else f"all {plural(ops, 'op')} compute"


def _is_default(node: Any) -> bool:
    found = numbers_of(node, lambda _method, _name: None).numbers
    return found.scheme == "per tensor" and found.scales == (1.0,) and found.zero_points == (0,)


def _of_observers(names: Sequence[str], what: str) -> str:
    more = f" and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    verb = "has" if len(names) == 1 else "have"
    return f"{', '.join(names[:_NAMED])}{more} {verb} {what}."
