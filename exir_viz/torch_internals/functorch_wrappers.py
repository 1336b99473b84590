"""The whole batch behind a tensor of which vmap shows a slice.

Why: inside vmap, and inside a loop that torch batches, an op sees a wrapper. The memory belongs to the
wrapped tensor.
"""

from __future__ import annotations

from typing import Final

import torch

from .features import Feature

FEATURE: Final = Feature(
    name="functorch_wrappers",
    purpose="Count the memory of a whole batch within vmap",
    without="Within vmap, memory is counted for one slice and not for the whole batch.",
    uses=("torch._C._functorch.is_functorch_wrapped_tensor", "torch._C._functorch.get_unwrapped"),
)


def unwrapped(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor itself, or the one that functorch wraps."""
    if not FEATURE.is_usable():
        return tensor
    while torch._C._functorch.is_functorch_wrapped_tensor(tensor):
        tensor = torch._C._functorch.get_unwrapped(tensor)
    return tensor
