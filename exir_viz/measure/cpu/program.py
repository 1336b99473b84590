"""An ExportedProgram → a Profile: prepare, warm up, survey once, then run and time as often as asked.

One thread unless told otherwise: with it, two runs in a row agree best. Python's garbage collector is off while
a run is timed. An interrupt ends the measuring and keeps it; an error keeps what came before on the exception.
"""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

import torch
from torch.export import ExportedProgram

from exir_viz.errors import MeasureError
from exir_viz.snapshot import Snapshot

from ..conditions import finished, taken
from ..profile import Profile
from ..progress import Callback, Reporter
from ..records import SCHEMA, Conditions, Executor, GivenInput, ProfileRecord, Remark
from .check import check
from .columns import Samples, columns_of
from .describe import said
from .failure import failure
from .inputs import Place, examples, flatten, made, places
from .plan import Plan, Planner
from .state import State
from .survey import Survey, storage_bytes, tensors
from .timing import Stopped, Timer

# Without a number of repeats: at least and at most so many, and no new one after so many seconds.
_FEWEST, _MOST, _SECONDS = 5, 50, 3.0


@dataclass(frozen=True)
class Options:
    """How to measure. `repeats` None: as many as a few seconds allow."""

    threads: int = 1
    repeats: int | None = None
    warmup: int = 2
    survey: bool = True


@dataclass(frozen=True)
class Inputs:
    """The user's inputs, flat, and where they are from; `symbols` is what they bind."""

    places: list[Place]
    values: list[Any]
    source: str
    symbols: dict[str, int]

    def described(self) -> tuple[GivenInput, ...]:
        pairs = zip(self.places, self.values, strict=True)
        return tuple(GivenInput(place.path, said(value)) for place, value in pairs)


class CpuProgram:
    """A program prepared to run on this CPU, as often as wanted."""

    def __init__(self, program: ExportedProgram, method: str = "forward") -> None:
        self.program = program
        self.planner = Planner()
        self.plan: Plan = self.planner.plan(program.graph_module, method)
        self.state = State(program)

    def inputs(
        self, args: Sequence[Any] | None, kwargs: Mapping[str, Any] | None, symbols: Mapping[str, int] | None
    ) -> Inputs:
        """The inputs given, else the program's examples, else made ones; checked against the program."""
        source = "given"
        if args is not None or kwargs:
            values = flatten(self.program, args or (), kwargs or {})
        else:
            kept = None if symbols else examples(self.program)
            source = "made" if kept is None else "example"
            values = made(self.program, symbols or {}) if kept is None else kept
        found = places(self.program)
        return Inputs(found, values, source, check(self.program, found, values))

    def run(self, values: Sequence[Any]) -> list[Any]:
        """One run, not timed: every output of the graph in the order of its signature."""
        with torch.no_grad():
            return list(self._once(Timer(len(self.planner.nodes)), self.state.values(values)))

    def _once(self, runner: Timer | Survey, values: Sequence[Any]) -> Any:
        self.planner.runner = runner
        return runner.run(self.plan, values)

    def measure(
        self, inputs: Inputs, snapshot: Snapshot, method: str, options: Options, progress: Callback | None
    ) -> Profile:
        """Run and time; raises MeasureError where a node fails."""
        nodes = self.planner.nodes
        samples, report, survey = Samples(len(nodes)), Reporter(progress), None
        conditions = taken(
            Executor.CPU,
            threads=options.threads,
            inputs=inputs.described(),
            inputs_from=inputs.source,
            symbols=inputs.symbols,
        )
        stopped: Stopped | None = None
        interrupted = False
        with _quiet(options.threads), torch.no_grad():
            timer = Timer(len(nodes))
            try:
                for at in range(options.warmup):
                    report("Warming up", at, options.warmup)
                    timer.reset()
                    self._once(timer, self.state.values(inputs.values))
                if options.survey:
                    report("Counting bytes and FLOPs", 0, 1)
                    values = self.state.values(inputs.values)
                    survey = Survey(nodes, tensors(values))
                    self._once(survey, values)
                    del values
                self._repeat(timer, inputs, options.repeats, samples, report)
            except Stopped as error:
                stopped = error
            except KeyboardInterrupt:
                interrupted = True
        if not samples.wholes:
            samples.partial(timer.times)
        profile = self._profile(snapshot, method, finished(conditions, samples.count, options.warmup), samples,
                                survey, inputs, self._remarks(interrupted, stopped))  # fmt: skip
        if stopped is not None:
            error = failure(stopped, nodes, snapshot)
            error.profile = profile
            raise error from stopped.__cause__
        return profile

    def _repeat(
        self, timer: Timer, inputs: Inputs, repeats: int | None, samples: Samples, report: Reporter
    ) -> None:
        begun = time.monotonic()
        most = _MOST if repeats is None else repeats
        while samples.count < most:
            spent = time.monotonic() - begun
            if repeats is None and samples.count >= _FEWEST and spent > _SECONDS:
                break
            likely = max(_FEWEST, int(_SECONDS / spent * samples.count)) if spent else most
            report("Measuring", samples.count, min(most, likely) if repeats is None else most)
            timer.reset()
            values = self.state.values(inputs.values)
            start = perf_counter_ns()
            result = self._once(timer, values)
            whole = perf_counter_ns() - start
            del result, values
            samples.add(whole, timer.times)
        report("Measuring", samples.count, samples.count)

    def _profile(
        self,
        snapshot: Snapshot,
        method: str,
        conditions: Conditions,
        samples: Samples,
        survey: Survey | None,
        inputs: Inputs,
        remarks: tuple[Remark, ...],
    ) -> Profile:
        columns, whole, overhead = columns_of(self.planner.nodes, samples, survey)
        record = ProfileRecord(
            schema=SCHEMA,
            method=method,
            dialect=snapshot.methods[method].dialect.value,
            conditions=conditions,
            columns=columns,
            whole=whole,
            overhead=overhead,
            state_bytes=storage_bytes(list(self.state.tensors())),
            input_bytes=storage_bytes(inputs.values),
            complete=not any(remark.code in ("interrupted", "failed") for remark in remarks),
            remarks=remarks,
        )
        return Profile(record, snapshot)

    def _remarks(self, interrupted: bool, stopped: Stopped | None) -> tuple[Remark, ...]:
        found = []
        if self.planner.backends:
            names = ", ".join(sorted(self.planner.backends))
            found.append(
                Remark(
                    "emulated",
                    f"What {names} took was run in eager torch from the program it was given: these are not "
                    "the times of the backend. executor='executorch' runs the backend itself.",
                )
            )
        if interrupted:
            found.append(Remark("interrupted", "It was interrupted: this is what was measured until then."))
        if stopped is not None:
            name = self.planner.nodes[stopped.number].id
            found.append(Remark("failed", f"{name} raised: this is what was measured until then."))
        return tuple(found)


@contextlib.contextmanager
def _quiet(threads: int) -> Iterator[None]:
    """Set the threads and stop the garbage collector; both are as before afterwards."""
    before, collecting = torch.get_num_threads(), gc.isenabled()
    if threads < 1:
        raise MeasureError(f"threads is {threads}, and it must be at least 1.")
    gc.collect()
    gc.disable()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)
        if collecting:
            gc.enable()
