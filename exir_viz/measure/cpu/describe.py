"""Short text of a live value, as in `snapshot.describe`: "f32[8, 3]", "7", "(f32[2], i64[])"."""

from __future__ import annotations

from typing import Any

import torch

from exir_viz.errors import ExirVizError, as_clause
from exir_viz.snapshot.describe import DTYPES
from exir_viz.snapshot.printable import printable
from exir_viz.snapshot.records import Frame


def first_line(error: BaseException) -> str:
    """The first line of an error's text without its full stop, after the class of an error of others."""
    lines = printable(str(error)).strip().splitlines()
    if not lines:
        return type(error).__name__
    line = as_clause(lines[0][:300])
    return line if isinstance(error, ExirVizError) else f"{type(error).__name__}: {line}"


def short_text(value: Any) -> str:
    """One short line for any value, without a tensor's data."""
    if isinstance(value, torch.Tensor):
        dtype = str(value.dtype).removeprefix("torch.")
        return f"{DTYPES.get(dtype, dtype)}[{', '.join(str(size) for size in value.shape)}]"
    if isinstance(value, list):
        return f"[{', '.join(map(short_text, value))}]"
    if isinstance(value, tuple):
        return f"({', '.join(map(short_text, value))})"
    if isinstance(value, torch.nn.Module):
        return "a graph"
    text = repr(value)
    return text if len(text) <= 60 else f"a {type(value).__name__}"


def frame_lines(frame: Frame) -> list[str]:
    """A line of the user's program in the form of Python's tracebacks."""
    where = f'  at "{printable(frame.file)}", line {frame.line}, in {printable(frame.function)}'
    return [where, f"    {printable(frame.code)}"] if frame.code else [where]
