"""Fake tensors: the values of a program's nodes, which have a shape and no elements.

Why: no public module of torch contains their class, their mode, or whether a mode is active.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import torch

from .features import Feature

FEATURE: Final = Feature(
    name="fake_tensors",
    purpose="Distinguish fake tensors from real ones",
    without="Fake tensors are not distinguished from real ones.",
    uses=(
        "torch._subclasses.FakeTensor",
        "torch._guards.detect_fake_mode(inputs)",
        "torch._C._get_dispatch_mode",
        "torch._C._TorchDispatchModeKey.FAKE",
    ),
)


class _Nothing(torch.Tensor):
    """Replaces the class of fake tensors if torch has no class of that name: no tensor is an instance."""


def fake_tensor_class() -> type[torch.Tensor]:
    """The class of fake tensors."""
    if not FEATURE.is_usable():
        return _Nothing
    from torch._subclasses import FakeTensor

    return FakeTensor


def is_fake(value: object) -> bool:
    """Whether it is a fake tensor."""
    return isinstance(value, fake_tensor_class())


def fake_mode_of(values: Iterable[Any]) -> Any:
    """The fake mode of the fake tensors among some values; None without one."""
    if not FEATURE.is_usable():
        return None
    from torch._guards import detect_fake_mode

    return detect_fake_mode(list(values))


def is_in_fake_mode() -> bool:
    """Whether the caller is inside a FakeTensorMode, which computes nothing."""
    if not FEATURE.is_usable():
        return False
    return torch._C._get_dispatch_mode(torch._C._TorchDispatchModeKey.FAKE) is not None
