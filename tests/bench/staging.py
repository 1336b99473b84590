"""What a session costs beside its steps: each against the direct call of torch or ExecuTorch, in turn.

CPU seconds of this process, all its threads, so that a busy machine counts little. A session's include
capture, lineage, hearing and watching, and the copies that keep the parent as it was.
"""

from __future__ import annotations

import copy
import gc
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge, to_edge_transform_and_lower

from exir_viz.stages.session import Session
from tests.corpus.programs import exported

from .timing import table

SHARE, SECONDS = 0.10, 0.3  # what a session may add to a step
# Lowering llama32 to XNNPACK takes minutes: bert stands for that step.
PROGRAMS = (("llama32", ("Core ATen", "edge", "executorch")), ("bert", ("XNNPACK",)))


def run() -> None:
    head = ["step", "direct", "session", "added", f"allowed ({SHARE:.0%} + {SECONDS} s)"]
    rows = (
        [
            f"{name}, {step}",
            *(f"{one:.2f} s" for one in (direct, ours, ours - direct, SHARE * direct + SECONDS)),
        ]
        for name, steps in PROGRAMS
        for step, direct, ours in overhead(name, steps)
    )
    table("a session's steps (CPU seconds)", head, rows)


def overhead(name: str, steps: Sequence[str]) -> Iterator[tuple[str, float, float]]:
    """Step, CPU seconds of the direct call, and of the session's."""
    _warm()  # the first run of anything here fills caches of torch: neither side is to pay for that
    program = exported(name)
    session = Session(program, name="export")
    managers: list[Any] = []
    direct: dict[str, Callable[[], object]] = {
        "Core ATen": program.run_decompositions,
        "edge": lambda: managers.append(to_edge(program)),
        "executorch": lambda: managers.pop().to_executorch(),
        "XNNPACK": lambda: to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()]),
    }
    ours: dict[str, Callable[[], object]] = {
        "Core ATen": session.root.decompose,
        "edge": session.root.edge,
        "executorch": session.executorch,
        "XNNPACK": session.root.backend,
    }
    with torch.no_grad():
        for step in steps:
            yield step, _cpu(direct[step]), _cpu(ours[step])


def _warm() -> None:
    small = torch.export.export(torch.nn.Linear(2, 2), (torch.ones(1, 2),))
    to_edge(copy.deepcopy(small)).to_executorch()
    to_edge_transform_and_lower(copy.deepcopy(small), partitioner=[XnnpackPartitioner()])
    session = Session(small)
    session.root.edge().executorch()
    session.root.backend()


def _cpu(run: Callable[[], object]) -> float:
    gc.collect()
    before = time.process_time()
    run()
    return time.process_time() - before
