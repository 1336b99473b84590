"""The example values that torch keeps behind symbolic sizes.

Why: a symbol's hint, "s77 was 4 when this was exported", is in the shape environment alone. Only this is
read: asking a symbolic size anything else could add a guard to the program.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from .features import Feature

FEATURE: Final = Feature(
    name="shape_environments",
    purpose="Show the example value of each symbol",
    without="Symbols are shown without their example values.",
    attributes=("torch.fx.experimental.symbolic_shapes.ShapeEnv.backed_var_to_val",),
)


def example_values(node: Any) -> Mapping[Any, Any]:
    """The values by symbol, from the `node` of a symbolic number."""
    environment = node.shape_env
    if not environment:
        return {}
    found: Mapping[Any, Any] = FEATURE.attribute(environment, "backed_var_to_val", {})
    return found
