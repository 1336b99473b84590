"""Copy the values that a run writes to; values that share memory still share it after the copy.

Two buffers may be views of one tensor, and two inputs the same or overlapping slices; a write to one is
visible in the other. So memory is copied, not tensors, and only the part that they cover.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch

from exir_viz.torch_internals.fake_values import storage_id

# Alignment, in bytes, for elements of any dtype.
_ALIGNED = 16


def copies(values: Sequence[Any], written: Iterable[int]) -> dict[int, torch.Tensor]:
    """By position: copies of the values that are written, and of those that share memory with them."""
    groups: dict[int, list[int]] = {}
    for at, value in enumerate(values):
        if isinstance(value, torch.Tensor):
            groups.setdefault(_memory(value), []).append(at)
    touched = {_memory(values[at]) for at in written if isinstance(values[at], torch.Tensor)}
    return {at: copied for key in touched for at, copied in _copied(values, groups[key]).items()}


def _memory(value: torch.Tensor) -> int:
    """A key that is equal for tensors on the same memory."""
    return storage_id(value) if _is_plain(value) else id(value)


def _is_plain(value: torch.Tensor) -> bool:
    """Whether it is a plain strided tensor, whose memory is known."""
    kinds = (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)
    is_view = value.layout is torch.strided and not value.is_quantized
    return type(value) in kinds and is_view and not value.is_conj() and not value.is_neg()


def _copied(values: Sequence[Any], places: Sequence[int]) -> dict[int, torch.Tensor]:
    """Copies of tensors that share memory, on one copy of the part that they cover."""
    first = values[places[0]]
    if not _is_plain(first):
        return dict.fromkeys(places, first.detach().clone())
    spans = [_span(values[at]) for at in places]
    low = min(low for low, _ in spans) // _ALIGNED * _ALIGNED
    whole = torch.empty(0, dtype=torch.uint8, device="cpu").set_(first.untyped_storage())
    memory = whole[low : max(high for _, high in spans)].clone().untyped_storage()
    return {
        at: torch.empty(0, dtype=values[at].dtype, device="cpu").set_(
            memory, (start - low) // values[at].element_size(), values[at].shape, values[at].stride()
        )
        for at, (start, _) in zip(places, spans, strict=True)
    }


def _span(value: torch.Tensor) -> tuple[int, int]:
    """The bytes of its storage that a tensor covers: the first, and the one after the last."""
    begin = int(value.storage_offset())
    pairs = zip(value.shape, value.stride(), strict=True)
    count = 1 + sum((size - 1) * stride for size, stride in pairs) if value.numel() else 0
    return begin * value.element_size(), (begin + count) * value.element_size()
