"""What the quantization report says of one op, as plain data."""

from __future__ import annotations

from enum import StrEnum

from exir_viz.snapshot.format import plural
from exir_viz.snapshot.payload import Quantization
from exir_viz.snapshot.records import Record


class OpStatus(StrEnum):
    """How an op computes.

    integer: the payload of its backend has it in integers. quantized: its inputs are dequantized and its
    result is quantized, so that a backend can compute it in integers. dynamic: the same, with scales that are
    computed at run time. weights: only its weights are integers. between: it computes in float, between a
    dequantize and a quantize op. float: it computes in float.
    """

    INTEGER = "integer"
    QUANTIZED = "quantized"
    DYNAMIC = "dynamic"
    WEIGHTS = "weights"
    BETWEEN = "between"
    FLOAT = "float"


# How each status is called in texts, in the order of a report.
TITLES = {
    OpStatus.INTEGER: "integer",
    OpStatus.QUANTIZED: "quantized",
    OpStatus.DYNAMIC: "dynamic",
    OpStatus.WEIGHTS: "weights only",
    OpStatus.BETWEEN: "float between integers",
    OpStatus.FLOAT: "float",
}


class TensorQuantization(Record, frozen=True):
    """How a tensor of an op is quantized: its dtype ("int8"), its range, and its numbers."""

    dtype: str
    numbers: Quantization
    low: int | None = None
    high: int | None = None


class OpQuantization(Record, frozen=True):
    """One op of a program.

    Attributes
    ----------
    node
        Its id; for an op of a payload alone, the id of the delegate's call.
    op
        The operator: "aten.linear.default"; of a payload alone its type: "XNNPACK 1: FullyConnected".
    module
        The path of its module.
    status
        How it computes.
    reason
        Why, where it computes in float.
    inputs, weights, output
        How its inputs, weights and result are quantized.
    snr
        Of its result against the float program, in decibels. Needs compared values.
    """

    node: str
    op: str
    module: str
    status: OpStatus
    reason: str = ""
    inputs: tuple[TensorQuantization, ...] = ()
    weights: tuple[TensorQuantization, ...] = ()
    output: TensorQuantization | None = None
    snr: float | None = None


def number_text(value: TensorQuantization | None) -> str:
    """ "int8 per tensor, scale 0.0068, zero point -128"; empty for floats."""
    if value is None:
        return ""
    found = value.numbers
    text = f"{value.dtype} {found.scheme}"
    if found.count > 1:
        text += f", {plural(found.count, 'scale')}"
        if found.scales:
            text += f" from {min(found.scales):.4g} to {max(found.scales):.4g}"
    elif found.scales:
        text += f", scale {found.scales[0]:.4g}"
    if found.zero_points:
        low, high = min(found.zero_points), max(found.zero_points)
        text += f", zero point {low}" if low == high else f", zero points {low} to {high}"
    if found.axis is not None:
        text += f", axis {found.axis}"
    return text + (f", blocks of {found.block}" if found.block is not None else "")
