"""Find where the values of two programs diverge: both run on the same inputs.

The first runs with the bundled CPU executor, the second too or in the ExecuTorch runtime. Enters: two live
programs (or stages), and optionally a Diff of them. Leaves: `Values`. Both run on copies of
all that they write to; neither program, nor the user's module, nor the inputs are changed.
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import torch
from torch.export import ExportedProgram

from exir_viz.compare.align.known_links import between
from exir_viz.compare.diff import Diff
from exir_viz.compare.values.origins import origins, producers
from exir_viz.compare.values.precision import QUANTIZED, coarsest, shared_precision, with_quantized
from exir_viz.compare.values.records import (
    SCHEMA,
    Health,
    NumberRow,
    Numbers,
    OutputRow,
    Producer,
    Ran,
    Uncompared,
    ValuesRecord,
)
from exir_viz.compare.values.value_pairs import Counterparts, counterparts, places
from exir_viz.compare.values.values import Values
from exir_viz.extras import needs_extra
from exir_viz.measure.cpu.program import CpuProgram, Inputs
from exir_viz.measure.cpu.real import check_state
from exir_viz.measure.distance import Tolerance, badness, distance_of, misfit, numbers, scaled
from exir_viz.measure.live import resolved
from exir_viz.measure.options import amount, by_name, check_callback
from exir_viz.measure.profilable import is_stage
from exir_viz.measure.progress import Callback, Reporter, reported
from exir_viz.measure.records import Executor
from exir_viz.options import described, is_text, refuse, wrong_argument
from exir_viz.readers.accepted_inputs import is_runtime_file
from exir_viz.readers.files import load
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.format import plural

from .feeding import Fed, origin_of, shared, synthesized
from .file_run import FileComparison
from .folding import folded
from .lockstep import Result, Side, run
from .metrics import Metrics
from .outputs import Dtypes, outputs, replace_outputs, returned, worse_output
from .roundings import Roundings
from .samples import export_inputs, own_samples, several_inputs

if TYPE_CHECKING:
    from exir_viz.measure.delegate_parts.parts import ComparedRun

    from .device_run import DeviceRun

_NOT_RUN = "at least one side did not run"
_OTHER_METHOD = "of a method that was not run"


def compare_values(  # noqa: PLR0913  every option, by name
    diff: Diff,
    a: Any,
    b: Any,
    inputs: Sequence[Any] | torch.Tensor | None = None,
    *,
    executor: str = Executor.CPU,
    kwargs: Mapping[str, Any] | None = None,
    symbols: Mapping[str, int] | None = None,
    method: str | None = None,
    samples: Any = None,
    metric: Callable[[list[Any]], float] | None = None,
    rtol: float = 1e-3,
    atol: float = 1e-5,
    progress: Callback | None = None,
) -> Values:
    """Run both on the same inputs and compare every matched value; see `Diff.values`.

    progress: is called with a Progress after each node; without it a line says how long it will take.

    Raises MeasureError for inputs that do not fit one of the two, and for a node that cannot run.
    """
    check_callback("values", progress)
    is_device = _is_device(executor)
    kwargs = by_name("kwargs", kwargs, "{'mask': …}")
    symbols = by_name("symbols", symbols, "{'s77': 16}")
    tolerance = Tolerance(amount("rtol", rtol), amount("atol", atol))
    own = own_samples(b, inputs, samples, method) if is_device else samples
    first, before, name = resolved(a, export_inputs(a, inputs, own), kwargs, method)
    check_state(first)
    if metric is not None and not callable(metric):
        refuse("values", "metric", metric, "a function that takes the list of outputs")
    prepared = CpuProgram(first, name)
    calls = several_inputs(first, own, inputs, kwargs, name)
    if is_runtime_file(b):
        after = _readable(b, is_device=is_device)
        found = _of(diff, before, after)
        runs = [prepared.inputs(call.args, call.kwargs, symbols) for call in calls]
        with reported(progress) as callback:
            metrics = _metrics(metric, found, runs)
            is_bundled = own is not samples
            file = FileComparison(b, found, first, name, tolerance, metrics, is_bundled=is_bundled)
            for given in runs:
                file.run(given, Reporter(callback))
        return Values(found, file.record())
    second, after, other = resolved(b, inputs, kwargs, method)
    if name != other:
        raise wrong_argument(f"Methods {name!r} and {other!r} were chosen: pass method= with one both have.")
    check_state(second)
    found = _of(diff, before, after)
    links = between(a, b).links if is_stage(a) and is_stage(b) else ()
    folds = folded(found, first, second, name)
    pairs = counterparts(found, links, folds.ends, folds.weights)
    fed_runs = [shared(prepared, second, call.args, call.kwargs, symbols) for call in calls]
    with reported(progress) as callback:
        report = Reporter(callback)
        device = _device(b, second, name, after, report) if is_device else None
        metrics = _metrics(metric, found, fed_runs)
        comparing = _Comparing(found, pairs, (first, second), tolerance, name, device, metrics)
        try:
            for ours, fed in fed_runs:
                comparing.run(ours, fed, report)
        finally:
            if device is not None:
                device.forget()
    return Values(found, comparing.record(), None if device is None else comparing.compared_run())


def _metrics(metric: Callable[[list[Any]], float] | None, found: Diff, runs: Sequence[Any]) -> Metrics:
    return Metrics(metric, (found.comparison.a, found.comparison.b), len(runs))


def _is_device(executor: object) -> bool:
    if executor not in (Executor.CPU, Executor.RUNTIME) or not is_text(executor):
        raise wrong_argument(f"Unknown executor {described(executor)}. Available: 'cpu', 'executorch'.")
    return executor == Executor.RUNTIME


def _readable(path: Any, *, is_device: bool) -> Snapshot:
    """The Snapshot of a `.pte` that the runtime is to run."""
    if not is_device:
        raise wrong_argument(f"Only the ExecuTorch runtime can run {path!s}. Pass executor='executorch'.")
    needs_extra("values(executor='executorch')", "executorch")
    return load(path)


def _device(b: Any, program: ExportedProgram, method: str, snapshot: Snapshot, report: Reporter) -> DeviceRun:
    needs_extra("values(executor='executorch')", "executorch")
    from .device_run import DeviceRun  # ExecuTorch takes seconds to import

    return DeviceRun(b, program, method, snapshot, report)


def _of(diff: Diff, before: Snapshot, after: Snapshot) -> Diff:
    """The diff, of Snapshots with the nodes that are run. Checksums of large weights may be in one alone."""
    if any(
        one.skeleton.graphs != other.skeleton.graphs for one, other in ((diff.a, before), (diff.b, after))
    ):
        raise wrong_argument("A program was changed since it was compared: make the diff again.")
    return Diff(before, after, diff.comparison, diff.sides)


class _Comparing:
    """One comparison, with its results so far: of several inputs the worst of each pair is kept."""

    def __init__(
        self,
        compared: Diff,
        pairs: Counterparts,
        programs: tuple[ExportedProgram, ExportedProgram],
        tolerance: Tolerance,
        method: str,
        device: DeviceRun | None,
        metrics: Metrics,
    ) -> None:
        self._compared = compared
        self._pairs = pairs
        self._programs = programs
        self._tolerance = tolerance
        self._method = method
        self._device = device
        precision = coarsest if device is None else with_quantized
        self._dtypes = precision(compared.numbering_a), precision(compared.numbering_b)
        self._used: set[str] = set()
        self._roundings = Roundings(programs[1], method, tolerance)
        self._is_widened = False  # whether a difference does not count because of these
        self._rows: dict[int, NumberRow] = {}
        self._misfits: dict[int, str] = {}
        self._outputs: dict[str, OutputRow] = {}
        self._order: dict[int, int] = {}
        self._healths: tuple[dict[int, Health], dict[int, Health]] = ({}, {})
        self._metrics = metrics
        self._given: list[tuple[Inputs, Fed]] = []
        self._waited = self._unequal = 0
        self._backends: set[str] = set()

    def run(self, given: Inputs, fed: Fed, report: Reporter) -> None:
        """Run both on one of the inputs."""
        device = self._device
        ours, theirs = CpuProgram(self._programs[0], self._method), None
        if device is not None:
            theirs = device.prepared(given.symbols)
        a = Side(ours, self._compared.a, [pair.a for pair in self._pairs.pairs])
        b = Side(
            theirs or CpuProgram(self._programs[1], self._method),
            self._compared.b,
            [pair.b for pair in self._pairs.pairs],
        )
        self._waited = max(self._waited, run(a, b, (given.values, fed.values), self._meet, report))
        tolerance_by = self._tolerance_by
        if device is not None and self._run_isolated(device, given, fed, b):
            tolerance_by = self._tolerance_of_right
        for row in outputs(a, b, fed.paths, self._ends((a, b)), tolerance_by):
            former = self._outputs.get(row.name)
            self._outputs[row.name] = row if former is None else worse_output(row, former)
        for pair, position in b.order.items():
            self._order.setdefault(pair, position)
        for healths, side in zip(self._healths, (a, b), strict=True):
            healths |= {number: state for number, state in side.healths.items() if number not in healths}
        self._metrics.add(returned(a), returned(b))
        self._unequal += sum(one != other for one, other in zip(a.turns, b.turns, strict=True))
        for side in (a, b) if device is None else (a,):
            self._backends |= side.prepared.planner.backends
        self._given.append((given, fed))

    def _run_isolated(self, device: DeviceRun, given: Inputs, fed: Fed, b: Side) -> bool:
        """Run the whole and the steps isolated; whether differences are only roundings that add up."""
        device.run_whole(fed.values)
        own = device.run_isolated(fed.values, self._distance)
        own = self._roundings.judged(own, fed.values, given.symbols, self._is_quantized)
        device.keep(own)
        in_sequence = returned(b)
        replace_outputs(b, device.whole_outputs)
        is_runtime = device.worst_ran() is Ran.RUNTIME
        return self._roundings.finish(own, is_runtime=is_runtime, outputs=(in_sequence, returned(b)))

    def _tolerance_of_right(self, dtype: str) -> Tolerance:
        """The tolerance for outputs if all delegates and ops are right: none for quantized ones."""
        found = self._tolerance_by(dtype)
        is_beyond = found.rounds and dtype == QUANTIZED
        return dataclasses.replace(found, atol=math.inf) if is_beyond else found

    def _is_quantized(self, name: str) -> bool:
        """Whether the value of a node of b was computed through quantized integers."""
        return self._tolerance_by(self._dtypes[1][self._numbers()[name]]).rounds

    def _without_roundings(self, rows: list[NumberRow]) -> list[NumberRow]:
        """The rows; if all delegates and ops are right, quantized values have not diverged."""
        device = self._device
        if device is None or not self._roundings.is_all:
            return rows
        device.allow_rounding(self._is_quantized)
        found = []
        for row in rows:
            is_right = (
                row.numbers.diverged and not row.numbers.unlike and self._tolerance_of(row.a, row.b).rounds
            )
            self._is_widened |= is_right
            numbers = msgspec.structs.replace(row.numbers, diverged=row.numbers.diverged and not is_right)
            found.append(msgspec.structs.replace(row, numbers=numbers))
        return found

    def compared_run(self) -> ComparedRun:
        """The delegates that ran in the runtime, with the first inputs."""
        from exir_viz.measure.delegate_parts.parts import ComparedRun  # ExecuTorch takes seconds to import

        given, fed = self._given[0]
        limits = self._tolerance.rtol, self._tolerance.atol
        return ComparedRun(self._programs[1], self._method, fed.values, given.symbols, *limits)

    def record(self) -> ValuesRecord:
        """The result."""
        compared, device = self._compared, self._device
        ran = self._ran()
        found = [self._rows[pair] for pair in sorted(self._rows, key=self._when)]
        found = [msgspec.structs.replace(row, ran=ran.get(row.b, row.ran)) for row in found]
        found = self._without_roundings(found)
        output_rows = tuple(self._of_outputs())
        ends_diverge = any(row.numbers is not None and row.numbers.diverged for row in output_rows)
        unsure = {(pair.a, pair.b) for pair in self._pairs.pairs if not pair.sure}
        rows = origins(compared, tuple(found), ends_diverge=ends_diverge, unsure=unsure)
        reasons, uncompared = self._uncompared(compared)
        given = self._given[0][0]
        return ValuesRecord(
            schema=SCHEMA,
            a=compared.comparison.a,
            b=compared.comparison.b,
            rtol=self._tolerance.rtol,
            atol=self._tolerance.atol,
            rows=rows,
            outputs=output_rows,
            first=next((at for at, row in enumerate(rows) if row.origin), -1),
            producers=tuple(self._producers(compared)),
            uncompared=uncompared,
            reasons=reasons,
            notes=tuple(self._notes()),
            inputs=tuple((one.path, one.value) for one in given.described()),
            inputs_from=origin_of(given),
            waited_bytes=self._waited,
            coarse=tuple((dtype, self._tolerance.of(dtype).rtol) for dtype in sorted(self._used)),
            executor=Executor.CPU.value if device is None else Executor.RUNTIME.value,
            devices=() if device is None else tuple(device.rows(self._numbers())),
            samples=len(self._given),
            metrics=tuple(self._metrics.pairs),
        )

    def _meet(self, pair: int, a: Result, b: Result) -> None:
        """Compare a pair of values; of several turns of a loop the worst is kept."""
        match, one, other, emulated, scales, _ = self._pairs.pairs[pair]
        ours, theirs = (scaled(side[0], scale) for side, scale in zip((a, b), scales, strict=True))
        if why := misfit(ours, theirs):
            self._misfits[pair] = why
            return
        found = numbers(ours, theirs, self._tolerance_of(one, other))
        row = NumberRow(
            *(match, one, other, found),
            ran=Ran.EMULATED if emulated else Ran.EAGER,
            scaled=any(scales),
            health_a=a[1],
            health_b=b[1],
        )
        former = self._rows.get(pair)
        if former is not None:
            worst = row if badness(found) > badness(former.numbers) else former
            row = msgspec.structs.replace(worst, turns=former.turns + 1)
        self._rows[pair] = row

    def _tolerance_of(self, one: int, other: int) -> Tolerance:
        """The tolerance for the values of two nodes, by the coarser dtype that either was computed
        through.
        """
        return self._tolerance_by(shared_precision(self._dtypes[0][one], self._dtypes[1][other]))

    def _tolerance_by(self, dtype: str) -> Tolerance:
        found = self._tolerance.of(dtype)
        if found is not self._tolerance:
            self._used.add(dtype)
        return found

    def _distance(self, name: str, reference: Any, found: Any) -> Numbers:
        """The distance of what eager torch and the runtime compute for a node of b."""
        dtype = self._dtypes[1][self._numbers()[name]]
        return distance_of(reference, found, self._tolerance_by(dtype))

    @functools.cache  # noqa: B019  lives as long as the comparison
    def _numbers(self) -> dict[str, int]:
        """By name of a node of b's method: its number."""
        numbering = self._compared.numbering_b
        return {node.id: numbering.number(node) for node in self._compared.b.methods[self._method].graph}

    def _ran(self) -> dict[int, Ran]:
        """By number of a node of b: what computed it, where that is not eager torch."""
        numbering = self._compared.numbering_b
        found = {
            numbering.number(node): Ran.INPUT
            for graph in self._compared.b.graphs
            for node in graph
            if node.op in ("placeholder", "get_attr")
        }
        if self._device is not None:
            found |= {
                numbering.number(node): Ran.EMULATED
                for graph in self._compared.b.graphs
                if graph.parent is not None
                for node in graph
                if node.op == "call_function"
            }
            by_name = self._numbers()
            found |= {by_name[name]: ran for name, ran in self._device.ran().items() if name in by_name}
        return found

    def _of_outputs(self) -> Iterator[OutputRow]:
        """The outputs, with what computed those of b."""
        device = self._device
        for row in self._outputs.values():
            ran = Ran.EMULATED if self._backends else Ran.EAGER
            if device is not None:
                is_whole = device.whole_outputs is not None and row.name.startswith("output ")
                ran = Ran.RUNTIME if is_whole else device.worst_ran()
            yield msgspec.structs.replace(row, ran=ran)

    def _ends(self, sides: tuple[Side, Side]) -> tuple[Dtypes, Dtypes]:
        """For either side, by position in the method's graph: the coarsest dtype that it was computed
        through.
        """
        bases = (places(side.numbering)[self._method] for side in sides)
        a, b = (
            dtypes[base : base + side.total]
            for dtypes, base, side in zip(self._dtypes, bases, sides, strict=True)
        )
        return a, b

    def _when(self, pair: int) -> tuple[int, int]:
        """The order of the pair's first value in b."""
        return self._order.get(pair, -1), pair

    def _uncompared(self, compared: Diff) -> tuple[tuple[str, ...], tuple[Uncompared, ...]]:
        """Matches with nodes on both sides and no row, with the reasons as a list."""
        found = dict(self._pairs.reasons)
        for number, pair in enumerate(self._pairs.pairs):
            if number not in self._rows:
                method = compared.numbering_a.node(pair.a).graph.path.split("/")[0]
                why = _NOT_RUN if method == self._method else _OTHER_METHOD
                found[pair.match] = self._misfits.get(number, why)
        for row in self._rows.values():
            found.pop(row.match, None)
        reasons = tuple(dict.fromkeys(found.values()))
        at = {reason: number for number, reason in enumerate(reasons)}
        return reasons, tuple(Uncompared(match, at[found[match]]) for match in sorted(found))

    def _producers(self, compared: Diff) -> list[Producer]:
        return [
            *producers("a", compared.numbering_a, self._healths[0]),
            *producers("b", compared.numbering_b, self._healths[1]),
        ]

    def _notes(self) -> list[str]:
        given, fed = self._given[0]
        snapshots = (self._compared.a, self._compared.b)
        others = sorted({name for snapshot in snapshots for name in snapshot.methods} - {self._method})
        notes = [fed.note] if fed.note else []
        notes += synthesized(given)
        if others:
            notes.append(
                f"Only the method {self._method} was run. Not compared: {', '.join(others)}; pass method=."
            )
        if self._backends:
            backends = ", ".join(sorted(self._backends))
            notes.append(
                f"Subgraphs delegated to {backends} ran in eager torch, as one block "
                "each: these are not the backend's own numbers."
            )
        notes += self._roundings.notes(self._is_widened)
        if self._device is not None and self._device.why_not_whole:
            notes.append(f"The whole program did not run in the runtime: {self._device.why_not_whole}")
        if self._unequal:
            pairs = plural(self._unequal, "pair")
            notes.append(
                f"{pairs} ran a different number of times: only the runs that both have are compared."
            )
        return notes
