"""Separate tables for the weights and constants of a program.

Why: the copy of a delegate shares these tables with the original, and ExecuTorch adds and removes entries. A
step must not change the stage that it starts from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .features import Feature

if TYPE_CHECKING:
    from torch.export import ExportedProgram

FEATURE: Final = Feature(
    name="program_state",
    purpose="Keep the delegates of a stage as they are while a step runs",
    without="ExecuTorch may change the constants of a delegate in the stage that it starts from.",
    attributes=("torch.export.ExportedProgram._state_dict", "torch.export.ExportedProgram._constants"),
)


def own_tables(program: ExportedProgram) -> None:
    """Copy a program's tables; the tensors in them stay the same objects."""
    for name, table in (("_state_dict", program.state_dict), ("_constants", program.constants)):
        if FEATURE.attribute(program, name) is not None:
            setattr(program, name, dict(table))
