"""Profile: the public class for what each node of a program cost.

It joins a ProfileRecord to the Snapshot whose nodes it names. Nothing here imports torch; methods that need
pandas import it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from exir_viz.compare.noise import Span, span
from exir_viz.options import named_options, one_of
from exir_viz.options import path as path_of
from exir_viz.snapshot import Node, Snapshot
from exir_viz.snapshot.file_writing import write
from exir_viz.snapshot.format import plural, share_text, time_text
from exir_viz.snapshot.redaction import Redaction
from exir_viz.snapshot.snapshot import Method

from .records import (
    BASES,
    NOT_MEASURABLE,
    UNKNOWN,
    Basis,
    Conditions,
    Executor,
    ProfileRecord,
    Remark,
    Times,
)
from .statistic import without_spread

if TYPE_CHECKING:
    import pandas as pd

    from .carried_costs import Carried, StageOf
    from .fused_timing import FusedTiming
    from .rollup import By, Share


class Cost(NamedTuple):
    """What one node cost; times are seconds per run of the program, None if unknown.

    A node that did not run (a branch that was not taken) has `calls` 0, and no times.
    """

    node: Node
    basis: Basis
    calls: int | None
    n: int
    time: float | None
    min: float | None
    p25: float | None
    median: float | None
    p75: float | None
    output_bytes: int | None
    allocated_bytes: int | None
    live_bytes: int | None
    flops: int | None
    bytes_moved: int | None

    @property
    def span(self) -> Span:
        """The time with its spread; see `exir_viz.compare.noise`."""
        return span(self.time or 0.0, self.p25, self.p75, self.n)

    @property
    def intensity(self) -> float | None:
        """FLOPs per byte moved."""
        return self.flops / self.bytes_moved if self.flops is not None and self.bytes_moved else None


# The quantities that `series` knows.
_SERIES = tuple(name for name in Cost._fields if name not in ("node", "basis"))


class Profile:
    """What each node of a program cost. `exir_viz.profile(program)` makes one; iterate over it, or print it.

    Parameters
    ----------
    record
        The record of the measurement.
    snapshot
        The Snapshot of the program.
    other_sizes
        Profiles of the same program with other sizes, from a sweep; see `Sweep.by_size`.

    Examples
    --------
    >>> [cost.node.name for cost in profile]
    ['linear', 'relu', 'linear_1']
    >>> profile["relu"].output_bytes
    64
    """

    def __init__(
        self, record: ProfileRecord, snapshot: Snapshot, other_sizes: Iterable[Profile] = ()
    ) -> None:
        self.record = measurable(record)
        self.snapshot = snapshot
        self.other_sizes = tuple(other_sizes)

    @property
    def conditions(self) -> Conditions:
        """How and where the program was measured."""
        return self.record.conditions

    @property
    def method(self) -> Method:
        """The method that was run."""
        return self.snapshot.methods[self.record.method]

    @property
    def whole(self) -> Times | None:
        """The total time; None if no run is complete."""
        return self.record.whole

    @property
    def bases(self) -> tuple[Basis, ...]:
        """How the total was found: measured, estimated or emulated. The runtime always measures it."""
        if self.conditions.executor is not Executor.CPU:
            return (Basis.MEASURED,)
        from .rollup import ordered

        return ordered({cost.basis for cost in self if cost.time is not None})

    @property
    def overhead(self) -> Times | None:
        """Time outside nodes: the executor's own work, dispatch, freeing memory."""
        return self.record.overhead

    @cached_property
    def seconds(self) -> float:
        """The denominator of all shares: the total; if no run is complete, the measured part of it."""
        if self.whole is not None:
            return self.whole.time / 1e9
        known = sum(time for time in self.record.columns.time if time != UNKNOWN)
        return (known + (self.overhead.time if self.overhead else 0)) / 1e9

    def share(self, seconds: float) -> float:
        """Convert a time to its share of the run.

        Parameters
        ----------
        seconds
            A time.

        Returns
        -------
        float
            The share, 0 to 1.

        Examples
        --------
        >>> profile.share(profile.seconds)
        1.0
        """
        return seconds / self.seconds if self.seconds else 0.0

    @property
    def complete(self) -> bool:
        """Whether the measurement ran to its end."""
        return self.record.complete

    @property
    def remarks(self) -> tuple[Remark, ...]:
        """What the reader must know about the numbers, such as estimates or a busy machine."""
        return self.record.remarks

    # -- by node ------------------------------------------------------------------------------------------

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {name: row for row, name in enumerate(self.record.columns.nodes)}

    @cached_property
    def _graphs(self) -> dict[str, int]:
        return {graph.path: graph.number for graph in self.snapshot.graphs}

    def node(self, name: str) -> Node:
        """Find a node by its full name.

        Parameters
        ----------
        name
            A name with its graph: "forward/true_graph_0/sin".

        Returns
        -------
        Node
            The node.

        Raises
        ------
        KeyError
            If there is no such node.

        Examples
        --------
        >>> profile.node("forward/relu").op
        'call_function'
        """
        path, _, last = name.rpartition("/")
        return self.snapshot.graphs[self._graphs[path]][last]

    def __len__(self) -> int:
        return len(self.record.columns.nodes)

    def __iter__(self) -> Iterator[Cost]:
        """Every node that computes, in execution order."""
        return map(self._cost, range(len(self)))

    def __contains__(self, node: object) -> bool:
        return (node.id if isinstance(node, Node) else node) in self._rows

    def __getitem__(self, node: str | Node) -> Cost:
        """The cost of a node, given as a Node, by its full name, or by its name in the method's graph."""
        name = node.id if isinstance(node, Node) else node
        row = self._rows.get(name)
        if row is None:
            row = self._rows.get(f"{self.method.graph.path}/{name}")
        if row is None:
            raise KeyError(
                f"no cost for {name!r}: it computes nothing, was not timed alone, or is of another program"
            )
        return self._cost(row)

    def _cost(self, row: int) -> Cost:
        c = self.record.columns
        return Cost(
            node=self.node(c.nodes[row]),
            basis=BASES[c.basis[row]],
            calls=_known(c.calls[row]),
            n=c.n[row],
            time=_seconds(c.time[row]),
            min=_seconds(c.min[row]),
            p25=_seconds(c.p25[row]),
            median=_seconds(c.median[row]),
            p75=_seconds(c.p75[row]),
            output_bytes=_known(c.output_bytes[row]),
            allocated_bytes=_known(c.allocated_bytes[row]),
            live_bytes=_known(c.live_bytes[row]),
            flops=_known(c.flops[row]),
            bytes_moved=_known(c.bytes_moved[row]),
        )

    def series(self, what: str = "time") -> Mapping[str, float]:
        """Return one number per node, for `explorer.paint(profile.series())`.

        Parameters
        ----------
        what
            A field of Cost, such as "time" (in seconds), "flops" or "live_bytes".

        Returns
        -------
        dict
            The numbers by node id.

        Raises
        ------
        WrongArgument
            If there is no such field.

        Examples
        --------
        >>> profile.series("calls")["forward/relu"]
        1.0
        """
        one_of("series", "what", what, _SERIES)
        found = ((cost.node.id, getattr(cost, what)) for cost in self)
        return {name: float(value) for name, value in found if value is not None}

    @cached_property
    def fused_timings(self) -> tuple[FusedTiming, ...]:
        """Calls whose time is that of several ops: delegates that were timed as one block."""
        from .fused_timing import fused_timings

        return fused_timings(self)

    @cached_property
    def untimed_ops(self) -> tuple[Node, ...]:
        """Ops that ran, and whose time is in no node: it is part of `overhead`."""
        from .fused_timing import untimed_ops

        return untimed_ops(self)

    # -- what follows from it -----------------------------------------------------------------------------

    def hottest(self, count: int = 10, by: By = "node") -> list[Share]:
        """List what took the most time.

        Parameters
        ----------
        count
            How many rows.
        by
            "node", or a group of `rollup`.

        Returns
        -------
        list of Share
            The slowest first.

        Raises
        ------
        WrongArgument
            If `count` is no whole number, or there is no such group.

        Examples
        --------
        >>> len(profile.hottest(2))
        2
        """
        from . import options
        from .rollup import rollup

        return rollup(self, by)[: options.count("count", count, least=0)]

    def rollup(self, by: By) -> pd.DataFrame:
        """Sum the costs by group. See `frames.rollup_frame`.

        Parameters
        ----------
        by
            "module", "op", "kind", "dialect", "line" or "dtype".

        Returns
        -------
        pandas.DataFrame
            A row per group.

        Raises
        ------
        MissingExtra
            If pandas is not installed.

        Examples
        --------
        >>> frame = profile.rollup("op")
        >>> "aten.linear.default" in set(frame["op"])
        True
        """
        from .frames import rollup_frame

        return rollup_frame(self, by)

    @property
    def frame(self) -> pd.DataFrame:
        """One row per node: see `frames.cost_frame` for the columns and their units."""
        from .frames import cost_frame

        return cost_frame(self)

    @property
    def memory(self) -> pd.DataFrame:
        """The bytes that are alive after each node: see `frames.memory_frame`."""
        from .frames import memory_frame

        return memory_frame(self)

    @property
    def arenas(self) -> pd.DataFrame:
        """The memory plan of an ExecuTorch program, per value: see `frames.arena_frame`."""
        from .frames import arena_frame

        return arena_frame(self)

    @cached_property
    def peak(self) -> Cost | None:
        """The op after which the most bytes are alive; None if memory was not measured."""
        from exir_viz.snapshot.memory import writer

        live = self.record.columns.live_bytes
        row = max(range(len(live)), key=live.__getitem__, default=None)
        if row is None or live[row] == UNKNOWN:
            return None
        op = writer(self.node(self.record.columns.nodes[row])).id
        return self._cost(self._rows.get(op, row))

    def at(self, stage: StageOf) -> Carried:
        """Attribute the costs to the nodes of an earlier stage: each gets the time of everything it became.

        Parameters
        ----------
        stage
            A stage that the profiled one was made from.

        Returns
        -------
        Carried
            The costs of the nodes of that stage.

        Raises
        ------
        WrongArgument
            If the profiled program was not made from that stage.

        Examples
        --------
        >>> core = session.decompose()
        >>> costs = exir_viz.profile(core, x, repeats=3).at(session.root)
        >>> [cost.node.name for cost in costs]
        ['linear', 'relu', 'linear_1']
        """
        from .carried_costs import at

        return at(self, stage)

    @property
    def ran(self) -> str:
        """How it was measured, on one line: "cpu, 1 thread, 53 runs, interrupted, load 3.1 to 6.2"."""
        from .text import ran

        return ran(self)

    @property
    def is_busy(self) -> bool:
        """Whether the machine was too busy to compare times."""
        from .conditions import is_busy

        return is_busy(self.conditions)

    @property
    def doubts(self) -> tuple[str, ...]:
        """The remarks that say that it is incomplete, or that numbers are not measured directly."""
        codes = ("emulated", "estimated", "interrupted", "failed")
        return tuple(remark.text for remark in self.remarks if remark.code in codes)

    def has_same_executor(self, other: Profile) -> bool:
        """Whether the same executor measured another profile: only then ratios of times mean something.

        Parameters
        ----------
        other
            Another profile.

        Returns
        -------
        bool
            False, for example, for eager torch and ExecuTorch's runtime.

        Examples
        --------
        >>> profile.has_same_executor(profile)
        True
        """
        return self.conditions.executor is other.conditions.executor

    def differences(self, other: Profile) -> list[str]:
        """List how the conditions of two profiles differ.

        Parameters
        ----------
        other
            Another profile.

        Returns
        -------
        list of str
            Sentences; empty if the two profiles can be compared.

        Examples
        --------
        >>> any("threads" in text for text in profile.differences(profile))
        False
        """
        from .conditions import differences

        return differences(self.conditions, other.conditions)

    @named_options
    def save(self, path: str | PathLike[str], *, sources: bool = True, absolute_paths: bool = False) -> Path:
        """Write the profile and its Snapshot as one `.exirprofile` file. `load` reads it.

        Parameters
        ----------
        path
            The file to write.
        sources, absolute_paths
            Whether to include source text and absolute paths of this machine: see
            `exir_viz.snapshot.redaction`.

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
        >>> profile.save(folder / "model.exirprofile").name
        'model.exirprofile'
        """
        from .files import encode

        shared = self._shared(sources=sources, absolute_paths=absolute_paths)
        return write(path_of("save", path), encode(shared))

    @named_options
    def to_trace(self, path: str | PathLike[str], *, absolute_paths: bool = False) -> Path:
        """Write a trace for Perfetto and chrome://tracing. See `trace.to_trace`.

        Parameters
        ----------
        path
            The file to write.
        absolute_paths
            Whether to include absolute paths of this machine.

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
        >>> profile.to_trace(folder / "trace.json").name
        'trace.json'
        """
        from .trace import to_trace

        return to_trace(self._shared(absolute_paths=absolute_paths), path_of("to_trace", path))

    @named_options
    def to_html(
        self,
        path: str | PathLike[str],
        *,
        title: str = "",
        sources: bool = True,
        absolute_paths: bool = False,
    ) -> Path:
        """Write a page with the picture colored by time, and the tab Profile.

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
        >>> profile.to_html(folder / "profile.html").name
        'profile.html'
        """
        from exir_viz.pages.html import write

        return write(
            self.snapshot,
            path,
            title=title,
            profiles={"": self},
            sources=sources,
            absolute_paths=absolute_paths,
        )

    @named_options
    def to_csv(self, path: str | PathLike[str], *, absolute_paths: bool = False) -> Path:
        """Write the rows of `frame` as CSV, without pandas.

        Parameters
        ----------
        path
            The file to write.
        absolute_paths
            Whether to include absolute paths of this machine.

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
        >>> len(profile.to_csv(folder / "costs.csv").read_text().splitlines()) > len(profile)
        True
        """
        from .export import to_csv

        return to_csv(self._shared(absolute_paths=absolute_paths), path_of("to_csv", path))

    @named_options
    def to_parquet(self, path: str | PathLike[str], *, absolute_paths: bool = False) -> Path:
        """Write `frame` as Parquet, which needs pyarrow: pip install "exir-viz[parquet]".

        Parameters
        ----------
        path
            The file to write.
        absolute_paths
            Whether to include absolute paths of this machine.

        Returns
        -------
        pathlib.Path
            The written file.

        Raises
        ------
        MissingExtra
            If pyarrow is not installed.
        NotWritten
            If the file cannot be written.

        Examples
        --------
        >>> profile.to_parquet(folder / "costs.parquet").name
        'costs.parquet'
        """
        from .export import to_parquet

        return to_parquet(self._shared(absolute_paths=absolute_paths), path_of("to_parquet", path))

    def _shared(self, *, sources: bool = True, absolute_paths: bool = False) -> Profile:
        """The Profile as it is written to a file."""
        share = Redaction([self.snapshot], sources=sources, absolute_paths=absolute_paths)
        return Profile(share.record(self.record), share.snapshot(self.snapshot))

    def _repr_mimebundle_(self, **options: Any) -> object:
        """The explorer with these costs, as the output of a notebook cell that ends with a profile."""
        from exir_viz.widget.explore import mime_bundle

        return mime_bundle(self, options)

    def __str__(self) -> str:
        from .text import summarise

        return summarise(self)

    def __repr__(self) -> str:
        whole = "no whole run" if self.whole is None else time_text(self.whole.time / 1e9)
        cut = "".join(f", {one.code}" for one in self.remarks if one.code in ("interrupted", "failed"))
        return f"<Profile of {self.record.method}, {plural(len(self), 'node')}, {whole}{cut}>"

    def _repr_html_(self) -> str:
        from .text import as_html

        return as_html(self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Profile):
            return NotImplemented
        return self.record == other.record and self.snapshot == other.snapshot

    __hash__ = None  # type: ignore[assignment]  # compared by content, and its content is large


def measurable(record: ProfileRecord) -> ProfileRecord:
    """The record without times that cannot be right: its parts never take longer than their whole.

    Such times are estimates of parts that ran alone, or of a file. They become unknown, which a remark says.
    Up to a nanosecond for each part is rounding.
    """
    columns, whole = record.columns, record.whole
    known = [time for time in columns.time if time != UNKNOWN]
    parts = sum(known)
    if whole is None:
        is_wrong = record.overhead is not None and record.overhead.time < 0
        return replace(record, overhead=None) if is_wrong else record
    excess = parts - whole.time
    if excess > len(known):
        blank = (UNKNOWN,) * len(columns.nodes)
        times = dict.fromkeys(("time", "min", "p25", "median", "p75"), blank)
        unknown = replace(columns, n=(0,) * len(blank), **times)
        share = share_text(parts / whole.time) if whole.time > 0 else "more than 100%"
        text = f"The times of its {plural(len(known), 'part')} add up to {share} of the whole run."
        remarks = (*record.remarks, Remark(NOT_MEASURABLE, text))
        return replace(record, columns=unknown, overhead=without_spread(whole.time), remarks=remarks)
    if excess > 0:
        whole = replace(whole, time=parts)
    rest = max(-excess, 0)
    overhead = record.overhead
    is_right = overhead is not None and abs(overhead.time - rest) <= len(known) + 1
    exact = without_spread(rest) if overhead is None or not is_right else replace(overhead, time=rest)
    return replace(record, whole=whole, overhead=exact)


def _known(count: int) -> int | None:
    return None if count == UNKNOWN else count


def _seconds(nanoseconds: int) -> float | None:
    return None if nanoseconds == UNKNOWN else nanoseconds / 1e9
