"""Raw bytes of a small constant → its elements as text, row by row, as Python prints them. Knows no torch."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from math import ldexp, nan, prod
from typing import Final, Literal, NamedTuple

from exir_viz.snapshot.records import TensorValue

Element = bool | int | float | complex

_FORMATS: Final = {
    "bool": "?", "uint8": "B", "int8": "b", "uint16": "H", "int16": "h", "uint32": "I", "int32": "i",
    "uint64": "Q", "int64": "q", "float16": "e", "float32": "f", "float64": "d",
    "complex32": "ee", "complex64": "ff", "complex128": "dd",
}  # fmt: skip


class Strided(NamedTuple):
    """How a tensor lies in a storage; strides and offset count elements."""

    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    offset: int

    @property
    def size(self) -> int:
        """Elements of the tensor."""
        return prod(self.shape)

    @property
    def reach(self) -> int:
        """Elements of the storage up to the tensor's last."""
        if 0 in self.shape:
            return 0
        return (
            self.offset
            + sum((size - 1) * step for size, step in zip(self.shape, self.stride, strict=True))
            + 1
        )


def strided(value: TensorValue) -> Strided | None:
    """How a tensor lies; None where that is symbolic."""
    shape = tuple(size for size in value.shape if isinstance(size, int))
    stride = tuple(step for step in value.stride or () if isinstance(step, int))
    if len(shape) != len(value.shape) or len(stride) != len(shape) or not isinstance(value.offset, int):
        return None
    return Strided(value.dtype, shape, stride, value.offset)


def elements(data: bytes, lies: Strided, order: Literal["<", ">"]) -> tuple[str, ...] | None:
    """The elements of the tensor that lies so in `data`; None for an unknown dtype.

    Raises ValueError where the tensor reaches beyond the data.
    """
    read = _reader(lies.dtype, order)
    if read is None:
        return None
    size, decode = read
    found: list[str] = []
    for at in _positions(lies.shape, lies.stride, lies.offset):
        if at < 0 or (at + 1) * size > len(data):
            raise ValueError(f"element {at} lies beyond its {len(data):,} bytes")
        found.append(repr(decode(data[at * size : (at + 1) * size])))
    return tuple(found)


def _positions(shape: tuple[int, ...], stride: tuple[int, ...], offset: int) -> Iterator[int]:
    if not shape:
        yield offset
        return
    for index in range(shape[0]):
        yield from _positions(shape[1:], stride[1:], offset + index * stride[0])


def _reader(dtype: str, order: Literal["<", ">"]) -> tuple[int, Callable[[bytes], Element]] | None:
    """Bytes of one element, and what they say."""
    if dtype in _FORMATS:
        layout = struct.Struct(order + _FORMATS[dtype])
        if dtype.startswith("complex"):
            return layout.size, lambda data: complex(*layout.unpack(data))
        return layout.size, lambda data: layout.unpack(data)[0]
    if dtype == "bfloat16":
        # The upper half of a float32.
        return 2, lambda data: _float32(data + b"\0\0" if order == ">" else b"\0\0" + data, order)
    if dtype in _EIGHTS:
        eight = _EIGHTS[dtype]
        return 1, lambda data: eight(data[0])
    return None


def _float32(data: bytes, order: str) -> float:
    value: float = struct.unpack(f"{order}f", data)[0]
    return value


def _float8(
    exponent_bits: int, bias: int, nans: frozenset[int], infinity: int | None
) -> Callable[[int], float]:
    mantissa_bits = 7 - exponent_bits

    def decode(byte: int) -> float:
        if byte in nans:
            return nan
        sign = -1.0 if byte & 0x80 else 1.0
        if byte & 0x7F == infinity:
            return sign * float("inf")
        exponent = (byte & 0x7F) >> mantissa_bits
        mantissa = byte & ((1 << mantissa_bits) - 1)
        if exponent:
            mantissa += 1 << mantissa_bits
        return sign * ldexp(mantissa, max(exponent, 1) - bias - mantissa_bits)

    return decode


def _power(byte: int) -> float:
    return nan if byte == 0xFF else ldexp(1.0, byte - 127)


_EIGHTS: Final[dict[str, Callable[[int], float]]] = {
    "float8_e4m3fn": _float8(4, 7, frozenset({0x7F, 0xFF}), None),
    "float8_e4m3fnuz": _float8(4, 8, frozenset({0x80}), None),
    "float8_e5m2": _float8(5, 15, frozenset({*range(0x7D, 0x80), *range(0xFD, 0x100)}), 0x7C),
    "float8_e5m2fnuz": _float8(5, 16, frozenset({0x80}), None),
    "float8_e8m0fnu": _power,
}
# What has elements that Python can print: these, of live programs too.
READABLE: Final = frozenset({*_FORMATS, *_EIGHTS, "bfloat16"})
