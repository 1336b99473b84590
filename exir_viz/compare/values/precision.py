"""The precision of a value: the coarsest floating dtype in its computation, and the scale of its integers.

Inputs, parameters and buffers are equal on both sides and round nothing. Quantized integers are numbers by
the scale and the zero point of the graph itself: from the op that quantized them, or one that dequantizes
them; one scale for the whole tensor. With a scale per channel, or one computed at run time, there is none
here: the op that dequantizes has the numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from exir_viz.snapshot import Node
from exir_viz.snapshot.columns import OPS
from exir_viz.snapshot.index import COMPUTES
from exir_viz.snapshot.numbering import Numbering
from exir_viz.snapshot.records import SequenceValue, TensorValue, Value

from .origins import Flow

# By dtype: the distance from 1 to the next number.
# Eight-bit integers in place of floats count as a dtype: one step as a share of the largest magnitude.
QUANTIZED = "quantized"
EPSILON = {
    QUANTIZED: 1 / 127,  # of a range around 0; a range with another zero point has up to 255 steps
    "float64": 2.0**-52,
    "complex128": 2.0**-52,
    "float32": 2.0**-23,
    "complex64": 2.0**-23,
    "float16": 2.0**-10,
    "complex32": 2.0**-10,
    "bfloat16": 2.0**-7,
    "float8_e4m3fn": 2.0**-3,
    "float8_e4m3fnuz": 2.0**-3,
    "float8_e5m2": 2.0**-2,
    "float8_e5m2fnuz": 2.0**-2,
    "float8_e8m0fnu": 1.0,
}
# A value and its counterpart are each rounded, up or down.
_ROUNDINGS = 2


def least_rtol(dtype: str) -> float:
    """The relative difference that rounding in a dtype allows between two computations; 0 for no float."""
    return _ROUNDINGS * EPSILON.get(dtype, 0.0)


def coarser(one: str, other: str) -> str:
    """The coarser of two dtypes; "" rounds nothing."""
    return other if EPSILON.get(other, 0.0) > EPSILON.get(one, 0.0) else one


def shared_precision(one: str, other: str) -> str:
    """The dtype that sets the tolerance for two values: the coarser, but `QUANTIZED` only if both are."""
    if QUANTIZED in (one, other) and one != other:
        return one if other == QUANTIZED else other
    return coarser(one, other)


def with_quantized(numbering: Numbering) -> list[str]:
    """The same as `coarsest`, with `QUANTIZED` for values that were computed through quantized ones.

    A backend rounds these as it likes, so a difference of a step or two is no divergence.
    """
    found = coarsest(numbering)
    for number in quantized(numbering):
        found[number] = QUANTIZED
    return found


def coarsest(numbering: Numbering) -> list[str]:
    """By node number: the coarsest floating dtype that its value was computed through; "" for none."""
    flow = Flow(numbering)
    found = [""] * len(flow)
    for number in flow.order():
        dtype = _own(numbering, number) if number not in flow.given else ""
        for source in flow.sources(number):
            dtype = coarser(dtype, found[source])
        found[number] = dtype
    return found[: len(numbering)]


def quantized(numbering: Numbering) -> Iterator[int]:
    """The nodes whose value was computed through a quantized value."""
    flow = Flow(numbering)
    found = [False] * len(flow)
    for number in flow.order():
        node = numbering.node(number) if number not in flow.given else None
        is_own = node is not None and node.target.name.startswith("quantize_per")
        found[number] = is_own or any(found[source] for source in flow.sources(number))
        if found[number] and node is not None:
            yield number


def _own(numbering: Numbering, number: int) -> str:
    """The coarsest dtype of a call's output."""
    node = numbering.node(number)
    dtype = ""
    if OPS.index(node.op) in COMPUTES:
        for one in _dtypes(node.value):
            dtype = coarser(dtype, one)
    return dtype


def _dtypes(value: Value | None) -> Iterator[str]:
    if isinstance(value, TensorValue):
        yield value.dtype
    elif isinstance(value, SequenceValue):
        for item in value.items:
            yield from _dtypes(item)


_FLOATS = ("float", "bfloat", "complex")


class Scale(NamedTuple):
    """The number of an integer n: (n - zero_point) × scale."""

    scale: float
    zero_point: int


def scale_of(node: Node) -> Scale | None:
    """The scale of a node's integers, if the graph has one."""
    for op in (node, *node.users):
        is_maker = op == node
        if op.target.name == ("quantize_per_tensor" if is_maker else "dequantize_per_tensor"):
            whose, scale, zero_point = op.args[:3]
            if (is_maker or whose == node) and isinstance(scale, float) and isinstance(zero_point, int):
                return Scale(scale, zero_point)
    return None


def dequantized(node: Node) -> Node | None:
    """The node that dequantizes a node's integers."""
    found = (user for user in node.users if user.target.name.startswith("dequantize"))
    return next((user for user in found if user.inputs[0] == node), None)


def are_integers(value: Value | None) -> bool:
    """Whether it is a tensor of integers or booleans."""
    return isinstance(value, TensorValue) and not value.dtype.startswith(_FLOATS)
