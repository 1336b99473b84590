"""Copies of the values that a run writes to: what shared memory before shares it after.

Two buffers may be views of one tensor, and two inputs the same or overlapping slices; a write to one is seen
in the other, in a run as in torch. So memory is copied, not tensors, and only the part that they look at.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch

from exir_viz.torch_internals.storage_identity import storage_id

# Where a part of memory may begin for elements of any dtype, in bytes.
_ALIGNED = 16


def copies(values: Sequence[Any], written: Iterable[int]) -> dict[int, torch.Tensor]:
    """By position: the values that are written or share memory with one that is, on memory of their own."""
    groups: dict[int, list[int]] = {}
    for at, value in enumerate(values):
        if isinstance(value, torch.Tensor):
            groups.setdefault(_memory(value), []).append(at)
    touched = {_memory(values[at]) for at in written if isinstance(values[at], torch.Tensor)}
    return {at: copied for key in touched for at, copied in _copied(values, groups[key]).items()}


def _memory(value: torch.Tensor) -> int:
    """What is the same for tensors that look at the same memory."""
    return storage_id(value) if _is_plain(value) else id(value)


def _is_plain(value: torch.Tensor) -> bool:
    """Is it elements in memory, and nothing else? Then it can be told where they are."""
    kinds = (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)
    is_view = value.layout is torch.strided and not value.is_quantized
    return type(value) in kinds and is_view and not value.is_conj() and not value.is_neg()


def _copied(values: Sequence[Any], places: Sequence[int]) -> dict[int, torch.Tensor]:
    """Tensors that share memory, on a copy of what they look at."""
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
    """The bytes of its storage that a tensor looks at: the first, and that after the last."""
    begin = int(value.storage_offset())
    pairs = zip(value.shape, value.stride(), strict=True)
    count = 1 + sum((size - 1) * stride for size, stride in pairs) if value.numel() else 0
    return begin * value.element_size(), (begin + count) * value.element_size()
