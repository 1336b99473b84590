"""Diff: what users get from a comparison: matches, rules, modules, frames and text.

It wraps a Comparison (see `records`) and the two Snapshots without copying. It is immutable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from exir_viz.errors import CaptureError, ExirVizError, MeasureError
from exir_viz.extras import is_installed, needs_extra
from exir_viz.options import count, instance, named_options, refuse, text
from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.call_change import CallChange
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.format import plural
from exir_viz.snapshot.numbering import Numbering

from .align.known_links import Known, Links, StageLike, between, given
from .pipeline import compare
from .records import (
    KINDS,
    ChangeRule,
    Comparison,
    Contents,
    Counts,
    FactChange,
    Ground,
    MatchKind,
    ModuleChange,
    OpChange,
)

if TYPE_CHECKING:
    import pandas as pd
    import torch

    from exir_viz.measure.progress import Callback
    from exir_viz.widget.diff_explorer import DiffExplorer
    from exir_viz.widget.page import Page

    from .costs import CostChange, Costs
    from .records import TextRow
    from .values.values import Values


class NotInDiff(ExirVizError, KeyError):
    """The node belongs to neither of the compared Snapshots."""

    def __str__(self) -> str:
        return str(self.args[0])


class Match:
    """One match: nodes of a, their counterparts in b, and what differs between them."""

    __slots__ = ("_diff", "number")

    def __init__(self, diff: Diff, number: int) -> None:
        self._diff = diff
        self.number = number

    @property
    def kind(self) -> MatchKind:
        return MatchKind(KINDS[self._diff.comparison.matches.kinds[self.number]])

    @property
    def a(self) -> tuple[Node, ...]:
        """Its nodes of a in execution order; empty if added."""
        return tuple(map(self._diff.numbering_a.node, self._diff.numbers(self.number)[0]))

    @property
    def b(self) -> tuple[Node, ...]:
        """Its nodes of b in execution order; empty if removed."""
        return tuple(map(self._diff.numbering_b.node, self._diff.numbers(self.number)[1]))

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that differ: "dtype", "shape", "args", "scope", …"""
        comparison = self._diff.comparison
        return comparison.fields[comparison.matches.fields[self.number]]

    @property
    def evidence(self) -> Ground:
        """How the nodes were matched, and the share of such matches that are correct."""
        comparison = self._diff.comparison
        return comparison.evidence[comparison.matches.evidence[self.number]]

    @property
    def reason(self) -> str:
        """What changed, as a sentence; empty if nothing did."""
        comparison = self._diff.comparison
        number = comparison.matches.reasons[self.number]
        return "" if number == NONE else comparison.reasons[number]

    @property
    def rule(self) -> ChangeRule | None:
        comparison = self._diff.comparison
        number = comparison.matches.rules[self.number]
        return None if number == NONE else comparison.rules[number]

    def __repr__(self) -> str:
        a, b = (" ".join(node.name for node in nodes) or "–" for nodes in (self.a, self.b))
        return f"<Match {self.kind.value}: {a} → {b}>"


class Diff(Sequence[Match]):
    """The comparison of two programs, as a sequence of matches. `exir_viz.diff(a, b)` makes one.

    Parameters
    ----------
    a, b
        The Snapshots of the two programs.
    comparison
        The record of the comparison.
    sides
        What `values` runs: the two live programs, if there are any. `b` may be the path of a `.pte` or
        `.bpte`, which ExecuTorch's runtime runs.

    Examples
    --------
    >>> diff = exir_viz.diff(session.root, session.decompose())
    >>> diff
    <Diff of export (aten.training) and core (aten.core): 2 of 9 differ>
    """

    def __init__(
        self, a: Snapshot, b: Snapshot, comparison: Comparison, sides: tuple[Any, Any] | None = None
    ) -> None:
        self.a = a
        self.b = b
        self.comparison = comparison
        self.sides = sides
        self.numbering_a = Numbering(a)
        self.numbering_b = Numbering(b)

    # -- what changed -------------------------------------------------------------------------------------

    @property
    def live(self) -> tuple[Any, Any] | None:
        """The two live programs; None if one of the two is a file or plain data."""
        has_both = self.sides is not None and not isinstance(self.sides[1], str | PathLike)
        return self.sides if has_both else None

    @property
    def counts(self) -> Counts:
        """How many matches there are of each kind."""
        return self.comparison.counts

    @property
    def changes(self) -> tuple[Match, ...]:
        """The matches that are not the same."""
        same = KINDS.index(MatchKind.SAME)
        kinds = enumerate(self.comparison.matches.kinds)
        return tuple(Match(self, number) for number, kind in kinds if kind != same)

    @property
    def rules(self) -> tuple[ChangeRule, ...]:
        """Equal changes as one rule, most frequent first; rules about nodes that do no work come last."""
        return tuple(sorted(self.comparison.rules, key=lambda rule: (rule.minor, -rule.count)))

    @property
    def modules(self) -> tuple[ModuleChange, ...]:
        """What changed, per module."""
        return self.comparison.modules

    @property
    def ops(self) -> tuple[OpChange, ...]:
        """What changed, per operator."""
        return self.comparison.ops

    @property
    def calls(self) -> CallChange:
        """How many calls were kept, added and removed: "+8 −7" in the tree of stages."""
        return self.comparison.calls

    @property
    def facts(self) -> tuple[FactChange, ...]:
        """What changed outside the nodes, in all methods: signature, state, symbols, sizes, memory plan."""
        return tuple(fact for method in self.comparison.methods for fact in method.facts)

    @property
    def contents(self) -> Contents:
        """How many weights and delegates were compared byte by byte, and how many differ."""
        return self.comparison.contents

    @property
    def is_empty(self) -> bool:
        """Whether the two programs are the same.

        Names of nodes, source lines, and what `contents.left` lists are not compared.
        """
        return len(self) == self.counts.same and not self.facts

    # -- as a sequence, and by node -----------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.comparison.matches.kinds)

    def __iter__(self) -> Iterator[Match]:
        return (Match(self, number) for number in range(len(self)))

    @overload
    def __getitem__(self, key: int) -> Match: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[Match, ...]: ...
    def __getitem__(self, key: int | slice) -> Match | tuple[Match, ...]:
        if isinstance(key, slice):
            return tuple(Match(self, number) for number in range(*key.indices(len(self))))
        if not -len(self) <= key < len(self):
            raise IndexError(f"the diff has {plural(len(self), 'match', 'matches')}, not one at {key}")
        return Match(self, key % len(self))

    def of(self, node: Node) -> Match:
        """Find the match of a node.

        Parameters
        ----------
        node
            A Node of either program.

        Returns
        -------
        Match
            The match that contains the node.

        Raises
        ------
        NotInDiff
            If the node belongs to neither program.

        Examples
        --------
        >>> diff = exir_viz.diff(snapshot, snapshot)
        >>> diff.of(snapshot.method.graph["relu"]).kind.value
        'same'
        """
        instance("of", "node", node, Node, f"of() takes a Node of either side, and this is {node!r}.")
        if node.graph.snapshot is self.a:
            return Match(self, self.match_of_a[self.numbering_a.number(node)])
        if node.graph.snapshot is self.b:
            return Match(self, self.match_of_b[self.numbering_b.number(node)])
        raise NotInDiff(f"{node!r} belongs to neither program of this diff.")

    def numbers(self, match: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """List the nodes of a match by number.

        Parameters
        ----------
        match
            The number of a match.

        Returns
        -------
        tuple
            The numbers of its nodes in `a`, and in `b`.

        Examples
        --------
        >>> exir_viz.diff(snapshot, snapshot).numbers(2)
        ((2,), (2,))
        """
        columns, (a, b) = self.comparison.matches, self._starts
        return columns.a_nodes[a[match] : a[match + 1]], columns.b_nodes[b[match] : b[match + 1]]

    @cached_property
    def _starts(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        columns = self.comparison.matches
        return (0, *accumulate(columns.a_counts)), (0, *accumulate(columns.b_counts))

    @cached_property
    def match_of_a(self) -> dict[int, int]:
        """The match of each node of `a`, by node number."""
        return {node: number for number in range(len(self)) for node in self.numbers(number)[0]}

    @cached_property
    def match_of_b(self) -> dict[int, int]:
        """The match of each node of `b`, by node number."""
        return {node: number for number in range(len(self)) for node in self.numbers(number)[1]}

    # -- as something else --------------------------------------------------------------------------------

    @property
    def frame(self) -> pd.DataFrame:
        """One row per match, as `exir_viz.tables.matches` makes it."""
        from exir_viz.tables import matches

        return matches(self)

    @named_options
    def text(self, method: str | None = None, context: int = 3) -> tuple[TextRow, ...]:
        """Compare the code of the two programs side by side.

        Parameters
        ----------
        method
            The method, if there are several.
        context
            How many unchanged lines to keep around a change.

        Returns
        -------
        tuple of TextRow
            The rows with their marks. Longer unchanged parts are folded.

        Raises
        ------
        WrongArgument
            If `context` is negative or not a whole number.

        Examples
        --------
        >>> len(exir_viz.diff(snapshot, snapshot).text())
        1
        """
        from .explanations.side_by_side import text_rows

        if method is not None:
            text("text", "method", method)
        count("text", "context", context)
        return text_rows(self, method, context)

    def costs(self, before: Costs, after: Costs) -> CostChange:
        """Compare the costs of the two programs, per match. See `exir_viz.tables.costs`.

        Parameters
        ----------
        before, after
            A Profile of each program.

        Returns
        -------
        CostChange
            The cost of each match in both programs.

        Examples
        --------
        >>> change = exir_viz.diff(snapshot, snapshot).costs(profile, profile)
        >>> {one.ratio for one in change.matches}
        {1.0}
        """
        from .costs import costs

        return costs(self, before, after)

    @named_options
    def values(  # noqa: PLR0913  every option, by name
        self,
        inputs: Sequence[Any] | torch.Tensor | None = None,
        *,
        executor: str = "cpu",
        kwargs: Mapping[str, Any] | None = None,
        symbols: Mapping[str, int] | None = None,
        method: str | None = None,
        samples: object = None,
        metric: Callable[[list[Any]], float] | None = None,
        rtol: float = 1e-3,
        atol: float = 1e-5,
        progress: Callback | None = None,
    ) -> Values:
        """Run both programs on the same inputs and find where their values diverge. Neither is changed.

        Parameters
        ----------
        inputs, kwargs, symbols, method
            As for `exir_viz.profile`, for program `a`. Without inputs, those in a `.bpte` are used, else the
            example inputs, else synthesized ones.
        executor
            What runs `b`: "cpu" runs it in eager torch, delegates included. "executorch" runs a lowered
            program, or the file of one, in the ExecuTorch runtime, in a separate process: as a whole, and
            each delegate and op both isolated and in sequence.
        samples
            Several inputs, each as `inputs` has it, or a bundled program: a `.bpte` file or the object. The
            worst result of each pair counts.
        metric
            Called with the list of outputs of each program, such as an accuracy; the results are in
            `values.metrics`.
        rtol, atol
            A value of `b` diverges if an element differs by more than `atol` + `rtol` x the largest magnitude
            in the value of `a`. A value computed in bfloat16 or another coarse dtype may differ by two of its
            rounding steps, unless `rtol` is 0.
        progress
            Called with a Progress after each node.

        Returns
        -------
        Values
            The compared values. Print it, or read `.first`, `.origins`, `.outputs`, `.producers`, `.frame`.

        Raises
        ------
        MeasureError
            If one of the two cannot be run, or the inputs do not fit it.
        UnsupportedTorch
            If the installed torch or ExecuTorch lacks what `executor="executorch"` needs.
        WrongArgument
            If another argument is refused, such as an unknown executor.

        Examples
        --------
        >>> exir_viz.diff(program, program.run_decompositions()).values(x).agree
        True
        """
        from exir_viz.measure.numbers.values import compare_values

        if self.sides is None:
            raise MeasureError(
                "Cannot compare values: a file or a Snapshot has no weights. Pass two live programs or "
                "stages to exir_viz.diff(a, b); exir_viz.load(path, trust=True) makes a stage of a .pt2 file."
            )
        a, b = self.sides
        return compare_values(
            self,
            a,
            b,
            inputs,
            executor=executor,
            kwargs=kwargs,
            symbols=symbols,
            method=method,
            samples=samples,
            metric=metric,
            rtol=rtol,
            atol=atol,
            progress=progress,
        )

    def to_json(self) -> str:
        """Return the summary and the matches as JSON. Nodes are named by id, such as "forward/linear_3".

        Returns
        -------
        str
            The JSON text.

        Examples
        --------
        >>> import json
        >>> sorted(json.loads(exir_viz.diff(snapshot, snapshot).to_json()))[:2]
        ['a', 'b']
        """
        from .explanations.json_export import to_json

        return to_json(self)

    def to_markdown(self) -> str:
        """Return a short text for a review comment, changed modules first.

        Returns
        -------
        str
            Markdown, as GitHub shows it.

        Examples
        --------
        >>> text = exir_viz.diff(session.root, session.decompose()).to_markdown()
        >>> "fc1" in text
        True
        """
        from exir_viz.pages.markdown import markdown

        return markdown(self)

    @named_options
    def to_html(
        self,
        path: str | PathLike[str],
        *,
        title: str = "",
        values: Values | None = None,
        costs: CostChange | None = None,
        sources: bool = True,
        absolute_paths: bool = False,
    ) -> Path:
        """Write a page that shows both programs side by side: one file that needs no server and no network.

        Parameters
        ----------
        path
            The file to write.
        title
            The title of the page.
        values
            The result of `diff(a, b).values()`, to show with it.
        costs
            The result of `Diff.costs`, to show with it.
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
        >>> exir_viz.diff(snapshot, snapshot).to_html(folder / "diff.html").name
        'diff.html'
        """
        from exir_viz.pages.html import write

        from .measurements import measured

        return write(
            [self],
            path,
            title=title,
            measured=[measured(self, values, costs)],
            sources=sources,
            absolute_paths=absolute_paths,
        )

    @named_options
    def explore(
        self, *, height: int = 640, values: Values | None = None, costs: CostChange | None = None
    ) -> DiffExplorer | Page:
        """Show both programs side by side in a notebook. A cell whose last line is the diff shows the same.

        With live programs, the page itself can compare values and profile both.

        Parameters
        ----------
        height
            The height, in CSS pixels.
        values
            The result of `diff(a, b).values()`, to show with it.
        costs
            The result of `Diff.costs`, to show with it.

        Returns
        -------
        DiffExplorer or Page
            The widget, or a page in a frame where the extra `notebook` is not installed.

        Examples
        --------
        >>> diff = exir_viz.diff(snapshot, snapshot)
        >>> diff.explore().diff is diff
        True
        """
        if not is_installed("notebook"):
            from exir_viz.widget.page import Page

            from .measurements import measured

            return Page([self], height=height, measured=[measured(self, values, costs)])
        from exir_viz.widget.diff_explorer import DiffExplorer

        return DiffExplorer(self, values=values, costs=costs, height=height)

    def _repr_mimebundle_(self, **options: Any) -> object:
        """Side by side if a widget can be shown, else the summary."""
        return self.explore()._repr_mimebundle_(**options)

    def __str__(self) -> str:
        from .explanations.terminal import summarise

        return summarise(self)

    def __repr__(self) -> str:
        changed = len(self) - self.counts.same
        return f"<Diff of {self.comparison.a} and {self.comparison.b}: {changed:,} of {len(self):,} differ>"


@named_options
def diff(a: object, b: object, *, names: tuple[str, str] | None = None, links: Links | None = None) -> Diff:
    """Compare two programs: what changed from `a` to `b`. Print the result for a summary.

    If one stage was made from the other, they are compared by lineage, other programs by structure. Weights
    and delegates are compared by checksums: `.contents` says how many, and which could not be compared.

    Parameters
    ----------
    a, b
        Snapshots, stages of a session, paths of files that `load` reads, or anything else that it accepts.
    names
        Names for the two programs, such as ("strict", "non-strict").
    links
        Nodes that you know to match: (node of a, node of b, evidence as one word). An id will do for a node.

    Returns
    -------
    Diff
        The comparison: `.changes`, `.rules`, `.modules`, `.frame`, `.text()`, `.to_markdown()`, `.of(node)`.

    Raises
    ------
    CaptureError
        If `a` or `b` cannot be compared.
    FileError
        If a file cannot be read.

    Examples
    --------
    >>> wider = torch.export.export(model, (torch.zeros(3, 4),))
    >>> diff = exir_viz.diff(program, wider)
    >>> diff.is_empty
    False
    >>> diff.changes[0].fields
    ('shape',)
    """
    from exir_viz.readers.accepted_inputs import is_runtime_file

    sides = (a, b) if _is_live(a) and (_is_live(b) or is_runtime_file(b)) else None
    return make_diff(_comparable(a, "a"), _comparable(b, "b"), links, sides, names)


def _is_live(x: object) -> bool:
    from exir_viz.readers.accepted_inputs import is_path

    return not (is_path(x) or isinstance(x, Snapshot))


def _comparable(x: object, name: str) -> Any:
    """A Snapshot, or a stage as it is."""
    from exir_viz.measure.profilable import is_stage
    from exir_viz.readers.accepted_inputs import not_compared
    from exir_viz.readers.files import recorded

    if is_stage(x):
        return x
    snapshot = recorded(x, whole=True)
    if snapshot is not None:
        return snapshot
    needs_extra("diff() of a live program", "torch")
    from exir_viz.readers.live import capture

    try:
        return capture(x, whole=True)
    except CaptureError as error:
        raise not_compared(x, name) from error


def make_diff(
    a: Snapshot | StageLike,
    b: Snapshot | StageLike,
    links: Links | None = None,
    sides: tuple[Any, Any] | None = None,
    names: tuple[str, str] | None = None,
) -> Diff:
    """Compare b with a. If one stage was made from the other, their lineage is used.

    links: known pairs (node of a, node of b, evidence text); then no other lineage is used. sides: the
    two programs, if they can be run. names: titles of the two; by default their stage, file or class,
    and "before" and "after" if these are equal.
    """
    before, after = (side if isinstance(side, Snapshot) else side.snapshot for side in (a, b))
    if links is not None:
        known = given(links, before, after)
    elif isinstance(a, Snapshot) or isinstance(b, Snapshot):
        known = Known()
    else:
        known = between(a, b)
    states = tuple(None if isinstance(side, Snapshot) else side.weights for side in (a, b))
    comparison = compare(before, after, known, _titles(a, b, names), (states[0], states[1]))
    return Diff(before, after, comparison, sides)


def _titles(
    a: Snapshot | StageLike, b: Snapshot | StageLike, names: tuple[str, str] | None
) -> tuple[str, str]:
    if names is not None:
        named: object = names
        is_pair = isinstance(named, tuple | list) and len(named) == 2
        if not is_pair or not all(isinstance(one, str) for one in names):
            refuse("diff", "names", named, "two strings: a name for a and a name for b")
        before, after = names
        return (before, after)
    before, after = _title(a), _title(b)
    return (before, after) if before != after else (_title(a, "before"), _title(b, "after"))


def _title(side: Snapshot | StageLike, when: str = "") -> str:
    """The title of a side: its stage, its file, its time or its class; and its dialect."""
    snapshot = side if isinstance(side, Snapshot) else side.snapshot
    own = snapshot.origin.name if isinstance(side, Snapshot) else side.name
    name = ", ".join(filter(None, (own, when))) or snapshot.origin.type
    return f"{name} ({snapshot.method.dialect.value})"
