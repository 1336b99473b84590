"""A prepared program → a Profile: warm up, survey once, then run and time as often as asked.

One thread unless told otherwise: with it, two runs in a row agree best. Python's garbage collector is off
while a run is timed. An interrupt ends the measuring and keeps it; an error keeps what came before it.
"""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter_ns

import torch

from exir_viz.measure.conditions import finished, taken, waits
from exir_viz.measure.profile import Profile
from exir_viz.measure.progress import Callback, Reporter
from exir_viz.measure.records import SCHEMA, Executor, ProfileRecord, Remark
from exir_viz.snapshot import Snapshot

from .failure import failure
from .program import CpuProgram, Inputs
from .samples import Samples, columns_of
from .survey import Survey, storage_bytes, tensors
from .timing import Stopped, Timer

# Without a number of repeats: at least and at most so many, and no new one after so many seconds.
_FEWEST, _MOST, _SECONDS = 5, 50, 3.0
_KEPT = "What was measured before it is in the error's `profile`."


@dataclass(frozen=True)
class Options:
    """How to measure. `repeats` None: as many as a few seconds allow."""

    threads: int = 1
    repeats: int | None = None
    warmup: int = 2


class Measurement:
    """One measurement of a prepared program: runs, and what they have said so far."""

    def __init__(
        self, prepared: CpuProgram, inputs: Inputs, options: Options, progress: Callback | None = None
    ) -> None:
        self._prepared = prepared
        self._inputs = inputs
        self._options = options
        self._report = Reporter(progress)
        self._nodes = prepared.planner.nodes
        self._timer = Timer(len(self._nodes))
        self._samples = Samples(len(self._nodes))
        self._survey: Survey | None = None
        self._stopped: Stopped | None = None
        self._interrupted = False
        self._conditions = taken(
            Executor.CPU,
            threads=options.threads,
            inputs=inputs.described(),
            inputs_from=inputs.source,
            symbols=inputs.symbols,
        )

    def profile(self, snapshot: Snapshot, method: str) -> Profile:
        """Run and time; raises MeasureError where a node fails, with what was measured before on it."""
        with _quiet(self._options.threads), torch.no_grad(), torch.random.fork_rng(devices=[]):
            try:
                self._warm_up()
                self._look()
                self._repeat()
            except Stopped as error:
                self._stopped = error
            except KeyboardInterrupt:
                self._interrupted = True
        if not self._samples.wholes:
            self._samples.partial(self._timer.times)
        profile = Profile(self._record(snapshot, method), snapshot)
        if self._stopped is not None:
            failed = failure(self._stopped, self._nodes, snapshot, _KEPT)
            failed.profile = profile
            raise failed from self._stopped.__cause__
        return profile

    def _warm_up(self) -> None:
        for at in range(self._options.warmup):
            self._report("Warming up", at, self._options.warmup)
            self._timer.reset()
            self._prepared.once(self._timer, self._prepared.state.values(self._inputs.values))

    def _look(self) -> None:
        self._report("Counting bytes and FLOPs", 0, 1)
        values = self._prepared.state.values(self._inputs.values)
        self._survey = Survey(self._nodes, tensors(values))
        self._prepared.once(self._survey, values)

    def _repeat(self) -> None:
        begun, samples, repeats = time.monotonic(), self._samples, self._options.repeats
        most = _MOST if repeats is None else repeats
        while samples.count < most:
            spent = time.monotonic() - begun
            if repeats is None and samples.count >= _FEWEST:
                if spent > _SECONDS:
                    break
                most = min(_MOST, max(_FEWEST, int(_SECONDS / spent * samples.count)))
            self._report("Measuring", samples.count, max(most, samples.count))
            self._timer.reset()
            values = self._prepared.state.values(self._inputs.values)
            start = perf_counter_ns()
            result = self._prepared.once(self._timer, values)
            whole = perf_counter_ns() - start
            del result, values
            samples.add(whole, self._timer.times)
        self._report("Measuring", samples.count, samples.count)

    def _record(self, snapshot: Snapshot, method: str) -> ProfileRecord:
        columns, whole, overhead = columns_of(self._nodes, self._samples, self._survey)
        return ProfileRecord(
            schema=SCHEMA,
            method=method,
            dialect=snapshot.methods[method].dialect.value,
            conditions=finished(self._conditions, self._samples.count, self._options.warmup),
            columns=columns,
            whole=whole,
            overhead=overhead,
            state_bytes=storage_bytes(self._prepared.held()),
            input_bytes=storage_bytes(self._inputs.values),
            complete=not self._interrupted and self._stopped is None,
            remarks=tuple(self._remarks()),
        )

    def _remarks(self) -> Iterator[Remark]:
        backends = ", ".join(sorted(self._prepared.planner.backends))
        if backends:
            yield Remark(
                "emulated",
                f"What {backends} took was run in eager torch from the program it was given: these are not "
                "the times of the backend. executor='executorch' runs the backend itself.",
            )
        if self._inputs.unread:
            guards = "; ".join(self._inputs.unread)
            yield Remark("guards", f"It is not known whether the inputs keep these conditions: {guards}.")
        yield from self._busy()
        if self._interrupted:
            yield Remark("interrupted", "It was interrupted: this is what was measured until then.")
        if self._stopped is not None:
            name = self._nodes[self._stopped.number].id
            yield Remark("failed", f"{name} raised: this is what was measured until then.")

    def _busy(self) -> Iterator[Remark]:
        """What the machine did meanwhile: told by its load, or by times that their own medians deny."""
        loud, count = self._samples.settled.disturbed, self._samples.count
        if loud is not None:
            yield Remark(
                "busy",
                f"In {loud.runs} of {count} runs the machine did something else during ops, mostly at "
                f"{self._nodes[loud.number].id}: what took more than three times its median counts as the "
                f"median, in the whole too. That is {loud.mean / 1e3:,.1f} µs a run, in the mean, left out.",
            )
        elif waits(self._conditions):
            yield Remark("busy", "Before it began the machine had more work than cores: times may be long.")


@contextlib.contextmanager
def _quiet(threads: int) -> Iterator[None]:
    """Set the threads and stop the garbage collector; both are as before afterwards."""
    before, collecting = torch.get_num_threads(), gc.isenabled()
    gc.collect()
    gc.disable()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)
        if collecting:
            gc.enable()
