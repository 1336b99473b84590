"""Report: what an analysis says of a program, in one shape for all of them.

An analysis is a function from a Snapshot to a Report (see `registry`). Whatever shows a Report, as text,
HTML, a table, JSON or SARIF (see `render`), or in the explorer, does not depend on the analysis.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from exir_viz.options import one_of
from exir_viz.snapshot.records import Record
from exir_viz.table import Table

if TYPE_CHECKING:
    import pandas as pd

# What is not known is None; it is shown as a dash and never as 0.
Cell: TypeAlias = str | int | float | None


class Outcome(StrEnum):
    """How bad it is: of a row, and of a report as a whole, in that order.

    Examples
    --------
    >>> [outcome.value for outcome in exir_viz.reports.Outcome]
    ['error', 'warning', 'note', 'fine']
    """

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"
    FINE = "fine"


class Unit(StrEnum):
    """What the numbers of a column are: it decides how they are written.

    A `size` is that of the row's formula, and a page writes it for the sizes that are tried.

    Examples
    --------
    >>> exir_viz.reports.Column("weights", exir_viz.reports.Unit.BYTES).unit.value
    'bytes'
    """

    TEXT = "text"
    COUNT = "count"
    BYTES = "bytes"
    SHARE = "share"
    SECONDS = "seconds"
    DECIBELS = "decibels"
    SIZE = "size"


class Column(Record, frozen=True):
    """A column of a section: its name, and what its cells are.

    Examples
    --------
    >>> exir_viz.reports.Column("why").unit.value
    'text'
    """

    name: str
    unit: Unit = Unit.TEXT


class Fact(Record, frozen=True):
    """One line of the head: "delegated: 266 of 377 ops". `nodes` are the ids of those it is about.

    Examples
    --------
    >>> exir_viz.reports.Fact("delegated", "0 of 3 ops").label
    'delegated'
    """

    label: str
    text: str
    nodes: tuple[str, ...] = ()


class Formula(Record, frozen=True):
    """An expression of symbols, as text and as a page evaluates it (`exir_viz.snapshot.expr.postfix`).

    `postfix` is empty for what a page does not evaluate. `is_condition`: the program requires that it holds,
    and a page refuses sizes for which it does not.

    Examples
    --------
    >>> exir_viz.reports.Formula("2*batch", "2 batch Mul:2").expr
    '2*batch'
    """

    expr: str
    postfix: str = ""
    is_condition: bool = False


class Row(Record, frozen=True):
    """One statement about some nodes.

    Attributes
    ----------
    title
        What it is about: an operator, a rule, a file's part.
    reason
        Why it is so.
    remedy
        What to do about it.
    severity
        How bad it is.
    nodes
        The ids of the nodes.
    texts
        What there is to say of each node; empty, or as long as `nodes`.
    places
        The user's line that made each node ("model.py:12"); `registry.run` fills them in.
    values
        The cells of the section's columns.
    name, section, url
        The rule that it breaks, and the document that states the rule.
    formula
        A size or a condition that follows the sliders.
    query
        What to search for in the explorer to find all nodes, where `nodes` are only the important ones.

    Examples
    --------
    >>> exir_viz.reports.Row("cast", severity=exir_viz.reports.Outcome.NOTE).severity.value
    'note'
    """

    title: str
    reason: str = ""
    remedy: str = ""
    severity: Outcome = Outcome.FINE
    nodes: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    values: tuple[Cell, ...] = ()
    name: str = ""
    section: str = ""
    url: str = ""
    formula: Formula | None = None
    query: str = ""


class Section(Record, frozen=True):
    """Rows under a title, what matters most first. `note` is said once, above them.

    Examples
    --------
    >>> len(exir_viz.reports.Section("Casts", (exir_viz.reports.Row("to"),)).rows)
    1
    """

    title: str
    rows: tuple[Row, ...]
    columns: tuple[Column, ...] = ()
    note: str = ""


class Category(Record, frozen=True):
    """One color of the overlay that a report offers: what it means, and the nodes that have it.

    Examples
    --------
    >>> exir_viz.reports.Category("in place", ("forward/b_cache",)).label
    'in place'
    """

    label: str
    nodes: tuple[str, ...]


class Slider(Record, frozen=True):
    """A symbol whose size can be tried in a page: its range, None where it has no end, and an example.

    Examples
    --------
    >>> exir_viz.reports.Slider("batch", lower=2, example=4).upper is None
    True
    """

    name: str
    lower: int | None = None
    upper: int | None = None
    example: int | None = None


class Mark(Record, frozen=True):
    """What became of a line: its sign, its name in a legend, and what that means.

    `color` is a tone that the theme chooses: "green", "orange", "blue", "red", or none.

    Examples
    --------
    >>> exir_viz.reports.Mark("●", "traced", color="green").label
    'traced'
    """

    sign: str
    label: str
    about: str = ""
    color: str = ""


class SourceFile(Record, frozen=True):
    """Lines of one of the user's files, as columns.

    Attributes
    ----------
    file
        Its path.
    numbers, texts
        The lines.
    marks
        What became of each: an index into `Report.marks`, or -1.
    notes
        What there is to say of each.
    ops, bytes
        Of the nodes that each made itself or in what it calls: how many, and what they read and write.
    nodes
        The ids of the nodes that each made itself.
    shares
        The part of a measured run that those of `ops` take, 0 to 1; empty without a profile.
    note
        What a reader must know of the file.

    Examples
    --------
    >>> report = exir_viz.reports.run("source", snapshot)
    >>> [len(file.numbers) == len(file.texts) for file in report.sources]
    [True]
    """

    file: str
    numbers: tuple[int, ...]
    texts: tuple[str, ...]
    marks: tuple[int, ...]
    notes: tuple[str, ...]
    ops: tuple[int, ...]
    bytes: tuple[int, ...]
    nodes: tuple[tuple[str, ...], ...]
    shares: tuple[float, ...] = ()
    note: str = ""


class Report(Record, frozen=True, gc=True):
    """What an analysis says of a program.

    Print it, or read `.headline`, `.sections`, `.rows()`, `.frame`, `.to_json()`, `.to_sarif()`.

    Attributes
    ----------
    headline
        The outcome in one sentence: "111 of 377 ops run on the CPU".
    outcome
        The worst that was found.
    facts
        What is true of the program as a whole.
    sections
        The rows.
    overlay
        Colours for nodes, with their legend.
    unexamined
        What was not looked at, and why: a sentence each.
    sliders
        The symbols that the formulas of rows are evaluated for.
    sources, marks
        The user's files, and what the marks of their lines mean.
    name, title, about, program
        The analysis ("size", "Size"), the question that it answers, and what it looked at ("model.pt2");
        `registry.run` fills them in.

    Examples
    --------
    >>> report = exir_viz.reports.run("size", snapshot)
    >>> report.outcome.value
    'fine'
    """

    headline: str
    outcome: Outcome = Outcome.FINE
    facts: tuple[Fact, ...] = ()
    sections: tuple[Section, ...] = ()
    overlay: tuple[Category, ...] = ()
    unexamined: tuple[str, ...] = ()
    sliders: tuple[Slider, ...] = ()
    sources: tuple[SourceFile, ...] = ()
    marks: tuple[Mark, ...] = ()
    name: str = ""
    title: str = ""
    about: str = ""
    program: str = ""

    def rows(self, severity: Outcome | str | None = None) -> Iterator[Row]:
        """Go through the rows of all sections.

        Parameters
        ----------
        severity
            Only rows that are as bad as this, or worse.

        Returns
        -------
        iterator of Row
            The rows, in the order in which they are shown.

        Raises
        ------
        WrongArgument
            If there is no such severity.

        Examples
        --------
        >>> list(exir_viz.reports.run("size", snapshot).rows("error"))
        []
        """
        order = list(Outcome)
        wanted = Outcome.FINE if severity is None else one_of("rows", "severity", severity, tuple(order))
        least = order.index(Outcome(wanted))
        for section in self.sections:
            yield from (row for row in section.rows if order.index(row.severity) <= least)

    def table(self) -> Table:
        """Make a table with a line per row.

        Its columns: section, severity, name, title, nodes (how many), reason, remedy, and the columns of
        all sections.

        Returns
        -------
        Table
            The rows. It needs no pandas.

        Examples
        --------
        >>> exir_viz.reports.run("size", snapshot).table().columns[:3]
        ('section', 'severity', 'name')
        """
        from .render import rows_table

        return rows_table(self)

    def node_table(self) -> Table:
        """Make a table with a line per node of each row.

        Its columns: section, severity, title, node, place, text, reason, remedy. A row about no node has one
        line, without a node.

        Returns
        -------
        Table
            The nodes. It needs no pandas.

        Examples
        --------
        >>> exir_viz.reports.run("size", snapshot).node_table().columns[3]
        'node'
        """
        from .render import nodes_table

        return nodes_table(self)

    def line_table(self) -> Table:
        """Make a table with a line per source line.

        Its columns: file, line, mark, ops, bytes, share, note, text, nodes. See `SourceFile`.

        Returns
        -------
        Table
            The lines. It needs no pandas.

        Examples
        --------
        >>> exir_viz.reports.run("source", snapshot).line_table().columns[:3]
        ('file', 'line', 'mark')
        """
        from .render import lines_table

        return lines_table(self)

    @property
    def frame(self) -> pd.DataFrame:
        """The rows of `table` as a pandas frame."""
        return self.table().frame()

    @property
    def paintings(self) -> Mapping[str, Mapping[str, str]]:
        """What `exir_viz.explore` paints: by label, categories by node."""
        return (
            {self.title: {node: category.label for category in self.overlay for node in category.nodes}}
            if self.overlay
            else {}
        )

    def to_json(self) -> str:
        """Write the report as JSON.

        Returns
        -------
        str
            An object with all attributes of the report, also those that are empty.

        Examples
        --------
        >>> import json
        >>> json.loads(exir_viz.reports.run("size", snapshot).to_json())["name"]
        'size'
        """
        return json.dumps(_every_field(self), indent=1, ensure_ascii=False)

    def to_sarif(self) -> str:
        """Write the rows as SARIF 2.1.0, which code hosts and editors show.

        Returns
        -------
        str
            JSON text: a result for each node of each row that is at least a note.

        Examples
        --------
        >>> import json
        >>> json.loads(exir_viz.reports.run("size", snapshot).to_sarif())["version"]
        '2.1.0'
        """
        from .render import sarif

        return sarif(self)

    def to_html(self) -> str:
        """Write the report as HTML, as a notebook shows it.

        Returns
        -------
        str
            HTML without a head; all text of the program is escaped.

        Examples
        --------
        >>> "<b>" in exir_viz.reports.run("size", snapshot).to_html()
        True
        """
        from .render import as_html

        return as_html(self)

    def text(self, most: int | None = 12) -> str:
        """Write the report as text.

        Parameters
        ----------
        most
            How many rows of a section are written; None for all.

        Returns
        -------
        str
            The text, without control characters of the program.

        Examples
        --------
        >>> exir_viz.reports.run("size", snapshot).text().startswith("Size: ")
        True
        """
        from .render import as_text

        return as_text(self, most)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        return self.to_html()


def _every_field(value: object) -> object:
    """A record as JSON has it, with the fields that have default values."""
    if isinstance(value, msgspec.Struct):
        return {name: _every_field(getattr(value, name)) for name in value.__struct_fields__}
    return [_every_field(item) for item in value] if isinstance(value, tuple) else value


def worst(rows: Iterable[Row]) -> Outcome:
    """The severity of the worst row; fine where there is none."""
    order = list(Outcome)
    return min((row.severity for row in rows), key=order.index, default=Outcome.FINE)
