"""Programs of edge ops as ExecuTorch writes them: live, and as the file that it makes."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from torch.export import ExportedProgram

import exir_viz
from exir_viz.snapshot import Snapshot


def live_and_file(program: ExportedProgram, file: Path, config: Any = None) -> tuple[Snapshot, Snapshot]:
    """Lowered with a configuration of ExecuTorch's, or its own."""
    from executorch.exir import to_edge

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        manager = to_edge(program).to_executorch(config)
    file.write_bytes(manager.buffer)
    return exir_viz.load(manager), exir_viz.load(file)
