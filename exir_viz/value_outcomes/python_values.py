"""PythonValues: what `exir_viz.python_values` returns. A sequence of PythonValue records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from exir_viz.result import RecordResult
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.program import PythonValue, ValueOutcome, ValueRole
from exir_viz.table import Table, table


class PythonValues(RecordResult[PythonValue]):
    """What became of each input, attribute and Python value of a model.

    Parameters
    ----------
    snapshot
        The program.
    values
        What became of each.

    Examples
    --------
    >>> values = exir_viz.python_values(model, x)
    >>> values[0].name, values[0].outcome.value
    ('x', 'placeholder')
    """

    _text_module = "exir_viz.value_outcomes.text"

    def __init__(self, snapshot: Snapshot, values: Iterable[PythonValue]) -> None:
        super().__init__(values)
        self.snapshot = snapshot

    @property
    def is_watched(self) -> bool:
        """Whether a module was exported and watched; otherwise only inputs and state are known."""
        return bool(self.snapshot.detail.runs)

    @property
    def counts(self) -> Mapping[ValueOutcome, int]:
        """How many values have each outcome."""
        return Counter(one.outcome for one in self)

    def where(
        self, outcome: ValueOutcome | str | None = None, role: ValueRole | str | None = None
    ) -> PythonValues:
        """Keep the values with an outcome, or of a role.

        Parameters
        ----------
        outcome
            "placeholder", "op", "graph constant" or "absent".
        role
            "input", "attribute" or "variable".

        Returns
        -------
        PythonValues
            Those values.

        Raises
        ------
        WrongArgument
            If there is no such outcome or role.

        Examples
        --------
        >>> [one.name for one in exir_viz.python_values(model, x).where(role="input")]
        ['x']
        """
        if outcome is not None and role is not None:
            return self.where(outcome=outcome).where(role=role)
        if outcome is not None:
            return PythonValues(self.snapshot, self._where("outcome", outcome, ValueOutcome))
        if role is not None:
            return PythonValues(self.snapshot, self._where("role", role, ValueRole))
        return self

    def table(self) -> Table:
        """Make a table with a row per value.

        Its columns: role, name, type, value, outcome, note, nodes, file, line. See `PythonValue`.

        Returns
        -------
        Table
            The table.

        Examples
        --------
        >>> exir_viz.python_values(model, x).table().columns[:3]
        ('role', 'name', 'type')
        """
        columns = ("role", "name", "type", "value", "outcome", "note", "nodes", "file", "line")
        rows = (
            (
                *(one.role.value, one.name, one.type, one.value, one.outcome.value, one.note),
                *(", ".join(one.nodes), one.file, one.line or None),
            )
            for one in self
        )
        return table("python_values.frame", rows, columns, integers=("line",))
