"""The bundled CPU executor beside `ep.module()(*args)`, and its times beside those of torch.profiler."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from typing import Any

import pandas as pd
import torch
from torch.export import ExportedProgram

import exir_viz
from exir_viz.measure.cpu.program import CpuProgram
from exir_viz.measure.cpu.timing import Timer
from exir_viz.measure.profile import Profile
from exir_viz.measure.rollup import module_name
from exir_viz.snapshot.module_attribution import module_of
from tests.corpus.programs import core, exported

from .timing import Times, table

# What we set out for: our whole run against the module's.
TARGETS = {"resnet50": 1.15, "llama32": 1.3}
RUNS = 15


def run() -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    head = (
        "program",
        "ops",
        "ep.module(), CPU",
        "timed by node, CPU",
        "ratio",
        "to be",
        "medians / whole",
        "rank",
        "same ten",
    )
    try:
        rows = (_row(name, target) for name, target in TARGETS.items())
        table("profile on the CPU, one thread", head, rows)
    finally:
        torch.set_num_threads(threads)


def _row(name: str, target: float) -> list[str]:
    program = exported(name)
    ours, theirs = paired(program, RUNS)
    first, second = (exir_viz.profile(program, repeats=RUNS) for _ in range(2))
    assert first.whole is not None
    assert first.overhead is not None
    parts = (sum(first.record.columns.median) + first.overhead.median) / first.whole.median
    same = len(ten(first).keys() & near_ten(second))
    return [
        name,
        f"{len(first):,}",
        f"{min(theirs.seconds) * 1e3:.1f} ms",
        f"{min(ours.seconds) * 1e3:.1f} ms",
        f"{min(ours.seconds) / min(theirs.seconds):.2f}",
        f"≤ {target}",
        f"{parts:.3f}",
        rank_against_profiler(core(name)),
        f"{same} of 10",
    ]


def paired(program: ExportedProgram, runs: int) -> tuple[Times, Times]:
    """CPU seconds of a whole run: ours with every node timed, and the module's, in turn.

    Of this thread, which does all the work: what else the machine does counts for neither.
    """
    prepared = CpuProgram(program)
    inputs = prepared.inputs(None, None, None)
    args, kwargs = program.example_inputs or ((), {})
    module = program.module()
    timer = Timer(len(prepared.planner.nodes))
    prepared.planner.runner = timer

    def mine() -> None:
        timer.reset()
        timer.run(prepared.plan, prepared.state.values(inputs.values))

    with torch.no_grad():
        pairs = [(_cpu(mine), _cpu(lambda: module(*args, **kwargs))) for _ in range(runs)]
    return Times(tuple(pair[0] for pair in pairs)), Times(tuple(pair[1] for pair in pairs))


def _cpu(run: Callable[[], object]) -> float:
    start = time.thread_time()
    run()
    return time.thread_time() - start


def ten(profile: Profile) -> dict[str, float]:
    """The ten modules with the most time of their own, by the fastest run of each node, and their seconds."""
    return dict(_ranked(profile)[:10])


def near_ten(profile: Profile, tie: float = 0.9) -> set[str]:
    """The modules of `ten`, and those that take nearly as long as the tenth: equal layers change places."""
    ranked = _ranked(profile)
    least = ranked[:10][-1][1] * tie
    return {name for name, seconds in ranked if seconds >= least}


def _ranked(profile: Profile) -> list[tuple[str, float]]:
    times: dict[str, float] = {}
    for cost in profile:
        scopes = module_of(cost.node)
        name = module_name(scopes[-1]) if scopes else ""
        times[name] = times.get(name, 0.0) + (cost.min or 0.0)
    return sorted(times.items(), key=lambda item: -item[1])


def rank_against_profiler(program: ExportedProgram, floor: float = 50e-6) -> str:
    """Spearman's correlation of our times with torch.profiler's, of the ops that take over 50 µs."""
    profile = exir_viz.profile(program, repeats=RUNS)
    theirs = profiled(program, len(profile))
    pairs = [
        (cost.min, other) for cost, other in zip(profile, theirs, strict=True) if (cost.min or 0) > floor
    ]
    if len(pairs) < 10:
        return f"{len(pairs)} ops only"
    return f"{spearman([pair[0] or 0.0 for pair in pairs], [pair[1] for pair in pairs]):.3f}"


def profiled(program: ExportedProgram, count: int, runs: int = RUNS) -> list[float]:
    """Seconds of each call by torch.profiler: a mark of ours around each step says whose events they are."""
    prepared = CpuProgram(program)
    inputs = prepared.inputs(None, None, None)
    steps = [step._replace(call=_marked(step.call, f"node:{step.number}")) for step in prepared.plan.steps]
    prepared.plan.steps[:] = steps
    found: list[list[float]] = [[] for _ in range(count)]
    with torch.no_grad():
        prepared.run(inputs.values)
        for _ in range(runs):
            with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profiler:
                prepared.run(inputs.values)
            for event in profiler.events():
                if event.name.startswith("node:"):
                    roots = sum(child.cpu_time_total for child in event.cpu_children)
                    found[int(event.name[5:])].append(roots / 1e6)
    return [min(times, default=0.0) for times in found]


def _marked(call: Any, name: str) -> Any:
    def marked(*args: Any, **kwargs: Any) -> Any:
        with torch.profiler.record_function(name):
            return call(*args, **kwargs)

    return marked


def spearman(one: Sequence[float], other: Sequence[float]) -> float:
    """The rank correlation of two columns of numbers."""
    return statistics.correlation(*(pd.Series(side).rank().tolist() for side in (one, other)))
