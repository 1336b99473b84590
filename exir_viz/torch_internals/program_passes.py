"""Run a pass over an ExportedProgram, so that its signature is updated and its verifiers check the result.

Why: torch has no public way. torch and ExecuTorch themselves use this one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from .features import Feature

if TYPE_CHECKING:
    from torch.export import ExportedProgram

FEATURE: Final = Feature(
    name="program_passes",
    purpose="Run your own passes over an ATen program",
    without="Passes over ATen programs cannot be run.",
    uses=(
        "torch.export.ExportedProgram._transform_do_not_use(self, pass)",
        "torch.fx.passes.infra.pass_manager.pass_result_wrapper(fn)",
    ),
)


def with_pass(program: ExportedProgram, one: Any) -> ExportedProgram:
    """The program after a pass; raises UnsupportedTorch if torch cannot run one."""
    FEATURE.required()
    from torch.fx.passes.infra.pass_manager import pass_result_wrapper

    return program._transform_do_not_use(pass_result_wrapper(one))
