"""Checksums of live tensors, and which of them are one and the same memory. Nothing is copied or changed."""

from __future__ import annotations

import ctypes
from collections.abc import Hashable, Mapping
from math import inf

import torch
from torch.export import ExportedProgram

from exir_viz.torch_internals.fake_values import storage_id

from .checksums import Allowance, checksum
from .tensor_elements import Strided

_PLAIN = (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)


class Checksums:
    """Checksums of tensors within an allowance; what shares memory is read once."""

    def __init__(self, allowance: Allowance) -> None:
        self.allowance = allowance
        self._seen: dict[Hashable, int | None] = {}

    def __call__(self, tensor: torch.Tensor) -> int | None:
        """The checksum; None if the tensor has no bytes in memory, or the allowance is used up."""
        key = place(tensor)
        if key is None:
            return None
        if key not in self._seen:
            self._seen[key] = _checksum(tensor) if self.allowance.take(_bytes(tensor)) else None
        return self._seen[key]


class LiveState:
    """The state of live programs by method and name, for a comparison: read when it asks."""

    def __init__(self, programs: Mapping[str, ExportedProgram]) -> None:
        self._programs = programs
        self._checksums = Checksums(Allowance(inf))

    def place(self, method: str, name: str) -> Hashable | None:
        """Equal places are the same memory, and so the same values."""
        tensor = self._tensor(method, name)
        return None if tensor is None else place(tensor)

    def checksum(self, method: str, name: str) -> int | None:
        tensor = self._tensor(method, name)
        return None if tensor is None else self._checksums(tensor)

    def _tensor(self, method: str, name: str) -> torch.Tensor | None:
        program = self._programs.get(method)
        if program is None:
            return None
        tensor = program.state_dict.get(name, program.constants.get(name))
        return tensor if isinstance(tensor, torch.Tensor) else None


def place(tensor: torch.Tensor) -> Hashable | None:
    """Where a tensor is in memory; None if it is fake or of another class."""
    if type(tensor) not in _PLAIN or tensor.layout is not torch.strided or tensor.device.type != "cpu":
        return None
    if tensor.is_quantized or tensor.is_conj() or tensor.is_neg():
        return None  # what such a tensor says is not what its storage says
    return storage_id(tensor), _lies(tensor)


def _checksum(tensor: torch.Tensor) -> int | None:
    storage = tensor.untyped_storage()
    size = storage.nbytes()
    data = (ctypes.c_ubyte * size).from_address(storage.data_ptr()) if size else b""
    return checksum(memoryview(data).cast("B"), _lies(tensor), tensor.element_size())


def _lies(tensor: torch.Tensor) -> Strided:
    dtype = str(tensor.dtype).removeprefix("torch.")
    return Strided(dtype, tuple(tensor.shape), tuple(tensor.stride()), int(tensor.storage_offset()))


def _bytes(tensor: torch.Tensor) -> int:
    return tensor.numel() * tensor.element_size()
