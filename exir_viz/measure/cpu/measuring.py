"""Measure a prepared program: warm up, survey once, then run and time repeatedly; the result is a Profile.

One thread by default: then two runs agree best. Python's garbage collector is off while a run is timed, and
every run draws the same random numbers. An interrupt ends measuring and keeps the results; an error keeps
those before it.
"""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter_ns
from typing import Any

import torch

from exir_viz.measure.conditions import finished, initial_conditions
from exir_viz.measure.disturbance import away, uneven
from exir_viz.measure.processor_time import ProcessorTimer
from exir_viz.measure.profile import Profile
from exir_viz.measure.progress import Callback, Reporter
from exir_viz.measure.records import SCHEMA, Executor, ProfileRecord, Remark
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.format import plural
from exir_viz.torch_internals.process_state import Interruption, undisturbed

from .failure import failure
from .program import CpuProgram, Inputs
from .samples import Samples, Summed, summed
from .survey import Survey, storage_bytes, tensors
from .timing import Stopped, Timer

# Without a number of repeats: the least and the most, and the seconds after which no run starts.
_FEWEST, _MOST, _SECONDS = 5, 50, 3.0
_KEPT = "What was measured before it is in the error's `profile`."


@dataclass(frozen=True)
class Options:
    """How to measure. `repeats` None: as many as fit into a few seconds."""

    threads: int = 1
    repeats: int | None = None
    warmup: int = 2


class Measurement:
    """One measurement of a prepared program: its runs, and their results so far."""

    def __init__(
        self, prepared: CpuProgram, inputs: Inputs, options: Options, progress: Callback | None = None
    ) -> None:
        self._prepared = prepared
        self._inputs = inputs
        self._options = options
        self._report = Reporter(progress)
        self._nodes = prepared.planner.nodes
        self._timer = Timer(len(self._nodes))
        self._samples = Samples(len(self._nodes), prepared.planner.plans)
        self._processor = ProcessorTimer(options.threads)
        self._random = torch.get_rng_state()
        self._survey: Survey | None = None
        self._stopped: Stopped | None = None
        self._interrupted = False
        self._conditions = initial_conditions(
            Executor.CPU,
            threads=options.threads,
            inputs=inputs.described(),
            inputs_from=inputs.source,
            symbols=inputs.symbols,
        )

    def profile(self, snapshot: Snapshot, method: str) -> Profile:
        """Run and time; if a node fails, raises MeasureError with the results so far."""
        try:
            undisturbed(self._run)
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

    def _run(self, _interruption: Interruption) -> None:
        with _steady(self._options.threads), torch.no_grad(), torch.random.fork_rng(devices=[]):
            first = max(self._options.warmup - 1, min(self._options.warmup, 1))
            self._warm_up(range(first))
            self._look()
            self._warm_up(range(first, self._options.warmup))
            self._repeat()

    def _warm_up(self, runs: range) -> None:
        """Warm up. Of two or more runs, the last is after the survey, which changes the caches."""
        for at in runs:
            self._report("Warming up", at, self._options.warmup)
            self._prepared.once(self._timer, self._begin())

    def _look(self) -> None:
        self._report("Counting bytes and FLOPs", 0, 1)
        values = self._begin()
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
            values = self._begin()
            self._processor.start()
            start = perf_counter_ns()
            result = self._prepared.once(self._timer, values)
            whole = perf_counter_ns() - start
            processor_time = self._processor.stop()
            del result, values
            samples.add(whole, self._timer.times, self._timer.entered, processor_time)
        self._report("Measuring", samples.count, samples.count)

    def _begin(self) -> list[Any]:
        """The values of one run: all start from the same state, torch's random numbers included."""
        self._timer.reset()
        torch.set_rng_state(self._random)
        return self._prepared.state.values(self._inputs.values)

    def _record(self, snapshot: Snapshot, method: str) -> ProfileRecord:
        found = summed(self._nodes, self._samples, self._survey)
        return ProfileRecord(
            schema=SCHEMA,
            method=method,
            dialect=snapshot.methods[method].dialect.value,
            conditions=finished(self._conditions, self._samples.count, self._options.warmup),
            columns=found.columns,
            whole=found.whole,
            overhead=found.overhead,
            state_bytes=storage_bytes(self._prepared.state_tensors()),
            input_bytes=storage_bytes(self._inputs.values),
            complete=not self._interrupted and self._stopped is None,
            remarks=tuple(self._remarks(found)),
        )

    def _remarks(self, found: Summed) -> Iterator[Remark]:
        backends = ", ".join(sorted(self._prepared.planner.backends))
        if backends:
            yield Remark(
                "emulated",
                f"Subgraphs delegated to {backends} ran in eager torch: these are not the backend's times. "
                "executor='executorch' runs the backend itself.",
            )
        if self._inputs.unread:
            guards = "; ".join(self._inputs.unread)
            yield Remark("guards", f"It was not checked whether the inputs satisfy these guards: {guards}.")
        yield from self._differing(found)
        if self._interrupted:
            yield Remark("interrupted", "Interrupted: only the runs before that were measured.")
        if self._stopped is not None:
            name = self._nodes[self._stopped.number].id
            yield Remark("failed", f"{name} raised an error: only the runs before that were measured.", name)

    def _differing(self, found: Summed) -> Iterator[Remark]:
        """Remarks about what the machine did, and about runs that differ."""
        if found.uneven:
            nodes = plural(found.uneven, "node")
            yield Remark(
                "paths",
                f"Runs took different paths: {nodes} did not run equally often in all (another branch, "
                "another number of iterations). Times and calls are the mean of all runs; min to p75 are of "
                "the runs in which the node ran, bytes and FLOPs of one run.",
            )
        if found.whole is not None and found.mean_runs is not None:
            at = found.disturbed.number if found.disturbed else None
            node = "" if at is None else self._nodes[at].id
            mostly = f", mostly of {node}" if node else ""
            ops = f"ops that took more than three times their median{mostly}, and from the whole run"
            yield from away(found.disturbed, found.whole, self._conditions, ops, node)
            if not found.uneven:
                yield from uneven(found.mean_runs.long, found.whole, is_own=found.mean_runs.is_own)


@contextlib.contextmanager
def _steady(threads: int) -> Iterator[None]:
    """Set the threads and stop the garbage collector; restore both afterwards."""
    before, collecting = torch.get_num_threads(), gc.isenabled()
    gc.collect()
    try:
        gc.disable()
        torch.set_num_threads(threads)
        yield
    finally:
        torch.set_num_threads(before)
        if collecting:
            gc.enable()
