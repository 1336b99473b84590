"""Diagnosis: what `exir_viz.doctor` returns. A sequence of Blocker records, with tables and texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from exir_viz.result import RecordResult
from exir_viz.snapshot import Snapshot
from exir_viz.table import Table, table

from .records import Blocker


class Diagnosis(RecordResult[Blocker]):
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
    snapshot
        The program of draft_export, which `exir_viz.explore(diagnosis)` shows with the blockers marked; None
        without `draft=True`.

    Examples
    --------
    >>> diagnosis = exir_viz.doctor(model, x)
    >>> diagnosis.can_export, len(diagnosis)
    (True, 0)
    """

    _text_module = "exir_viz.export_doctor.text"

    def __init__(
        self,
        model: str,
        works: Mapping[str, bool],
        blockers: Iterable[Blocker],
        notes: Iterable[str] = (),
        snapshot: Snapshot | None = None,
    ) -> None:
        super().__init__(blockers)
        self.model = model
        self.works = dict(works)
        self.notes = tuple(notes)
        self.snapshot = snapshot

    @property
    def can_export(self) -> bool:
        """Whether one way of exporting works."""
        return any(self.works.values())

    @property
    def marks(self) -> Mapping[str, str]:
        """The nodes of the draft program whose values are doubtful: those that a blocker's line made."""
        lines = {(one.file, one.line): one.kind.value for one in self if one.line}
        found = {}
        for method in () if self.snapshot is None else self.snapshot.methods.values():
            for node in (node for graph in method.graphs() for node in graph):
                kinds = (lines.get((frame.file, frame.line)) for frame in node.frames)
                kind = next(filter(None, kinds), None)
                if kind is not None:
                    found[node.id] = kind
        return found

    @property
    def paintings(self) -> Mapping[str, Mapping[str, str]]:
        """The marks, as `exir_viz.explore` paints them."""
        marks = self.marks
        return {"blockers of the export": marks} if marks else {}

    @property
    def why_not_explored(self) -> str:
        """What to do if there is no program to explore."""
        if self.snapshot is not None:
            return ""
        if self.can_export:
            return (
                "A diagnosis of a module that can be exported has no program: pass the module to "
                "exir_viz.explore with its example inputs."
            )
        return (
            "There is no graph to show: the module cannot be exported. Pass draft=True to exir_viz.doctor: "
            "torch's draft_export makes a graph anyway."
        )

    def table(self) -> Table:
        """Make a table with a row per blocker.

        Its columns: kind, modes, module, file, line, code, explanation, reason, fix and paste (the first fix,
        and its code). See `Blocker`.

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
        return table("diagnosis.frame", rows, columns, integers=("line",))
