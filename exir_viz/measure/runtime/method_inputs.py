"""The inputs of a method of a `.pte`, as described in the file: generate them, or check given ones.

The runtime itself reports a wrong input only by a number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from executorch.exir import schema
from executorch.exir.tensor import scalar_type_table

from exir_viz.errors import MeasureError
from exir_viz.measure.cpu.describe import short_text
from exir_viz.snapshot.format import plural
from exir_viz.torch_internals.files import read_pte

from .single_node import filled

_DTYPES = {number: dtype for dtype, number in scalar_type_table.items()}


def made(data: bytes, method: str) -> list[Any]:
    """Inputs of a method: random floats, integers of 0, in the largest shapes it accepts."""
    return [_made(value) for value in _wanted(data, method)]


def checked(data: bytes, method: str, inputs: Sequence[Any]) -> list[Any]:
    """Given inputs; raises MeasureError for the first that the method does not accept."""
    wanted = _wanted(data, method)
    if len(inputs) != len(wanted):
        listed = ", ".join(map(_description, wanted))
        raise MeasureError(
            f"{method!r} takes {plural(len(wanted), 'input')} ({listed}), and "
            f"{plural(len(inputs), 'was', 'were')} given. A .pte takes them flat, in this "
            "order: the values of a list or a dict one by one.",
            expected=listed, given=", ".join(map(short_text, inputs)),
        )  # fmt: skip
    for at, (value, given) in enumerate(zip(wanted, inputs, strict=True)):
        if not _fits(value, given):
            raise MeasureError(
                f"Input {at} of {method!r} is {short_text(given)}. Expected: {_description(value)}.",
                expected=_description(value), given=short_text(given),
            )  # fmt: skip
    return [*inputs]


def _wanted(data: bytes, method: str) -> list[Any]:
    plans = read_pte(data).program.execution_plan
    plan = next(one for one in plans if one.name == method)
    return [plan.values[number].val for number in plan.inputs]


def _fits(wanted: Any, given: Any) -> bool:
    if not isinstance(wanted, schema.Tensor):
        return not isinstance(given, torch.Tensor | list | tuple | dict)
    if not isinstance(given, torch.Tensor) or len(given.shape) != len(wanted.sizes):
        return False
    is_static = wanted.shape_dynamism == schema.TensorShapeDynamism.STATIC
    is_free = wanted.shape_dynamism == schema.TensorShapeDynamism.DYNAMIC_UNBOUND
    pairs = [*zip(given.shape, wanted.sizes, strict=True)]
    is_size = is_free or all(one == most if is_static else one <= most for one, most in pairs)
    return is_size and given.dtype is _DTYPES.get(wanted.scalar_type, given.dtype)


def _description(wanted: Any) -> str:
    if not isinstance(wanted, schema.Tensor):
        return short_text(_made(wanted))
    is_static = wanted.shape_dynamism == schema.TensorShapeDynamism.STATIC
    dtype = _DTYPES.get(wanted.scalar_type)
    shape = short_text(torch.empty(wanted.sizes, dtype=dtype, device="meta"))
    return shape if is_static else f"at most {shape}"


def _made(value: Any) -> Any:
    if isinstance(value, schema.Tensor):
        return tensor_of(value)
    for name in ("int_val", "double_val", "bool_val", "string_val"):
        if hasattr(value, name):
            return getattr(value, name)
    return None


def tensor_of(tensor: schema.Tensor) -> torch.Tensor:
    """A tensor as described in the file, in its largest shape."""
    dtype = _DTYPES.get(tensor.scalar_type)
    if dtype is None:
        raise MeasureError(f"Cannot generate an input of type {tensor.scalar_type}: pass inputs=(…).")
    strides, step = [0] * len(tensor.sizes), 1
    for dim in reversed(tensor.dim_order):
        strides[dim], step = step, step * max(tensor.sizes[dim], 1)
    return filled(tensor.sizes, strides, dtype)
