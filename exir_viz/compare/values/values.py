"""Values: where the values of two programs diverge, as plain data with its Diff."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from exir_viz.compare.diff import Diff, Match
from exir_viz.options import instance, named_options, one_of
from exir_viz.snapshot import Node
from exir_viz.snapshot.format import amount_text

from .records import NumberRow, Numbers, OutputRow, Producer, ValuesRecord

if TYPE_CHECKING:
    import pandas as pd

    from exir_viz.widget.diff_explorer import DiffExplorer
    from exir_viz.widget.page import Page


_SERIES = ("snr", "max_abs", "relative", "cosine")


class Compared:
    """Two compared values: node a's and node b's."""

    __slots__ = ("_values", "row")

    def __init__(self, values: Values, row: NumberRow) -> None:
        self._values = values
        self.row = row

    @property
    def a(self) -> Node:
        return self._values.diff.numbering_a.node(self.row.a)

    @property
    def b(self) -> Node:
        return self._values.diff.numbering_b.node(self.row.b)

    @property
    def match(self) -> Match:
        """Their match."""
        return self._values.diff[self.row.match]

    @property
    def numbers(self) -> Numbers:
        return self.row.numbers

    @property
    def parted(self) -> bool:
        """Whether the difference is beyond the tolerance."""
        return self.row.numbers.parted

    @property
    def origin(self) -> bool:
        """Whether it diverges although none of its inputs do."""
        return self.row.origin

    @property
    def probable(self) -> bool:
        """Whether the match is only probable."""
        return self.row.probable

    def __repr__(self) -> str:
        state = "parted" if self.parted else "agree"
        state = f"{state} (probably each other's)" if self.probable else state
        apart = "no finite pair" if self.numbers.max_abs is None else amount_text(self.numbers.max_abs)
        return f"<{self.a.id} and {self.b.id} {state}: {apart}>"


class Values(Sequence[Compared]):
    """The values of two programs, compared pair by pair in the order in which `b` computed them.

    `exir_viz.compare_values(a, b)` makes one.

    Parameters
    ----------
    diff
        The Diff of the two programs.
    record
        The record of the comparison.

    Examples
    --------
    >>> values = exir_viz.compare_values(program, program, x)
    >>> values.agree
    True
    """

    def __init__(self, diff: Diff, record: ValuesRecord) -> None:
        self.diff = diff
        self.record = record

    @property
    def agree(self) -> bool | None:
        """Whether all outputs and updates are within the tolerance. None if some were not compared."""
        if any(row.numbers is not None and row.numbers.parted for row in self.outputs):
            return False
        return True if self.outputs and all(row.numbers for row in self.outputs) else None

    @property
    def first(self) -> Compared | None:
        """The first of `origins`."""
        return None if self.record.first < 0 else self[self.record.first]

    @property
    def parted(self) -> tuple[Compared, ...]:
        """All pairs beyond the tolerance."""
        return tuple(one for one in self if one.parted)

    @property
    def origins(self) -> tuple[Compared, ...]:
        """The pairs that diverge although none of their inputs do: where to look.

        A probable match is included only if something computed from it diverges too; it then says `probable`.
        """
        return tuple(one for one in self if one.origin)

    @property
    def outputs(self) -> tuple[OutputRow, ...]:
        """Outputs and updates; a row without numbers has the reason why it was not compared."""
        return self.record.outputs

    @property
    def producers(self) -> tuple[Producer, ...]:
        """By side, the first node with a NaN, and the first with an infinite number."""
        return self.record.producers

    def producer(self, side: str, trouble: str) -> Node | None:
        """Find the first node that yields NaN or an infinite number.

        Parameters
        ----------
        side
            "a" or "b".
        trouble
            "nan" or "inf".

        Returns
        -------
        Node or None
            The node; None if there is none.

        Examples
        --------
        >>> exir_viz.compare_values(program, program, x).producer("a", "nan") is None
        True
        """
        found = (one.node for one in self.producers if (one.side, one.trouble) == (side, trouble))
        numbering = self.diff.numbering_a if side == "a" else self.diff.numbering_b
        return next(map(numbering.node, found), None)

    def of(self, node: Node) -> Compared | None:
        """Find the pair of a node.

        Parameters
        ----------
        node
            A Node of either program.

        Returns
        -------
        Compared or None
            The pair; None if the node's value was not compared.

        Raises
        ------
        WrongArgument
            If `node` is not a Node.

        Examples
        --------
        >>> values = exir_viz.compare_values(program, program, x)
        >>> values.of(values.diff.a.method.graph["relu"])
        <forward/relu and forward/relu agree: 0>
        """
        instance("of", "node", node, Node, "Of either side: values.diff.a.method.graph['name'].")
        is_a = node.graph.snapshot is self.diff.a
        number = (self.diff.numbering_a if is_a else self.diff.numbering_b).number(node)
        at = self._of_node[0 if is_a else 1].get(number)
        return None if at is None else self[at]

    def reason(self, match: Match) -> str:
        """Say why no values of a match were compared.

        Parameters
        ----------
        match
            A match of `values.diff`.

        Returns
        -------
        str
            The reason; empty if values were compared, or if the match has only one side.

        Examples
        --------
        >>> values = exir_viz.compare_values(program, program, x)
        >>> values.reason(values[0].match)
        ''
        """
        return self._reasons.get(match.number, "")

    def series(self, what: str = "snr") -> Mapping[str, float]:
        """Return one number per node of `b`, to colour the picture with.

        Parameters
        ----------
        what
            "snr", "max_abs", "relative" or "cosine".

        Returns
        -------
        dict
            The numbers by node id.

        Raises
        ------
        WrongArgument
            If there is no such number.

        Examples
        --------
        >>> exir_viz.compare_values(program, program, x).series("max_abs")["forward/relu"]
        0.0
        """
        one_of("series", "what", what, _SERIES)
        found = ((one.b.id, getattr(one.numbers, what)) for one in self)
        return {name: number for name, number in found if number is not None}

    @cached_property
    def _of_node(self) -> tuple[dict[int, int], dict[int, int]]:
        """For either side: by node number, its first row."""
        found: tuple[dict[int, int], dict[int, int]] = ({}, {})
        for at, row in enumerate(self.record.rows):
            found[0].setdefault(row.a, at)
            found[1].setdefault(row.b, at)
        return found

    @cached_property
    def _reasons(self) -> dict[int, str]:
        """By match: why it was not compared."""
        return {one.match: self.record.reasons[one.reason] for one in self.record.uncompared}

    # -- as a sequence ------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.record.rows)

    def __iter__(self) -> Iterator[Compared]:
        return (Compared(self, row) for row in self.record.rows)

    @overload
    def __getitem__(self, key: int) -> Compared: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Compared, ...]: ...
    def __getitem__(self, key: int | slice) -> Compared | tuple[Compared, ...]:
        if isinstance(key, slice):
            return tuple(Compared(self, row) for row in self.record.rows[key])
        return Compared(self, self.record.rows[key])

    @property
    def frame(self) -> pd.DataFrame:
        """One row per pair, as `exir_viz.tables.numbers` makes it."""
        from exir_viz.tables import numbers

        return numbers(self)

    @named_options
    def to_html(
        self,
        path: str | PathLike[str],
        *,
        title: str = "",
        sources: bool = True,
        absolute_paths: bool = False,
    ) -> Path:
        """Write a page that shows both programs side by side, with these values.

        Parameters
        ----------
        path
            The file to write.
        title
            The title of the page.
        sources, absolute_paths
            Whether to include source text and absolute paths of this machine: see `exir_viz.pages.html`.

        Returns
        -------
        pathlib.Path
            The written file.

        Raises
        ------
        NotWritten
            If the file cannot be written.

        Examples
        --------
        >>> values = exir_viz.compare_values(program, program, x)
        >>> values.to_html(folder / "values.html").name
        'values.html'
        """
        return self.diff.to_html(
            path, title=title, values=self, sources=sources, absolute_paths=absolute_paths
        )

    @named_options
    def explore(self, *, height: int = 640) -> DiffExplorer | Page:
        """Show both programs side by side with these values. A cell whose last line is the values shows the
        same.

        Parameters
        ----------
        height
            The height, in CSS pixels.

        Returns
        -------
        DiffExplorer or Page
            The widget, or a page in a frame where the extra `notebook` is not installed.

        Examples
        --------
        >>> values = exir_viz.compare_values(program, program, x)
        >>> values.explore().values is values
        True
        """
        return self.diff.explore(height=height, values=self)

    def _repr_mimebundle_(self, **options: Any) -> object:
        """Side by side if a widget can be shown, else the summary."""
        return self.explore()._repr_mimebundle_(**options)

    def __str__(self) -> str:
        from .terminal import summarise

        return summarise(self)

    def __repr__(self) -> str:
        return (
            f"<Values of {self.record.a} and {self.record.b}: {len(self.parted)} of {len(self)} pairs parted>"
        )
