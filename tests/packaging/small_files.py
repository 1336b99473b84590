"""Write tests/packaging/files: two small programs and a `.pte`, for what is installed without torch.

    python -m tests.packaging.small_files

The files are committed, so that the base install is tested where torch is not.
"""

from __future__ import annotations

import linecache
from pathlib import Path
from typing import Any

import torch
from executorch.exir import to_edge
from torch.export import ExportedProgram, export, save

FILES = Path(__file__).parent / "files"
# The lines that stack traces name, under a name that is the same on every machine.
NAME = "model.py"
SOURCE = """\
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())

    def forward(self, x):
        return self.layers(x) + 1
"""


def exported() -> ExportedProgram:
    """The program, its traces cut to the model's own lines."""
    torch.manual_seed(0)
    linecache.cache[NAME] = (len(SOURCE), None, SOURCE.splitlines(keepends=True), NAME)
    names: dict[str, Any] = {"__name__": "model"}
    exec(compile(SOURCE, NAME, "exec"), names)
    program = export(names["Model"](), (torch.ones(2, 4),))
    for node in program.graph.nodes:
        trace = node.meta.get("stack_trace")
        if trace is not None:
            node.meta["stack_trace"] = _own(trace)
    return program


def _own(trace: str) -> str:
    lines = trace.splitlines(keepends=True)
    starts = [at for at, line in enumerate(lines) if line.lstrip().startswith("File ")]
    frames = [lines[at:end] for at, end in zip(starts, [*starts[1:], len(lines)], strict=True)]
    return "".join(line for frame in frames if f'"{NAME}"' in frame[0] for line in frame)


def main() -> None:
    FILES.mkdir(exist_ok=True)
    program = exported()
    save(program, FILES / "small.pt2")
    save(program.run_decompositions(), FILES / "small.core.pt2")
    (FILES / "small.pte").write_bytes(to_edge(exported()).to_executorch().buffer)


if __name__ == "__main__":
    main()
