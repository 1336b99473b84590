"""Operators that torch runs on a CPU, and for which its FLOP counter has no rule.

Why: `scaled_dot_product_attention` has no FLOPs of its own: they are those of the kernel that it calls, which
is another one on each device.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import torch

from .features import Feature

FEATURE: Final = Feature(
    name="cpu_kernels",
    purpose="Count the FLOPs of attention and of integer matrix products",
    without="Attention and integer matrix products have no FLOPs.",
    uses=("torch.ops.aten._scaled_dot_product_flash_attention_for_cpu", "torch.ops.aten._int_mm"),
)


class CpuKernels(NamedTuple):
    """The operators, as torch's FLOP counter takes them."""

    attention: Any
    int_mm: Any


def cpu_kernels() -> CpuKernels | None:
    """The operators; None, and a notice, if torch has others."""
    if not FEATURE.is_usable():
        return None
    aten = torch.ops.aten
    return CpuKernels(aten._scaled_dot_product_flash_attention_for_cpu, aten._int_mm)
