"""Remove a program's example inputs, and set them again.

Why: ExecuTorch's format keeps only tensors as example inputs, and refuses a program with others. A sweep in
other processes sends them separately. The public property cannot be set.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any, Final

from .features import Feature

if TYPE_CHECKING:
    from torch.export import ExportedProgram

_ABSENT: Final = object()

FEATURE: Final = Feature(
    name="example_inputs",
    purpose="Send an edge program with its example inputs to another process",
    without="A sweep in other processes measures edge programs with synthesized inputs.",
    attributes=("torch.export.ExportedProgram._example_inputs",),
)


def without_example_inputs(program: ExportedProgram) -> ExportedProgram:
    """A shallow copy of the program that has no example inputs."""
    bare = copy.copy(program)
    set_example_inputs(bare, None)
    return bare


def set_example_inputs(program: ExportedProgram, inputs: Any) -> None:
    """Set a program's example inputs, (args, kwargs), or None."""
    if FEATURE.attribute(program, "_example_inputs", _ABSENT) is not _ABSENT:
        program._example_inputs = inputs
