"""Values: what comparing all matched values of two programs takes, beside running them; what waits."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import torch
from torch.export import ExportedProgram

import exir_viz
from exir_viz.measure.cpu.program import CpuProgram
from tests.corpus.programs import core, exported

from .timing import mb, table

PROGRAMS = ("bert", "llama32", "resnet50")
RUNS = 3


def run() -> None:
    torch.set_num_threads(1)
    head = ["program", "values compared", "part", "least SNR", "compare, cpu", "run both, cpu"]
    head += ["waits at most", "all values of ATen"]
    table("values: ATen and Core on the same inputs", head, (_row(name) for name in PROGRAMS))


def _row(name: str) -> list[str]:
    a, b = exported(name), core(name)
    diff = exir_viz.diff(a, b)
    values = exir_viz.compare_values(a, b, diff=diff)
    noise = [one.numbers.snr for one in values if one.numbers.snr is not None]
    columns = exir_viz.profile(a, repeats=1, warmup=1, progress=lambda _: None).record.columns
    return [
        name,
        f"{len(values):,}",
        f"{len(values.diverged):,}",
        f"{min(noise):.0f} dB" if noise else "equal",
        f"{_cpu(lambda: exir_viz.compare_values(a, b, diff=diff)):.2f} s",
        f"{_cpu(lambda: _run_both(a, b)):.2f} s",
        f"{values.record.waited_bytes / 1024:,.0f} KB",
        mb(sum(columns.output_bytes)),
    ]


def _run_both(*programs: ExportedProgram) -> None:
    for program in programs:
        prepared = CpuProgram(program)
        prepared.run(prepared.inputs(None, None, None).values)


def _cpu(call: Callable[[], object]) -> float:
    taken = []
    for _ in range(RUNS):
        begun = time.process_time()
        call()
        taken.append(time.process_time() - begun)
    return median(taken)
