"""Values: where the values of two programs diverge, as plain data with its Diff."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from exir_viz.compare.diff import Diff, Match
from exir_viz.errors import MeasureError
from exir_viz.options import instance, named_options, one_of, wrong_argument
from exir_viz.snapshot import Node
from exir_viz.snapshot.format import amount_text, plural

from .records import DeviceRow, NumberRow, Numbers, OutputRow, Producer, Ran, ValuesRecord

if TYPE_CHECKING:
    import pandas as pd

    from exir_viz.measure.progress import Callback
    from exir_viz.widget.diff_explorer import DiffExplorer
    from exir_viz.widget.page import Page

    from .bisection import Bisection

# Computed by eager torch in place of what should have run.
EMULATED = (Ran.EMULATED, Ran.NOT_RUN)
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
    def diverged(self) -> bool:
        """Whether the difference is beyond the tolerance."""
        return self.row.numbers.diverged

    @property
    def origin(self) -> bool:
        """Whether it diverges although none of its inputs do."""
        return self.row.origin

    @property
    def probable(self) -> bool:
        """Whether the match is only probable."""
        return self.row.probable

    @property
    def ran(self) -> Ran:
        """What computed the value of b: eager torch, the runtime, or eager torch in its place."""
        return self.row.ran

    def __repr__(self) -> str:
        state = "diverge" if self.diverged else self.ran.value if self.ran in EMULATED else "agree"
        state = f"{state} (probable match)" if self.probable else state
        apart = "no finite pair" if self.numbers.max_abs is None else amount_text(self.numbers.max_abs)
        return f"<{self.a.id} and {self.b.id} {state}: {apart}>"


class DeviceResult:
    """A delegate or an op of b in the ExecuTorch runtime, against eager torch."""

    __slots__ = ("_values", "row")

    def __init__(self, values: Values, row: DeviceRow) -> None:
        self._values = values
        self.row = row

    @property
    def node(self) -> Node:
        """The call of the delegate, or the op."""
        return self._values.diff.numbering_b.node(self.row.node)

    @property
    def ran(self) -> Ran:
        """Whether the runtime ran it."""
        return self.row.ran

    @property
    def backend(self) -> str:
        """The backend of a delegate; "" for an op."""
        return self.row.backend

    @property
    def isolated(self) -> Numbers | None:
        """The difference on the values that eager torch computes: its own error."""
        return self.row.isolated

    @property
    def in_sequence(self) -> Numbers | None:
        """The difference on what the runtime computed before: with earlier errors."""
        return self.row.in_sequence

    @property
    def reason(self) -> str:
        """Why the runtime did not run it."""
        return self.row.reason

    @property
    def diverged(self) -> bool:
        """Whether its own error is beyond the tolerance."""
        return self.isolated is not None and self.isolated.diverged

    def __repr__(self) -> str:
        state = "diverges" if self.diverged else "agrees" if self.ran is Ran.RUNTIME else self.ran.value
        return f"<{self.node.id} {state}>"


class Values(Sequence[Compared]):
    """The values of two programs, compared pair by pair in the order in which `b` computed them.

    `exir_viz.diff(a, b).values()` makes one.

    Parameters
    ----------
    diff
        The Diff of the two programs.
    record
        The record of the comparison.
    run
        What ran in ExecuTorch's runtime; `bisect` runs parts of it.

    Examples
    --------
    >>> values = exir_viz.diff(program, program).values(x)
    >>> values.agree
    True
    """

    def __init__(self, diff: Diff, record: ValuesRecord, run: Any = None) -> None:
        self.diff = diff
        self.record = record
        self._run = run  # what ran in the runtime, for `bisect`

    @property
    def agree(self) -> bool | None:
        """Whether all outputs and updates are within the tolerance.

        None if some were not compared, or were computed by eager torch in place of a backend or the runtime.
        """
        if any(row.numbers is not None and row.numbers.diverged for row in self.outputs):
            return False
        is_known = all(row.numbers and row.ran not in EMULATED for row in self.outputs)
        return True if self.outputs and is_known else None

    @property
    def first(self) -> Compared | None:
        """The first of `origins`."""
        return None if self.record.first < 0 else self[self.record.first]

    @property
    def diverged(self) -> tuple[Compared, ...]:
        """All pairs beyond the tolerance."""
        return tuple(one for one in self if one.diverged)

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
    def devices(self) -> tuple[DeviceResult, ...]:
        """The delegates and ops of b that were to run in the ExecuTorch runtime, in execution order."""
        return tuple(DeviceResult(self, row) for row in self.record.devices)

    @property
    def metrics(self) -> tuple[tuple[float, float], ...]:
        """For each input, the metric of a and of b."""
        return self.record.metrics

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
        >>> exir_viz.diff(program, program).values(x).producer("a", "nan") is None
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
        >>> values = exir_viz.diff(program, program).values(x)
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
        >>> values = exir_viz.diff(program, program).values(x)
        >>> values.reason(values[0].match)
        ''
        """
        return self._reasons.get(match.number, "")

    def series(self, what: str = "snr") -> Mapping[str, float]:
        """Return one number per node of `b`, to color the picture with.

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
        >>> exir_viz.diff(program, program).values(x).series("max_abs")["forward/relu"]
        0.0
        """
        one_of("series", "what", what, _SERIES)
        found = ((one.b.id, getattr(one.numbers, what)) for one in self)
        return {name: number for name, number in found if number is not None}

    @named_options
    def bisect(self, node: Node | str | None = None, *, progress: Callback | None = None) -> Bisection:
        """Find the smallest region of a delegate that diverges, by lowering parts of it to the same backend.

        An op outside of delegates that diverges is the region itself. Of a delegate that the runtime cannot
        run, the region is the smallest part that it cannot run either.

        Parameters
        ----------
        node
            The call of the delegate, or an op: a node of b, or its name. None: the first delegate that
            diverges, or else the first op, or else the first delegate that the runtime cannot run.
        progress
            Called with a Progress after each part; Ctrl-C keeps the smallest region so far.

        Returns
        -------
        Bisection
            The region, its source lines, the log, and a reproducer.

        Raises
        ------
        MeasureError
            If no program ran in the runtime, or nothing diverges.
        WrongArgument
            If the node is no delegate, and does not diverge.

        Examples
        --------
        >>> print(values.bisect().summary)
        1 op in forward/executorch_call_delegate diverges alone...
        """
        if self._run is None and self.record.executor != "cpu":
            raise MeasureError(
                f"{self.record.b} is a file, which has no program to lower parts of. Compare with the "
                "stage or the manager that it was made from."
            )
        if self._run is None:
            raise MeasureError(
                "Nothing ran in ExecuTorch's runtime. Compare with executor='executorch' first: "
                "exir_viz.diff(a, b).values(executor='executorch')."
            )
        op = self._op(node)
        if op is not None:
            return _of_op(self, op)
        from exir_viz.measure.bisect.search import bisect

        return bisect(self, self._delegate(node), self._run, progress)

    def _op(self, node: Node | str | None) -> DeviceResult | None:
        """The op outside of delegates that is meant, if it diverges."""
        diverged = [one for one in self.devices if one.diverged]
        if node is None:
            return None if any(one.backend for one in diverged) else next(iter(diverged), None)
        name = node.id if isinstance(node, Node) else node
        return next(
            (one for one in diverged if not one.backend and name in (one.node.id, one.node.name)), None
        )

    def _delegate(self, node: Node | str | None) -> Node:
        """The delegate's call, by name; by default the first that diverges."""
        delegates = [one for one in self.devices if one.backend]
        if node is None:
            failed = (one.node for one in delegates if one.ran is Ran.NOT_RUN)
            found = next((one.node for one in delegates if one.diverged), next(failed, None))
            if found is None:
                raise MeasureError("Nothing diverges when it runs isolated: there is nothing to bisect.")
            return found
        name = node.id if isinstance(node, Node) else node
        for one in delegates:
            if name in (one.node.id, one.node.name):
                return one.node
        raise wrong_argument(
            f"{name!r} is no delegate of b. Its delegates: {', '.join(one.node.id for one in delegates)}."
        )

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
            Whether to include source text, and absolute paths instead of those within your project.
            Names of files and line numbers are included anyway.

        Returns
        -------
        pathlib.Path
            The written file.

        Raises
        ------
        NotBuilt
            If this installation has no front end.
        NotWritten
            If the file cannot be written.

        Examples
        --------
        >>> values = exir_viz.diff(program, program).values(x)
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
        >>> values = exir_viz.diff(program, program).values(x)
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
        pairs = f"{len(self.diverged)} of {plural(len(self), 'pair diverges', 'pairs diverge')}"
        return f"<Values of {self.record.a} and {self.record.b}: {pairs}>"


def _of_op(values: Values, op: DeviceResult) -> Bisection:
    """The region of an op outside of delegates."""
    from .bisection import Bisection
    from .records import Outcome

    return Bisection(
        values=values,
        delegate=op.node,
        names=(op.node.name,),
        numbers=op.isolated,
        log=(),
        outcome=Outcome.OP,
        complete=True,
        parts=None,
    )
