"""The guards that torch.export kept in addition to the ranges of symbols, as Python text over the inputs.

Why: a program's own module checks them before it runs; so does a profile, whose errors name the input.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from .features import Feature

if TYPE_CHECKING:
    from torch.export import ExportedProgram

FEATURE: Final = Feature(
    name="program_guards",
    purpose="Show the guards of a program, and check inputs against them",
    without="Guards are not shown, and inputs are not checked against them.",
    attributes=("torch.export.ExportedProgram._guards_code",),
)


def guards_of(program: ExportedProgram) -> tuple[str, ...]:
    """The guards of a program."""
    return tuple(FEATURE.attribute(program, "_guards_code", ()))
