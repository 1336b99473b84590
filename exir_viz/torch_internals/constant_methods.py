"""The constant methods of a lowered program: values that a `.pte` returns by name.

Why: the list of their names in a program manager is public, their values are private.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .features import Feature

FEATURE: Final = Feature(
    name="constant_methods",
    purpose="Show the constant methods of a lowered program",
    without="Constant methods are not shown.",
    attributes=(
        "executorch.exir.EdgeProgramManager._config_methods",
        "executorch.exir.ExecutorchProgramManager._config_methods",
    ),
)


def constant_methods(manager: Any) -> Mapping[str, Any]:
    """The values by name; none if ExecuTorch does not expose them."""
    if not getattr(manager, "config_methods", None):
        return {}
    found: Mapping[str, Any] = FEATURE.attribute(manager, "_config_methods", {})
    return found
