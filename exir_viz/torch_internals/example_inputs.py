"""A program's example inputs, taken out and put back.

Why: ExecuTorch's format keeps no example inputs but tensors, and refuses a program that has others. A sweep
in other processes sends them beside the program. The public property cannot be set.
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
    """Give a program other example inputs, (args, kwargs); or none."""
    if FEATURE.attribute(program, "_example_inputs", _ABSENT) is not _ABSENT:
        program._example_inputs = inputs
