"""The user's own number of the outputs, such as an accuracy, for both programs and each of several inputs."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from exir_viz.errors import MeasureError
from exir_viz.measure.cpu.describe import first_line, short_text

Metric: TypeAlias = Callable[[list[Any]], float]


class Metrics:
    """Calls the user's function with the outputs of a and of b, and keeps both numbers.

    names: what the programs are called.
    """

    def __init__(self, metric: Metric | None, names: tuple[str, str], count: int) -> None:
        self.pairs: list[tuple[float, float]] = []
        self._metric = metric
        self._names = names
        self._count = count

    def add(self, ours: Sequence[Any], theirs: Sequence[Any]) -> None:
        """Take the outputs of both for the next of the inputs; raises MeasureError if the function fails."""
        if self._metric is not None:
            self.pairs.append((self._number(self._metric, 0, ours), self._number(self._metric, 1, theirs)))

    def _number(self, metric: Metric, side: int, outputs: Sequence[Any]) -> float:
        result: Any = None
        has_returned = False
        try:
            result = metric([*outputs])
            has_returned = True
            return float(result)
        except Exception as error:
            what = f"returned {short_text(result)}, which is no number" if has_returned else first_line(error)
            name, file, line = _place(metric, error)
            given = short_text([*outputs])
            program = f"{'ab'[side]}, {self._names[side]}"
            which = f", for input {len(self.pairs) + 1} of {self._count}" if self._count > 1 else ""
            where = [f'  at "{file}", line {line}'] if file and not has_returned else []
            lines = [f"The metric {name} failed on the outputs of {program}{which}: {what}", *where]
            raise MeasureError(
                "\n".join([*lines, f"  given: {given}"]), file=file, line=line, given=given
            ) from error


def _place(metric: Metric, error: BaseException) -> tuple[str, str, int]:
    """The name of the function, and the line in it that failed."""
    function = getattr(metric, "func", metric)  # of a partial
    name = getattr(function, "__name__", type(function).__name__)
    code = getattr(function, "__code__", None)
    if code is None:
        return name, "", 0
    frames = traceback.walk_tb(error.__traceback__)
    lines = [line for frame, line in frames if frame.f_code is code]
    return name, code.co_filename, lines[0] if lines else code.co_firstlineno
