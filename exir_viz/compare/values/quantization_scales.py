"""Quantized integers as numbers: the scale and the zero point of a value, from the graph itself.

From the op that quantized it, or one that dequantizes it; one scale for the whole tensor. With a scale per
channel, or one computed at run time, there is none here: the op that dequantizes has the numbers.
"""

from __future__ import annotations

from typing import NamedTuple

from exir_viz.snapshot import Node
from exir_viz.snapshot.records import TensorValue, Value

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
