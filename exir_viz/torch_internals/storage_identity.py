"""Which tensors share memory.

Why: tied weights, and views of one tensor, are counted once. The id of torch's storage object identifies
memory, for tensors without data too.
"""

from __future__ import annotations

from typing import Final

import torch

from .features import Feature

FEATURE: Final = Feature(
    name="storage_identity",
    purpose="Count memory that several tensors share only once",
    without="Memory that several fake tensors share is counted for each of them.",
    uses=("torch.UntypedStorage._cdata",),
)


def storage_id(tensor: torch.Tensor) -> int:
    """A number that is equal for tensors that share memory."""
    storage = tensor.untyped_storage()
    if FEATURE.is_usable():
        return int(storage._cdata)
    try:
        return storage.data_ptr() or id(tensor)
    except RuntimeError:  # a fake tensor has no address
        return id(tensor)
