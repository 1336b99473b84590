"""The constant methods that ExecuTorch adds to a program with gradients, for training on a device.

They say where gradients and parameters begin among its outputs, and which parameters these are.

Why: ExecuTorch adds them when it writes a program; no program manager lists them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from .features import Feature

if TYPE_CHECKING:
    from torch.export import ExportedProgram

FEATURE: Final = Feature(
    name="training_methods",
    purpose="Show the methods that ExecuTorch adds to a program with gradients",
    without="The methods that ExecuTorch adds to a program with gradients are not shown.",
    uses=("executorch.exir.emit._emit_program._get_training_metadata(methods)",),
)


def training_methods(programs: Mapping[str, ExportedProgram]) -> Mapping[str, Any]:
    """Their values by name; none if no program returns gradients."""
    has_gradients = any(one.graph_signature.backward_signature for one in programs.values())
    if not has_gradients or not FEATURE.is_usable():
        return {}
    from executorch.exir.emit._emit_program import _get_training_metadata

    found: Mapping[str, Any] = _get_training_metadata(dict(programs))
    return found
