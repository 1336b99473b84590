"""Bisect a delegate that diverges: lower parts of it to the same backend, and run each in the runtime.

Halves are tried first, then the ends are cut off, then single ops are left out, until every op that is left
is needed for the difference. A part gets the values that eager torch computes before it. A delegate that the
runtime cannot run is bisected the same way: to the ops that are needed for the failure.

A part that crashes the runtime is wrong as well. If parts of the smallest region can be neither lowered nor
run, each smaller part is tried. If none of these diverges, the region returns every value in between, and the
ops are kept whose value is wrong for the inputs that they got.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any, NamedTuple

from torch import fx

from exir_viz.compare.values.bisection import Bisection, Trial
from exir_viz.compare.values.records import Numbers, Outcome
from exir_viz.errors import MeasureError
from exir_viz.measure.cpu.describe import first_line
from exir_viz.measure.delegate_parts.parts import ComparedRun, DelegateParts
from exir_viz.measure.delegate_parts.regions import Part, part, units, whole
from exir_viz.measure.delegate_parts.rounding import rounding_ops
from exir_viz.measure.progress import Callback, Reporter, reported
from exir_viz.measure.runtime.device_calls import is_delegate
from exir_viz.measure.runtime.process import NotRun, runtime_process
from exir_viz.options import wrong_argument
from exir_viz.snapshot.format import plural

from .payload_changes import changed_nodes

_Unit = tuple[fx.Node, ...]
# Of a region with so many units at most, every smaller part is tried; of a larger one, those without gaps.
_FEW = 5


def bisect(values: Any, node: Any, run: ComparedRun, progress: Callback | None) -> Bisection:
    """The smallest diverging region of a delegate of b; an interrupt keeps the smallest so far."""
    call = next((one for one in run.program.graph.nodes if f"{run.method}/{one.name}" == node.id), None)
    if call is None or not is_delegate(call):
        raise wrong_argument(f"{node.id} is no delegate. Bisect a node of values.devices that has a backend.")
    with reported(progress) as callback:
        has_diverged = any(one.node == node and one.diverged for one in values.devices)
        search = _Search(run, call, Reporter(callback), has_diverged=has_diverged)
        try:
            return search.run(values, node)
        finally:
            runtime_process().forget()


class _Tried(NamedTuple):
    """A part that was tried: what the backend made of it, and its difference, or why it could not run."""

    lowered: Any
    numbers: Numbers | None
    reason: str = ""
    failed: bool = False  # the backend lowered it, and the runtime could not run that
    crashed: bool = False  # the runtime ended its process

    @property
    def diverged(self) -> bool:
        """Whether it ran, and its difference is too large."""
        return self.numbers is not None and self.numbers.diverged


class _Search:
    """One search with its log."""

    def __init__(self, run: ComparedRun, call: fx.Node, report: Reporter, *, has_diverged: bool) -> None:
        self._has_diverged = has_diverged
        self._parts = DelegateParts(run, call)
        self._report = report
        self._log: list[Trial] = []
        self._known: dict[tuple[_Unit, ...], bool] = {}
        self._unknown: list[set[_Unit]] = []  # parts that could be neither lowered nor run
        self._smallest: tuple[_Unit, ...] = ()
        self._around: tuple[_Unit, ...] = ()
        self._numbers: Numbers | None = None
        self._count = self._steps = 0
        self._is_failure = False  # what is searched for: a failure of the runtime, not a difference

    def run(self, values: Any, node: Any) -> Bisection:
        every = tuple(units(self._parts.program.graph))
        self._count = len(every)
        self._steps = 2 * max(len(every), 2).bit_length() + 2
        self._outcome, is_complete = Outcome.REGION, True
        try:
            self._search(every)
        except KeyboardInterrupt:
            is_complete = False
        return Bisection(
            values=values,
            delegate=node,
            names=tuple(one.name for unit in self._smallest for one in unit),
            around=tuple(one.name for unit in self._around for one in unit),
            numbers=self._numbers,
            log=tuple(self._log),
            outcome=self._outcome,
            complete=is_complete,
            parts=self._parts,
        )

    def _search(self, every: tuple[_Unit, ...]) -> None:
        lowered_again = self._attempt(every)
        if lowered_again.failed:
            # what ran before, and diverged, may crash by chance: then a difference is searched for
            self._is_failure = not self._has_diverged
            self._outcome = Outcome.FAILS if self._is_failure else Outcome.REGION
            self._known[every], self._smallest = True, every
        if lowered_again.diverged and self._rounds():
            self._outcome, self._smallest = Outcome.ROUNDING, ()
        elif lowered_again.failed or lowered_again.diverged:
            self._minimize(every)
            if self._is_undecided():
                self._try_smaller()
            if self._is_undecided() and self._numbers is not None:
                self._leave_out_right_ones()
            self._outcome = Outcome.FAILS if self._numbers is None else Outcome.REGION
        else:
            self._outcome = self._whole(every, lowered_again)

    def _rounds(self) -> bool:
        """Whether the delegate differs only by roundings that add up."""
        return rounding_ops(self._parts) > 0

    def _whole(self, every: tuple[_Unit, ...], again: _Tried) -> Outcome:
        """What is wrong if a delegate agrees when it is lowered again."""
        if again.numbers is None:
            raise MeasureError(f"The delegate cannot be lowered again: {again.reason}")
        nodes = list(self._parts.program.graph.nodes)
        try:
            found: Numbers | None = self._parts.distance(self._parts.lowered, self._cut(every))
        except NotRun:
            found = None
        if found is not None and not found.diverged:
            return Outcome.AGREES
        changed = changed_nodes(self._parts.lowered, again.lowered, nodes)
        self._numbers = found
        self._smallest = tuple(unit for unit in every if {*unit} & {*changed}) or every
        return Outcome.PAYLOAD

    def _minimize(self, current: tuple[_Unit, ...]) -> None:
        while len(current) > 1:
            middle = len(current) // 2
            half = next((one for one in (current[:middle], current[middle:]) if self._diverges(one)), None)
            if half is None:
                break
            current = half
        self._cut_ends(current)
        before: tuple[_Unit, ...] = ()
        while before != self._smallest:
            before = self._smallest
            for unit in before:
                rest = tuple(one for one in self._smallest if one is not unit)
                if rest:
                    self._diverges(rest)

    def _is_undecided(self) -> bool:
        """Whether it is unknown if a part of the region is enough."""
        return any(one < {*self._smallest} for one in self._unknown)

    def _try_smaller(self) -> None:
        """Try every part of the region, the smallest first."""
        next((one for one in _parts_of(self._smallest) if self._diverges(one)), None)

    def _leave_out_right_ones(self) -> None:
        """Keep the units whose value is wrong for the inputs that they got; the others stay around them."""
        ends = {unit[-1]: unit for unit in self._smallest}
        try:
            cut = part(self._parts.program, (node for unit in self._smallest for node in unit), ends)
            values = self._parts.run(self._parts.lower(cut), cut)
            wrong = {ends[node] for node in self._parts.wrong_values(values, cut) & {*ends}}
        except Exception:  # noqa: BLE001  as of other parts; then the region is what it is
            return
        if wrong:
            region, self._smallest = self._smallest, tuple(one for one in self._smallest if one in wrong)
            self._around = tuple(one for one in region if one not in wrong)

    def _cut_ends(self, current: tuple[_Unit, ...]) -> None:
        size = len(current) // 2
        while size:
            for rest in (current[:-size], current[size:]):
                if rest and len(rest) < len(current) and self._diverges(rest):
                    current = rest
                    break
            else:
                size //= 2
            size = min(size, len(current) - 1)

    def _diverges(self, chosen: tuple[_Unit, ...]) -> bool:
        if chosen not in self._known:
            self._attempt(chosen)
        return self._known[chosen]

    def _attempt(self, chosen: tuple[_Unit, ...]) -> _Tried:
        """Lower and run a part, and log it; the smallest that diverges is kept."""
        done = len(self._log)
        detail = f", {plural(len(chosen), 'op')}"
        self._report("Bisecting", done, max(self._steps, done + 1), detail)
        began = time.monotonic()
        tried = self._try(chosen)
        names = tuple(one.name for unit in chosen for one in unit)
        self._log.append(Trial(names, tried.numbers, tried.reason, time.monotonic() - began))
        is_wrong = tried.failed if self._is_failure else tried.diverged or tried.crashed
        self._known[chosen] = is_wrong
        if tried.numbers is None and not is_wrong:
            self._unknown.append({*chosen})
        if is_wrong:
            self._smallest, self._numbers = chosen, tried.numbers
        return tried

    def _try(self, chosen: Sequence[_Unit]) -> _Tried:
        lowered = None
        try:
            cut = self._cut(chosen)
            lowered = self._parts.lower(cut)
            return _Tried(lowered, self._parts.distance(lowered, cut))
        except NotRun as error:
            return _Tried(lowered, None, str(error), failed=True, crashed=error.crashed)
        except Exception as error:  # noqa: BLE001  a backend raises what it likes for parts that it cannot lower
            return _Tried(lowered, None, f"the backend cannot lower this part ({first_line(error)})")

    def _cut(self, chosen: Sequence[_Unit]) -> Part:
        if len(chosen) == self._count:
            return whole(self._parts.program)
        return part(self._parts.program, (node for unit in chosen for node in unit))


def _parts_of(region: tuple[_Unit, ...]) -> Iterator[tuple[_Unit, ...]]:
    """Parts of a region, the smallest first."""
    for size in range(1, len(region)):
        if len(region) <= _FEW:
            yield from combinations(region, size)
        else:
            yield from (region[at : at + size] for at in range(len(region) - size + 1))
