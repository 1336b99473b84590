"""Programs of the corpus as ExecuTorch lowers them: to edge, once in a process; on XNNPACK, kept as files."""

from __future__ import annotations

import functools
import os
from pathlib import Path
from typing import Any

import torch

from exir_viz.stages.session import Session

from .concepts import CONCEPTS
from .folder import FOLDER, discard_outdated
from .programs import exported, fresh


@functools.cache
def edge(name: str) -> Any:
    """An EdgeProgramManager, which no test may change."""
    from executorch.exir import to_edge

    # A concept of its own: one with unbacked symbols lowers only once, and other tests lower it too.
    return to_edge(fresh(name) if name in CONCEPTS else exported(name))


@torch.no_grad()
def delegated(name: str) -> Path:
    """The Snapshot of a program on XNNPACK, lowered when it is not there yet: minutes for a large one."""
    discard_outdated()
    file = FOLDER / f"{name}.xnnpack.exirviz"
    if not file.exists():
        part = file.with_suffix(f".{os.getpid()}.part.exirviz")
        Session(exported(name)).root.edge().backend("xnnpack").snapshot.save(part)
        part.replace(file)
    return file
