"""The version of ATen's operators, which torch writes into every file.

Why: a capture of a live program keeps the same fact as a saved file.
"""

from __future__ import annotations

from typing import Final

from .features import Feature

FEATURE: Final = Feature(
    name="opset_version",
    purpose="Show the version of ATen's operators",
    without="The version of ATen's operators is not shown.",
    uses=("torch._C._get_max_operator_version",),
)


def opset_version() -> dict[str, int]:
    """The versions by namespace, as in a file; {} if torch does not expose them."""
    if not FEATURE.is_usable():
        return {}
    import torch

    return {"aten": torch._C._get_max_operator_version()}
