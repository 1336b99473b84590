"""Reading times of a device from an ETDump and its ETRecord, against the Inspector of ExecuTorch's devtools.

The runtime that is installed here records no times, so those in the file are synthesized. All else is as the
runtime writes it.
"""

from __future__ import annotations

import contextlib
import copy
import io
import logging
import tempfile
from collections.abc import Iterator
from pathlib import Path

import torch

from exir_viz.measure.profile import Profile
from exir_viz.measure.runtime.etdump import from_etdump
from exir_viz.stages.session import Session
from exir_viz.types import Snapshot
from tests.measure.etdumps import etdump, instructions

from .timing import in_turn, table

BLOCKS = (1, 50)


class Block(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm = torch.nn.LayerNorm(8)
        self.up, self.down = torch.nn.Linear(8, 32), torch.nn.Linear(32, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.down(torch.nn.functional.gelu(self.up(self.norm(x))))


def run() -> None:
    head = ["blocks", "ops", "exir_viz", "Inspector", "faster by", "ops with a source line (both)"]
    table("read an ETDump with its ETRecord", head, _rows())


def _rows() -> Iterator[list[str]]:
    from executorch.devtools import generate_etrecord

    logging.disable(logging.WARNING)
    for blocks in BLOCKS:
        model = torch.nn.Sequential(*(Block() for _ in range(blocks))).eval()
        edge = Session(model, torch.randn(2, 8)).root.decompose().edge()
        before = copy.deepcopy(edge.live.manager)
        last = edge.executorch()
        called = instructions(last.pte)
        with tempfile.TemporaryDirectory() as folder:
            record, dump = Path(folder) / "model.etrecord", Path(folder) / "run.etdp"
            generate_etrecord(str(record), before, last.live.manager)
            dump.write_bytes(etdump(called))
            yield [str(blocks), f"{len(called):,}", *_reading(edge.snapshot, dump, record)]


def _reading(edge: Snapshot, dump: Path, record: Path) -> list[str]:
    from executorch.devtools import Inspector

    def ours() -> Profile:
        return from_etdump(dump, edge, etrecord=record)

    def theirs() -> Inspector:
        with contextlib.redirect_stdout(io.StringIO()):
            return Inspector(etdump_path=str(dump), etrecord=str(record))

    mine, other = in_turn(ours, theirs)
    events = [event for block in theirs().event_blocks for event in block.events]
    kernels = [event for event in events if event.name.startswith("native_call_")]
    lines = sum(bool(cost.node.frames) for cost in ours() if cost.time)
    their_lines = sum(any(event.stack_traces.values()) for event in kernels)
    return [
        f"{mine.median * 1e3:,.0f} ms",
        f"{other.median * 1e3:,.0f} ms",
        f"{other.median / mine.median:.1f}x",
        f"{lines:,} / {their_lines:,}",
    ]
