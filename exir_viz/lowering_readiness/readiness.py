"""Readiness: what `exir_viz.readiness` returns. A sequence of OpReadiness records, with tables and texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from exir_viz.options import one_of
from exir_viz.result import RecordResult
from exir_viz.snapshot import Snapshot
from exir_viz.table import Table, table

from .records import OpReadiness, Status


class Readiness(RecordResult[OpReadiness]):
    """Which operators of a program ExecuTorch can run: blockers first, then by what a fix gains.

    Parameters
    ----------
    snapshot
        The program.
    rows
        A row per operator.
    backends
        The backends that were asked, by title. Status, gain and order are for the first.
    notes
        What could not be found out, and why.
    failure
        Why lowering to edge fails; "" if it does not, or was not tried.

    Examples
    --------
    >>> ready = exir_viz.readiness(snapshot)
    >>> ready.is_blocked
    False
    """

    _text_module = "exir_viz.lowering_readiness.text"

    def __init__(
        self,
        snapshot: Snapshot,
        rows: Iterable[OpReadiness],
        backends: Sequence[str] = (),
        notes: Iterable[str] = (),
        failure: str = "",
    ) -> None:
        super().__init__(rows)
        self.snapshot = snapshot
        self.backends = tuple(backends)
        self.notes = tuple(notes)
        self.failure = failure

    @property
    def is_blocked(self) -> bool:
        """Whether the program cannot be lowered, or not be run, as far as that is known."""
        return bool(self.failure) or any(row.status is Status.BLOCKED for row in self)

    @property
    def calls(self) -> int:
        """How many calls the program has."""
        return sum(row.calls for row in self)

    def delegated(self, backend: str) -> int:
        """Count the calls that a backend runs or would run as a whole. Delegated calls are only its own.

        Parameters
        ----------
        backend
            One of `backends`.

        Returns
        -------
        int
            The number of calls.

        Raises
        ------
        WrongArgument
            If the backend was not asked.

        Examples
        --------
        >>> exir_viz.readiness(program, backends=["xnnpack"]).delegated("XNNPACK")
        3
        """
        name = one_of("delegated", "backend", backend, self.backends)
        return sum(row.delegated.get(name, 0) for row in self)

    def where(self, status: str) -> tuple[OpReadiness, ...]:
        """List the operators of a status.

        Parameters
        ----------
        status
            "blocked", "cpu", "partly", "delegated", "removed" or "unknown".

        Returns
        -------
        tuple of OpReadiness
            The rows.

        Raises
        ------
        WrongArgument
            If there is no such status.

        Examples
        --------
        >>> exir_viz.readiness(snapshot).where("blocked")
        ()
        """
        return self._where("status", status, Status)

    def table(self) -> Table:
        """Make a table with a row per operator.

        Its columns: op, calls, status, gain, time_share, bytes, core, dtypes, kernel, one per backend (how
        many calls it would run), becomes (edge operators), reason, fix. See `OpReadiness`.

        Returns
        -------
        Table
            The table.

        Examples
        --------
        >>> list(exir_viz.readiness(snapshot).frame["op"])
        ['aten.linear.default', 'aten.relu.default']
        """
        backends = tuple(dict.fromkeys(name for row in self for name in row.delegated))
        columns = ("op", "calls", "status", "gain", "time_share", "bytes", "core", "dtypes", "kernel")
        rows = (
            (
                *(row.op, row.calls, row.status.value, row.gain, row.time_share, row.bytes),
                *(row.core or None, row.dtypes or None, row.kernel or None),
                *(row.delegated.get(name, 0) for name in backends),
                *("; ".join(row.becomes), " ".join(row.reasons), " ".join(row.fixes)),
            )
            for row in self
        )
        return table(
            "readiness.frame",
            rows,
            (*columns, *backends, "becomes", "reason", "fix"),
            integers=("calls", "bytes", *backends),
            floats=("gain", "time_share"),
        )
