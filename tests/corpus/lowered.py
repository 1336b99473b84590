"""Programs of the corpus as ExecuTorch lowers them to edge, once in a process."""

from __future__ import annotations

import functools
from typing import Any

from .concepts import CONCEPTS
from .programs import exported, fresh


@functools.cache
def edge(name: str) -> Any:
    """An EdgeProgramManager, which no test may change."""
    from executorch.exir import to_edge

    # A concept of its own: one with unbacked symbols lowers only once, and other tests lower it too.
    return to_edge(fresh(name) if name in CONCEPTS else exported(name))
