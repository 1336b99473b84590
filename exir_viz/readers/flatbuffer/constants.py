"""The constants and buffers of a plan → StateEntry: names, sizes, and the elements of the small ones.

A `.pte` names a tensor only where it must be found by name; the others are called after their number in the
values table. Whether a constant was a parameter or a buffer is not in the file: all are constants here, and a
tensor that keeps its contents from one execution to the next is a buffer.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable

from exir_viz.readers.checksums import Allowance
from exir_viz.readers.kept_data import MAX_ELEMENTS
from exir_viz.readers.tensor_elements import Strided
from exir_viz.readers.tensor_elements import elements as decode_elements
from exir_viz.snapshot.build import Interner
from exir_viz.snapshot.emitted_enums import SCALAR_TYPES
from exir_viz.snapshot.program import StateEntry, StateKind

from .container import Container, has_data, is_constant, is_external
from .schema import Tensor
from .values import elements, strides, tensor_bytes


class StateReader:
    """Reads the state of all methods of one file; equal storage numbers mean the same bytes in it."""

    def __init__(self, container: Container, allowance: Allowance) -> None:
        self._container = container
        self._allowance = allowance
        self._checksums: dict[Hashable, int | None] = {}
        self._storages: Interner[tuple[str, int, int | str]] = Interner()

    def tensor(self, number: int, tensor: Tensor, value: int) -> StateEntry:
        """A constant or a buffer: value `number` of its plan, and `value` of the Snapshot's table."""
        kind = StateKind.CONSTANT if is_constant(tensor) else StateKind.BUFFER
        return StateEntry(
            name=state_name(number, tensor),
            kind=kind,
            value=value,
            bytes=tensor_bytes(tensor),
            # two buffers may begin with the same data, and do not share memory
            storage=self._storages[_storage(tensor)] if kind is StateKind.CONSTANT else None,
            data=self._elements(tensor) if has_data(tensor) else None,
            crc32=self._checksum(tensor) if has_data(tensor) else None,
        )

    def blob(self, name: str, segment: int, value: int) -> StateEntry:
        """Named data: what a backend stores outside its payload."""
        size = self._container.named_bytes(segment)
        storage = self._storages["segment", segment, 0]
        crc32 = self._once(storage, size, lambda: self._container.named_checksum(segment))
        return StateEntry(name, StateKind.CONSTANT, value, size, storage, cls="NamedData", crc32=crc32)

    def _checksum(self, tensor: Tensor) -> int | None:
        size = tensor_bytes(tensor)
        if size is None:
            return None
        key = (_storage(tensor), tensor.allocation_info is None, size)
        return self._once(key, size, lambda: self._container.tensor_checksum(tensor, size))

    def _once(self, key: Hashable, size: int, read: Callable[[], int]) -> int | None:
        """What methods share is read once."""
        if key not in self._checksums:
            self._checksums[key] = read() if self._allowance.take(size) else None
        return self._checksums[key]

    def _elements(self, tensor: Tensor) -> tuple[str, ...] | None:
        """Checks that the data is there; reads it where it is small, row by row whatever the dim order."""
        size = tensor_bytes(tensor)
        if size is None:
            return None
        if elements(tensor) > MAX_ELEMENTS or size == 0:
            self._container.check_data(tensor, size)
            return None if size else ()
        data = self._container.tensor_data(tensor, size)
        stride = strides(tensor.sizes, tuple(tensor.dim_order))
        return decode_elements(data, Strided(SCALAR_TYPES[tensor.scalar_type], tensor.sizes, stride, 0), "<")


def state_name(number: int, tensor: Tensor) -> str:
    """Its name in the file, or one after its number."""
    extra = tensor.extra_tensor_info
    if extra is not None and extra.fully_qualified_name:
        return extra.fully_qualified_name
    return f"constant_{number}" if is_constant(tensor) else f"buffer_{number}"


def _storage(tensor: Tensor) -> tuple[str, int, int | str]:
    extra = tensor.extra_tensor_info
    if is_external(tensor) and extra is not None:
        return ("external", 0, extra.fully_qualified_name)
    return ("constant", 0, tensor.data_buffer_idx)
