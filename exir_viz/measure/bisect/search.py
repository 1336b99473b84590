"""Bisect a delegate that diverges: lower parts of it to the same backend, and run each in the runtime.

Halves are tried first, then the ends are cut off, then single ops are left out, until every op that is left
is needed for the difference. A part gets the values that eager torch computes before it. A delegate that the
runtime cannot run is bisected the same way: to the ops that are needed for the failure.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import fx
from torch.export import ExportedProgram

from exir_viz.compare.values.bisection import Bisection, Trial
from exir_viz.compare.values.precision import QUANTIZED
from exir_viz.compare.values.records import Numbers, Outcome
from exir_viz.errors import MeasureError
from exir_viz.measure.cpu.describe import first_line
from exir_viz.measure.cpu.program import CpuProgram
from exir_viz.measure.cpu.timing import Timer
from exir_viz.measure.numbers.distance import Tolerance, badness, distance_of
from exir_viz.measure.progress import Callback, Reporter, reported
from exir_viz.measure.runtime.device_calls import is_delegate, laid_out
from exir_viz.measure.runtime.process import NotRun, RuntimeProgram, runtime_process
from exir_viz.measure.runtime.single_node import OneNode, lowered_module, silenced
from exir_viz.options import wrong_argument

from .payload_changes import changed_nodes
from .regions import Part, part, quantizes, units, whole

_Unit = tuple[fx.Node, ...]


class ComparedRun(NamedTuple):
    """What a comparison ran in the runtime: the program, its inputs, the symbols' values, the tolerance."""

    program: ExportedProgram
    method: str
    inputs: list[Any]
    symbols: dict[str, int]
    rtol: float
    atol: float


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


class DelegateParts:
    """The parts of one delegate: eager torch's values for it, and how far the backend is from them."""

    def __init__(self, run: ComparedRun, call: fx.Node) -> None:
        lowered = lowered_module(run.program.graph_module, call)
        self.lowered = lowered
        self.program: ExportedProgram = lowered.original_module
        self._alone = OneNode(run.program, run.symbols)
        self._tolerance = Tolerance(run.rtol, run.atol)
        self.values = _values_of(self.program, _arguments(run, call))

    def tolerance_of(self, is_quantized: bool, dtype: str = "") -> Tolerance:
        """The tolerance for a value of a dtype, wider if it was computed through quantized integers."""
        return self._tolerance.of(QUANTIZED if is_quantized else dtype)

    def lower(self, cut: Part) -> Any:
        """Lower a part to the same backend again; raises if the backend cannot."""
        from executorch.exir.backend.backend_api import to_backend

        with silenced():
            return to_backend(self.lowered.backend_id, cut.program, self.lowered.compile_specs)

    def payload(self) -> bytes:
        """The delegate with the payload that it has, as a `.pte`."""
        return self._pte(self.lowered)

    def _pte(self, lowered: Any) -> bytes:
        with silenced():
            return self._alone.delegate_data(lowered)

    def distance(self, lowered: Any, cut: Part) -> Numbers:
        """How far a lowered part is from eager torch; raises if it cannot be run."""
        data = self._pte(lowered)
        found = RuntimeProgram(data).run([laid_out(self.values[one], one) for one in cut.inputs])
        worst: Numbers | None = None
        for node, value in zip(cut.outputs, found, strict=True):
            one = self._distance(node, value, cut)
            worst = one if worst is None or badness(one) > badness(worst) else worst
        if worst is None:
            raise MeasureError("no value of the part is read outside of it")
        return worst

    def _distance(self, node: fx.Node, value: Any, cut: Part) -> Numbers:
        expected = self.values[node]
        is_quantized = any(quantizes(one) for one in cut.program.graph.nodes)
        tolerance = self.tolerance_of(is_quantized, str(expected.dtype).removeprefix("torch."))
        if quantizes(node) and isinstance(node.args[2], int):
            expected, value = (one.double() - node.args[2] for one in (expected, value))
        return distance_of(expected, value, tolerance)


class _Tried(NamedTuple):
    """A part that was tried: what the backend made of it, and its difference, or why it could not run."""

    lowered: Any
    numbers: Numbers | None
    reason: str = ""
    failed: bool = False  # the backend lowered it, and the runtime could not run that

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
        self._smallest: tuple[_Unit, ...] = ()
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
        if lowered_again.failed or lowered_again.diverged:
            self._minimize(every)
            self._outcome = Outcome.FAILS if self._numbers is None else Outcome.REGION
        else:
            self._outcome = self._whole(every, lowered_again)

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
        self._report(f"Bisecting, {len(chosen)} ops", done, max(self._steps, done + 1))
        began = time.monotonic()
        tried = self._try(chosen)
        names = tuple(one.name for unit in chosen for one in unit)
        self._log.append(Trial(names, tried.numbers, tried.reason, time.monotonic() - began))
        is_wrong = self._known[chosen] = tried.failed if self._is_failure else tried.diverged
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
            return _Tried(lowered, None, str(error), failed=True)
        except Exception as error:  # noqa: BLE001  a backend raises what it likes for parts that it cannot lower
            return _Tried(lowered, None, f"the backend cannot lower this part ({first_line(error)})")

    def _cut(self, chosen: Sequence[_Unit]) -> Part:
        if len(chosen) == self._count:
            return whole(self._parts.program)
        return part(self._parts.program, (node for unit in chosen for node in unit))


def _arguments(run: ComparedRun, call: fx.Node) -> list[Any]:
    """What eager torch passes to a delegate."""
    program = CpuProgram(run.program, run.method)
    kept: list[Any] = []
    nodes, plan = program.planner.nodes, program.plan
    for at, step in enumerate(plan.steps):
        if nodes[step.number].node is call:

            def caught(*args: Any, eager: Any = step.call) -> Any:
                kept.extend(args)
                return eager(*args)

            plan.steps[at] = step._replace(call=caught)
    with torch.no_grad(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        program.once(Timer(len(nodes)), program.state.values(run.inputs))
    return kept


def _values_of(program: ExportedProgram, inputs: Sequence[Any]) -> dict[fx.Node, Any]:
    """Eager torch's value of each node of a delegate's program."""
    prepared = CpuProgram(program, "delegate")
    nodes = list(program.graph.nodes)
    found: dict[fx.Node, Any] = {}

    def keep(path: str, slot: int, value: Any) -> None:
        if path == "delegate":
            found[nodes[slot]] = value

    with torch.no_grad():
        for _ in prepared.watched(keep, prepared.state.values(inputs)):
            pass
    return found
