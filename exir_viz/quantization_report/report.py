"""QuantizationReport: what `exir_viz.quantization` returns. A sequence of OpQuantization records."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping

from exir_viz.result import RecordResult
from exir_viz.snapshot import Snapshot
from exir_viz.table import Table, table

from .records import OpQuantization, OpStatus, number_text

_FLOAT = (OpStatus.FLOAT, OpStatus.BETWEEN)


class QuantizationReport(RecordResult[OpQuantization]):
    """How each op of a program computes: in integers, or in float and why.

    Parameters
    ----------
    snapshot
        The program.
    rows
        A row per op.
    warnings
        What went wrong as a whole, a sentence each.

    Examples
    --------
    >>> report = exir_viz.quantization(snapshot)
    >>> report.is_quantized
    False
    """

    _text_module = "exir_viz.quantization_report.text"

    def __init__(
        self, snapshot: Snapshot, rows: Iterable[OpQuantization], warnings: Iterable[str] = ()
    ) -> None:
        super().__init__(rows)
        self.snapshot = snapshot
        self.warnings = tuple(warnings)

    @property
    def is_quantized(self) -> bool:
        """Whether an op computes with integers."""
        return any(row.status not in _FLOAT for row in self)

    @property
    def counts(self) -> Mapping[OpStatus, int]:
        """How many ops there are of each status."""
        counts = Counter(row.status for row in self)
        return {status: counts[status] for status in OpStatus}

    def where(self, status: str) -> tuple[OpQuantization, ...]:
        """List the ops of a status.

        Parameters
        ----------
        status
            "integer", "quantized", "dynamic", "weights", "between" or "float".

        Returns
        -------
        tuple of OpQuantization
            The rows.

        Raises
        ------
        WrongArgument
            If there is no such status.

        Examples
        --------
        >>> len(exir_viz.quantization(snapshot).where("float"))
        3
        """
        return self._where("status", status, OpStatus)

    def table(self) -> Table:
        """Make a row per op.

        Its columns: node, op, module, status, reason, inputs, weights, output (texts such as "int8 per
        tensor, scale 0.0068, zero point -128"), snr.

        Returns
        -------
        Table
            The table.

        Examples
        --------
        >>> exir_viz.quantization(snapshot).table().records()[0]["status"]
        'float'
        """
        rows = (
            (
                *(row.node, row.op, row.module, row.status.value, row.reason),
                *("; ".join(map(number_text, row.inputs)), "; ".join(map(number_text, row.weights))),
                *(number_text(row.output), row.snr),
            )
            for row in self
        )
        columns = ("node", "op", "module", "status", "reason", "inputs", "weights", "output", "snr")
        return table("quantization.frame()", rows, columns, floats=("snr",))

    def modules(self) -> Table:
        """Count the ops by module.

        Returns
        -------
        Table
            A row per module: a column per status, and snr, the least of its ops in decibels.

        Examples
        --------
        >>> exir_viz.quantization(snapshot).modules().records()[0]["module"]
        'fc1'
        """
        counts: dict[str, Counter[OpStatus]] = {}
        least: dict[str, float] = {}
        for row in self:
            counts.setdefault(row.module, Counter())[row.status] += 1
            if row.snr is not None:
                least[row.module] = min(row.snr, least.get(row.module, math.inf))
        names = tuple(status.value for status in OpStatus)
        rows = (
            (module, *(found[status] for status in OpStatus), least.get(module))
            for module, found in counts.items()
        )
        columns = ("module", *names, "snr")
        return table("quantization.modules()", rows, columns, integers=names, floats=("snr",))
