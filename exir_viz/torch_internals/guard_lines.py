"""Which line of the user's code made torch require something of a size.

Why: a program says that a size must be 5 or more than 3, and not which line asked. The shape environment
keeps the place of each guard, and only there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from .features import Feature

if TYPE_CHECKING:
    from torch.export import ExportedProgram

FEATURE: Final = Feature(
    name="guard_lines",
    purpose="Show which line of the user's code fixed a size, or limited it",
    without="Conditions on sizes are shown without the line that caused them.",
    uses=("torch._guards.SLoc(framework_loc, maybe_user_loc)",),
    attributes=("torch.fx.experimental.symbolic_shapes.ShapeEnv.guards",),
)


def guard_lines(program: ExportedProgram) -> Iterator[tuple[str, int, str]]:
    """The conditions on sizes of a program: the file and line that asked, and the condition."""
    environment = shape_environment(program)
    if environment is None or not FEATURE.is_usable():
        return
    for guard in FEATURE.attribute(environment, "guards", ()):
        place = getattr(guard, "sloc", None)
        found = getattr(place, "framework_loc", None) or getattr(place, "maybe_user_loc", None)
        file, line = getattr(found, "filename", ""), getattr(found, "lineno", None)
        if file and isinstance(line, int):
            yield file, line, str(guard.expr)


def shape_environment(program: ExportedProgram) -> Any:
    """The shape environment of the program's fake tensors."""
    for node in program.graph.nodes:
        mode = getattr(node.meta.get("val"), "fake_mode", None)
        if mode is not None:
            return mode.shape_env
    return None
