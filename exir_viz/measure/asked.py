"""What a user asks of a measurement, held before it begins: inputs are arguments, options whole numbers."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import torch

from exir_viz.errors import MeasureError

# For each core; more wait for one another and tell nothing, and far more cannot be started.
_MOST_THREADS = 64


def arguments(inputs: Any) -> tuple[Any, ...] | None:
    """The positional arguments of a call, from a tensor or a sequence of them; None of none."""
    if inputs is None:
        return None
    if isinstance(inputs, torch.Tensor):
        return (inputs,)
    if isinstance(inputs, Sequence) and not isinstance(inputs, str | bytes):
        return tuple(inputs)
    raise MeasureError(
        f"inputs is a {type(inputs).__name__}, and it must be a tensor or a tuple of arguments: inputs=(x, "
        "…). Arguments with names are kwargs={…}."
    )


def count(name: str, value: object) -> int:
    """An option that says how many, at least 1."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise MeasureError(f"{name} is {value!r}, and it must be a whole number.")
    if value < 1:
        raise MeasureError(f"{name} is {value}, and it must be at least 1.")
    most = _MOST_THREADS * (os.cpu_count() or 1)
    if name == "threads" and value > most:
        raise MeasureError(f"threads is {value}, and it must be at most {most} on this machine.")
    return value
