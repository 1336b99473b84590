"""The values table of a plan → records: tensors, numbers, lists, and where the memory plan put them.

A tensor's strides follow from its sizes and dim order, as in ExecuTorch's runtime. Where the shape is dynamic
the file holds upper bounds, and strides are not given. Dtypes, layouts and memory formats that were arguments
of an op are plain numbers in a `.pte`, and stay so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from exir_viz.snapshot.arguments import literal_of
from exir_viz.snapshot.describe import item_bytes
from exir_viz.snapshot.emitted_enums import SCALAR_TYPES
from exir_viz.snapshot.records import Arg, Literal, MemorySpec, SequenceArg, TensorValue

from .container import is_constant
from .corrupt import Corrupt
from .limits import MAX_BYTES, MAX_DIMENSIONS
from .schema import (
    Bool,
    BoolList,
    DeviceType,
    Double,
    DoubleList,
    EValue,
    Int,
    IntList,
    KernelTypes,
    Null,
    OptionalTensorList,
    String,
    Tensor,
    TensorList,
    TensorShapeDynamism,
)

_MAX_ITEM_BYTES = 16
_DEVICES = {one.value: one.name.lower() for one in DeviceType}
_DYNAMISM = {one.value: one.name.lower() for one in TensorShapeDynamism}


def check_values(values: Sequence[EValue]) -> tuple[KernelTypes, ...]:
    """The values themselves, each one known to make sense; lists refer to values of their kind only."""
    found: list[KernelTypes] = []
    for number, one in enumerate(values):
        try:
            if one.val is None:
                raise Corrupt("it is empty")
            if isinstance(one.val, Tensor):
                _check_tensor(one.val)
            found.append(one.val)
        except Corrupt as error:
            raise error.within(f".values[{number}]") from None
    for number, value in enumerate(found):
        allowed = {TensorList: (Tensor,), OptionalTensorList: (Tensor, Null), IntList: (Int,)}.get(
            type(value)
        )
        if allowed is not None and isinstance(value, (TensorList, OptionalTensorList, IntList)):
            least = -1 if isinstance(value, OptionalTensorList) else 0
            for item in value.items:
                if not least <= item < len(found) or (item >= 0 and not isinstance(found[item], allowed)):
                    raise Corrupt(f"its items name value {item}, which is not of its kind").within(
                        f".values[{number}]"
                    )
    return tuple(found)


def members(values: Sequence[KernelTypes], number: int) -> tuple[int, ...]:
    """The items of a list value, or the value itself."""
    value = values[number]
    if isinstance(value, (TensorList, OptionalTensorList, IntList)):
        return tuple(item for item in value.items if item >= 0)
    return (number,)


def list_length(value: KernelTypes) -> int:
    """How many items a value has as an argument: none but a list has any."""
    lists = (TensorList, OptionalTensorList, IntList, BoolList, DoubleList)
    return len(value.items) if isinstance(value, lists) else 0


def literal(value: KernelTypes) -> Literal | None:
    """A constant number, text or None; None for what is not constant by its kind."""
    match value:
        case Null():
            return literal_of(None)
        case Int():
            return literal_of(value.int_val)
        case Bool():
            return literal_of(value.bool_val)
        case Double():
            return literal_of(value.double_val)
        case String():
            return literal_of(value.string_val)
        case _:
            return None


def literal_list(value: BoolList | DoubleList) -> Arg:
    """A list whose items are in the list itself."""
    return SequenceArg("list", tuple(map(literal_of, value.items)))


def tensor_value(tensor: Tensor) -> TensorValue:
    """The record of a tensor."""
    order = tuple(tensor.dim_order)
    static = tensor.shape_dynamism == TensorShapeDynamism.STATIC
    return TensorValue(
        dtype=SCALAR_TYPES[tensor.scalar_type],
        shape=tensor.sizes,
        stride=strides(tensor.sizes, order) if static else None,
        offset=tensor.storage_offset,
        device=device_of(tensor),
        requires_grad=tensor.requires_grad,
        dim_order=order,
    )


def memory_spec(tensor: Tensor, lifetime: tuple[int, int] | None) -> MemorySpec:
    """Where the memory plan put a tensor."""
    place = tensor.allocation_info
    return MemorySpec(
        dtype=SCALAR_TYPES[tensor.scalar_type],
        shape=tensor.sizes,
        bytes=tensor_bytes(tensor),
        mem_id=place.memory_id if place else None,
        offset=place.offset if place else None,
        lifetime=lifetime,
        const=is_constant(tensor),
        dim_order=tuple(tensor.dim_order),
        dynamism=_DYNAMISM[tensor.shape_dynamism],
    )


def tensor_bytes(tensor: Tensor) -> int | None:
    """Bytes of a tensor's elements (the most, where its shape is dynamic); None for part of a byte each."""
    size = item_bytes(SCALAR_TYPES[tensor.scalar_type])
    return None if size is None else size * elements(tensor)


def elements(tensor: Tensor) -> int:
    return math.prod(tensor.sizes)


def strides(sizes: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """Dense strides: the last dimension of the dim order lies closest."""
    found = [1] * len(sizes)
    step = 1
    for dim in reversed(order):
        found[dim] = step
        step *= max(sizes[dim], 1)  # torch counts an empty dimension as one
    return tuple(found)


def device_of(tensor: Tensor) -> str:
    extra = tensor.extra_tensor_info
    return "cpu" if extra is None else device_name(extra.device_type, extra.device_index)


def device_name(type: int, index: int) -> str:
    """ "cpu", "cuda:1"."""
    name = _DEVICES.get(type, f"device {type}")
    return name if name == "cpu" and index == 0 else f"{name}:{index}"


def place_text(values: Sequence[KernelTypes], number: int) -> str:
    """Describe a value that no node made: "value 12 (memory 1, offset 256)"."""
    value = values[number]
    if isinstance(value, Tensor):
        place = value.allocation_info
        where = f"memory {place.memory_id}, offset {place.offset}" if place else "placed at run time"
    elif (first := literal(value)) is not None:
        where = f"{type(value).__name__}, {first.text} at first"
    else:
        where = type(value).__name__
    return f"value {number} ({where})"


def _check_tensor(tensor: Tensor) -> None:
    rank = len(tensor.sizes)
    if tensor.scalar_type not in SCALAR_TYPES:
        raise Corrupt(f"its scalar type is {tensor.scalar_type}, which is unknown")
    if tensor.shape_dynamism not in _DYNAMISM:
        raise Corrupt(f"its shape dynamism is {tensor.shape_dynamism}, which is unknown")
    if rank > MAX_DIMENSIONS:
        raise Corrupt(f"it has {rank} dimensions, the runtime's limit is {MAX_DIMENSIONS}")
    if min(tensor.sizes, default=0) < 0:
        raise Corrupt(f"one of its sizes is {min(tensor.sizes)}")
    if math.prod(max(size, 1) for size in tensor.sizes) * _MAX_ITEM_BYTES > MAX_BYTES:
        raise Corrupt(f"its sizes {tensor.sizes} are of more elements than any memory holds")
    if tensor.allocation_info is not None and tensor.allocation_info.offset > MAX_BYTES:
        raise Corrupt(f"it lies {tensor.allocation_info.offset:,} bytes into its arena")
    if sorted(tensor.dim_order) != list(range(rank)):
        raise Corrupt(f"its dim order {tuple(tensor.dim_order)} is not one of {rank} dimensions")
