"""The smallest region of a delegate that diverges, with the log of the search and a reproducer."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from exir_viz.errors import MeasureError
from exir_viz.options import named_options
from exir_viz.snapshot import Node
from exir_viz.snapshot.format import amount_text, plural, time_text
from exir_viz.snapshot.frames import users_frame
from exir_viz.snapshot.opkind import op_name

from .records import BisectionRecord, Numbers, Outcome, TrialRow

if TYPE_CHECKING:
    from exir_viz.widget.explorer import Explorer
    from exir_viz.widget.page import Page

    from .values import Values


class Trial(NamedTuple):
    """A part that was lowered and run: its nodes, the difference, or why it could not run; seconds."""

    names: tuple[str, ...]
    numbers: Numbers | None
    reason: str
    seconds: float


class Bisection:
    """The smallest region of a delegate that diverges. `values.bisect(node)` makes one; print it.

    Parameters
    ----------
    values
        The compared values.
    delegate
        The call of the delegate.
    names
        The names of the region's nodes inside the delegate.
    around
        The names of nodes that are right, but without which the region cannot be lowered or run.
    numbers
        How far the region is from eager torch.
    log
        All parts that were tried.
    outcome
        What was found.
    complete
        Whether the search ran to its end.
    parts
        The delegate's program and values, for the reproducer.

    Examples
    --------
    >>> bisection = values.bisect()  # of a program with a delegate that diverges
    >>> [node.target.name for node in bisection.nodes]
    ['convolution']
    """

    def __init__(  # noqa: PLR0913  every part of the result, by name
        self,
        *,
        values: Values,
        delegate: Node,
        names: tuple[str, ...],
        numbers: Numbers | None,
        log: tuple[Trial, ...],
        outcome: Outcome,
        complete: bool,
        parts: Any,
        around: tuple[str, ...] = (),
    ) -> None:
        self.values = values
        self.delegate = delegate
        self.names = names
        self.around = around
        self.numbers = numbers
        self.log = log
        self.outcome = outcome
        self.complete = complete
        self._parts = parts

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The region's nodes inside the delegate, in execution order; an op outside of delegates itself."""
        if self.outcome is Outcome.OP:
            return (self.delegate,)
        return self._inside(self.names)

    @property
    def neighbors(self) -> tuple[Node, ...]:
        """Nodes that are right, but without which the region cannot be lowered or run."""
        return self._inside(self.around)

    def _inside(self, names: tuple[str, ...]) -> tuple[Node, ...]:
        graphs = [graph for holder in self.delegate.inputs for graph in holder.subgraphs]
        known = {node.name: node for graph in graphs for node in graph}
        return tuple(known[name] for name in names if name in known)

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of your code that made the region: "model.py:12 self.conv(x)"."""
        frames = (users_frame(node.frames) for node in self.nodes)
        found = (f"{frame.file}:{frame.line} {frame.code}".strip() for frame in frames if frame is not None)
        return tuple(dict.fromkeys(found))

    @named_options
    def explore(self, *, height: int = 640) -> Explorer | Page:
        """Show the program with the region selected.

        Parameters
        ----------
        height
            The height, in CSS pixels.

        Returns
        -------
        Explorer or Page
            The widget, or a page in a frame where the extra `notebook` is not installed.

        Examples
        --------
        >>> bisection = values.bisect()
        >>> bisection.explore().selection == [node.id for node in bisection.nodes]
        True
        """
        from exir_viz.widget.explore import display_of

        shown = display_of(self.delegate.graph.snapshot, "", height)
        select = getattr(shown, "select", None)  # a page in a frame has none
        if select is not None:
            select(*self.nodes)
        return shown

    @named_options
    def reproducer(self, folder: str | PathLike[str], *, weights: str = "random", names: bool = False) -> Any:
        """Write a script and a small program that show the difference without your model, and run it.

        Parameters
        ----------
        folder
            The folder to write to.
        weights
            "random" replaces weights and inputs by random numbers in their ranges; "real" keeps them.
        names
            Whether to keep the names of your modules and nodes.

        Returns
        -------
        Reproducer
            The files, and whether they show the difference. Of a payload that is wrong they include the
            delegate as a `.pte`, with the real weights.

        Raises
        ------
        MeasureError
            If nothing diverges, the region cannot be exported, it is an op outside of delegates, or only its
            payload is wrong and `weights` is not "real".

        Examples
        --------
        >>> reproducer = values.bisect().reproducer(folder / "region")
        >>> reproducer.shows
        True
        """
        from exir_viz.measure.bisect.reproducer import write

        if self.outcome is Outcome.OP:
            raise MeasureError(
                f"{self.delegate.id} is an op outside of delegates: there is no reproducer for it."
            )
        return write(self, self._parts, Path(folder), weights=weights, names=names)

    @property
    def summary(self) -> str:
        """What was found, as a sentence without a full stop."""
        if not self.complete and not self.names:
            return f"Stopped before a part of {self.delegate.id} was found to diverge"
        failed = self.numbers is None
        is_one = len(self.nodes) == 1
        count = f"{plural(len(self.nodes), 'op')} in {self.delegate.id}"
        diverge, run, make = ("diverges", "runs", "makes") if is_one else ("diverge", "run", "make")
        how = f"and {run} only with {len(self.around):,} more" if self.around else "alone"
        return {
            Outcome.FAILS: f"{count} alone {make} ExecuTorch's runtime fail",
            Outcome.OP: f"{self.delegate.id} is an op outside of delegates: its kernel diverges",
            Outcome.ROUNDING: (
                f"Roundings add up in {self.delegate.id}: each op is right for the values that it got"
            ),
            Outcome.AGREES: f"{self.delegate.id} agrees with eager torch when it runs isolated",
            Outcome.PAYLOAD: (
                f"{self.delegate.id} {'does not run' if failed else 'diverges'}, but lowered again it "
                f"{'runs' if failed else 'agrees'}: its payload is not what the backend makes of its program"
            ),
        }.get(self.outcome, f"{count} {diverge} {how}")

    @property
    def record(self) -> BisectionRecord:
        """The same as plain data, with nodes by number."""
        number = self.values.diff.numbering_b.number
        return BisectionRecord(
            delegate=number(self.delegate),
            outcome=self.outcome,
            summary=self.summary,
            nodes=tuple(number(node) for node in self.nodes),
            around=tuple(number(node) for node in self.neighbors),
            lines=self.lines,
            numbers=self.numbers,
            log=tuple(TrialRow(len(one.names), one.seconds, one.numbers, one.reason) for one in self.log),
            complete=self.complete,
        )

    def __str__(self) -> str:
        lines = [self.summary]
        if self.numbers is not None and self.numbers.max_abs is not None:
            lines.append(f"Difference: max {amount_text(self.numbers.max_abs)}")
        if self.outcome is Outcome.FAILS:
            lines += [trial.reason for trial in self.log if trial.names == self.names]
        lines += [f"  {node.name}  {op_name(node.target)}" for node in self.nodes[:20]]
        lines += [f"  runs only with {node.name}  {op_name(node.target)}" for node in self.neighbors[:10]]
        lines += [f"  {line}" for line in self.lines[:10]]
        seconds = sum(trial.seconds for trial in self.log)
        state = "" if self.complete else " Stopped: a smaller region may diverge too."
        if self.outcome is Outcome.OP:
            return "\n".join(lines)
        parts = plural(len(self.log), "part was", "parts were")
        lines.append(f"{parts} lowered and run in {time_text(seconds)}.{state}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<Bisection of {self.delegate.id}: {self.outcome.value}, {plural(len(self.names), 'node')}>"
