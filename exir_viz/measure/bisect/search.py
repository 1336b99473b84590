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
from exir_viz.snapshot.format import plural

from .payload_changes import changed_nodes
from .regions import Part, dequantizes, part, quantizes, units, whole

_Unit = tuple[fx.Node, ...]
# Of a region with so many units at most, every smaller part is tried; of a larger one, those without gaps.
_FEW = 5
# How far the integers of a quantized value may differ.
_TWO_STEPS = Tolerance(rtol=0.0, atol=2.0)


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

    def run(self, lowered: Any, cut: Part) -> list[Any]:
        """What the runtime computes for a lowered part; raises if it cannot be run."""
        data = self._pte(lowered)
        return RuntimeProgram(data).run([laid_out(self.values[one], one) for one in cut.inputs])

    def distance(self, lowered: Any, cut: Part) -> Numbers:
        """How far a lowered part is from eager torch; raises if it cannot be run."""
        found = self.run(lowered, cut)
        worst: Numbers | None = None
        for node, value in zip(cut.outputs, found, strict=True):
            one = self._distance(node, self.values[node], value, cut)
            worst = one if worst is None or badness(one) > badness(worst) else worst
        if worst is None:
            raise MeasureError("no value of the part is read outside of it")
        return worst

    def wrong_values(self, values: Sequence[Any], cut: Part) -> set[fx.Node]:
        """The nodes whose values are wrong for the values that the runtime computed before.

        `values`: what the runtime computes for the part's outputs. Of a node that quantizes, the integers may
        differ by two.
        """
        found: dict[str, Any] = {}
        outputs: dict[str, fx.Node] = {}
        for node, value in zip(cut.outputs, values, strict=True):
            integers = _integers(node, value)
            shown = node if integers is None else node.all_input_nodes[0]
            found[shown.name], outputs[shown.name] = value if integers is None else integers, shown
        wrong: set[fx.Node] = set()

        class FromRuntime(fx.Interpreter):
            """Continues with the runtime's values."""

            def run_node(_, node: fx.Node) -> Any:  # noqa: N805  self is the parts
                value = fx.Interpreter.run_node(_, node)
                if node.op == "output" or node.name not in found:
                    return value
                shown = outputs[node.name]
                if quantizes(shown):
                    own = distance_of(value.double(), found[node.name].double(), _TWO_STEPS)
                else:
                    own = self._distance(shown, value, found[node.name], cut)
                if own.diverged:
                    wrong.add(shown)
                return found[node.name].to(value.dtype)

        program, tables = cut.program, {**cut.program.state_dict, **cut.program.constants}
        targets = [one.target for one in program.graph_signature.input_specs if one.target is not None]
        given = [*(tables[one] for one in targets), *(self.values[node] for node in cut.inputs)]
        with torch.no_grad():
            FromRuntime(program.graph_module).run(*given)
        return wrong

    def _distance(self, node: fx.Node, expected: Any, value: Any, cut: Part) -> Numbers:
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
        from .rounding import rounding_ops

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
        self._report(f"Bisecting, {plural(len(chosen), 'op')}", done, max(self._steps, done + 1))
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


def _integers(node: fx.Node, value: Any) -> Any:
    """The integers that a node of the part dequantizes, from its value; None for other nodes."""
    is_known = dequantizes(node) and node.all_input_nodes[0].op == "call_function"
    if not is_known or not isinstance(node.args[1], float) or not isinstance(node.args[2], int):
        return None
    return torch.round(value.double() / node.args[1]) + node.args[2]


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
