"""A copy of a program with tables of its own for weights and constants.

Why: ExecuTorch adds constants to the tables of the program that it is given, and a step must not change the
stage that it starts from. A deep copy would do too, but then `from_node` would not lead to the stage's graph.
"""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Final

from .features import Feature

if TYPE_CHECKING:
    from torch.export import ExportedProgram

FEATURE: Final = Feature(
    name="program_state",
    purpose="Keep a stage as it is while ExecuTorch lowers it",
    without="ExecuTorch may add constants to the stage that is lowered.",
    attributes=("torch.export.ExportedProgram._state_dict", "torch.export.ExportedProgram._constants"),
)


def with_own_tables(program: ExportedProgram) -> ExportedProgram:
    """The program with tables of its own; graph and tensors are the same objects."""
    twin = copy.copy(program)
    for name, table in (("_state_dict", program.state_dict), ("_constants", program.constants)):
        if FEATURE.attribute(twin, name) is not None:
            setattr(twin, name, dict(table))
    return twin
