"""Values: what comparing all matched values of two programs takes, beside running them; what waits.

In ExecuTorch's runtime also what it takes to find a layer that XNNPACK lowers with wrong weights.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from statistics import median

import torch
from torch.export import ExportedProgram, export

import exir_viz
from exir_viz.measure.cpu.program import CpuProgram
from tests.corpus.programs import case, core, exported
from tests.measure.faults import fault

from .timing import mb, table

SIZES = (64, 224)
PROGRAMS = ("bert", "llama32", "resnet50")
RUNS = 3


def run() -> None:
    torch.set_num_threads(1)
    head = ["program", "values compared", "part", "least SNR", "compare, cpu", "run both, cpu"]
    head += ["waits at most", "all values of ATen"]
    table("values: ATen and Core on the same inputs", head, (_row(name) for name in PROGRAMS))
    run_bisection()


def run_bisection() -> None:
    """Find one wrong convolution of resnet50, which is one delegate."""
    torch.set_num_threads(2)
    head = ["input", "ops", "delegates", "compare", "bisect", "parts tried", "region"]
    table("values: resnet50 on XNNPACK with a wrong layer, in ExecuTorch's runtime", head, _bisections())


def _bisections() -> Iterator[list[str]]:
    from exir_viz.stages.session import Session

    model = case("resnet50").model
    for size in SIZES:
        with fault(_wrong), torch.no_grad():
            session = Session(export(model, (torch.randn(1, 3, size, size),)))
            lowered = session.root.backend("xnnpack")
            begun = time.perf_counter()
            values = exir_viz.diff(session.root, lowered).values(executor="executorch")
            compared = time.perf_counter()
            found = values.bisect()
            bisected = time.perf_counter()
        yield [
            f"{size} × {size}",
            f"{sum(node.op == 'call_function' for node in session.root.snapshot.method.graph):,}",
            f"{sum(bool(one.backend) for one in values.devices):,}",
            f"{compared - begun:.1f} s",
            f"{bisected - compared:.1f} s",
            f"{len(found.log):,}",
            ", ".join(node.name for node in found.nodes),
        ]


def _wrong(program: ExportedProgram) -> None:
    """Other weights for the one convolution of its shape."""
    for spec in program.graph_signature.input_specs:
        for held in (program.state_dict, program.constants):
            weight = held.get(spec.target or "")
            if isinstance(weight, torch.Tensor) and tuple(weight.shape) == (512, 1024, 1, 1):
                changed = weight.detach().clone()
                changed.flatten(1)[:, :200] = 0.3
                held[spec.target or ""] = torch.nn.Parameter(changed)


def _row(name: str) -> list[str]:
    a, b = exported(name), core(name)
    diff = exir_viz.diff(a, b)
    values = diff.values()
    noise = [one.numbers.snr for one in values if one.numbers.snr is not None]
    columns = exir_viz.profile(a, repeats=1, warmup=1, progress=lambda _: None).record.columns
    return [
        name,
        f"{len(values):,}",
        f"{len(values.diverged):,}",
        f"{min(noise):.0f} dB" if noise else "equal",
        f"{_cpu(diff.values):.2f} s",
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
