"""Diagnosis: what `exir_viz.doctor` returns. A sequence of Blocker records, with tables and texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, overload

from exir_viz.table import Table, table

from .records import Blocker

if TYPE_CHECKING:
    import pandas as pd


class Diagnosis(Sequence[Blocker]):
    """What keeps a module from being exported, with a fix for each.

    Parameters
    ----------
    model
        The class of the module.
    works
        By way of exporting ("non-strict", "strict"): whether it works.
    blockers
        What was found.
    notes
        What could not be examined, and why.

    Examples
    --------
    >>> diagnosis = exir_viz.doctor(model, x)
    >>> diagnosis.can_export, len(diagnosis)
    (True, 0)
    """

    def __init__(
        self, model: str, works: Mapping[str, bool], blockers: Iterable[Blocker], notes: Iterable[str] = ()
    ) -> None:
        self.model = model
        self.works = dict(works)
        self.notes = tuple(notes)
        self._blockers = tuple(blockers)

    @property
    def can_export(self) -> bool:
        """Whether one way of exporting works."""
        return any(self.works.values())

    def table(self) -> Table:
        """Make the rows of `frame` without pandas.

        Returns
        -------
        Table
            The table.

        Examples
        --------
        >>> exir_viz.doctor(model, x).table().columns[:3]
        ('kind', 'modes', 'module')
        """
        columns = ("kind", "modes", "module", "file", "line", "code", "explanation", "reason", "fix", "paste")
        rows = (
            (
                *(one.kind.value, ", ".join(one.modes), one.module, one.file, one.line or None, one.code),
                *(one.explanation, one.reason),
                *((one.fixes[0].title, one.fixes[0].code) if one.fixes else (None, None)),
            )
            for one in self
        )
        return table("diagnosis.frame()", rows, columns, integers=("line",))

    def frame(self) -> pd.DataFrame:
        """Make a pandas frame with a row per blocker.

        Its columns: kind, modes, module, file, line, code, explanation, reason, fix and paste (the first fix,
        and its code). See `Blocker`.

        Returns
        -------
        pandas.DataFrame
            The frame.

        Examples
        --------
        >>> len(exir_viz.doctor(model, x).frame())
        0
        """
        return self.table().frame()

    @overload
    def __getitem__(self, at: int) -> Blocker: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[Blocker, ...]: ...
    def __getitem__(self, at: int | slice) -> Blocker | tuple[Blocker, ...]:
        return self._blockers[at]

    def __len__(self) -> int:
        return len(self._blockers)

    def __str__(self) -> str:
        from .text import summarise

        return summarise(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from .text import as_html

        return as_html(self)
