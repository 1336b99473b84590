"""Ops that a sweep's processes must import: this module registers them. One of them ends its process."""

from __future__ import annotations

import os

import torch

LIBRARY = torch.library.Library("sweeping", "DEF")
for name in ("same", "die"):
    LIBRARY.define(f"{name}(Tensor x) -> Tensor")
    torch.library.register_fake(f"sweeping::{name}", torch.empty_like, lib=LIBRARY)
LIBRARY.impl("same", torch.clone, "CPU")
LIBRARY.impl("die", lambda x: os._exit(9), "CPU")


@torch.library.custom_op("sweeping::decorated", mutates_args=())
def decorated(x: torch.Tensor) -> torch.Tensor:
    """An op of the kind that has no library of its own."""
    return x + 1


@decorated.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)
