"""The scales and zero points of quantize and dequantize ops, from their arguments and the state they read."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from exir_viz.snapshot import Node
from exir_viz.snapshot.format import plural
from exir_viz.snapshot.payload import Quantization
from exir_viz.snapshot.records import Record, TensorValue

# By method and name of a state entry: its first elements, and how many there are; None where not known.
StateReader = Callable[[str, str], tuple[tuple[float, ...], int] | None]

_SCHEMES = {
    "per_tensor": "per tensor",
    "per_channel": "per channel",
    "per_token": "per token",
    "per_channel_group": "per block",
    "affine": "per block",
}


class TensorQuantization(Record, frozen=True):
    """How a tensor of an op is quantized: its dtype ("int8"), its range, and its numbers."""

    dtype: str
    numbers: Quantization
    low: int | None = None
    high: int | None = None


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


def is_quantize(node: Node) -> bool:
    """Whether an op makes integers of floats."""
    return node.target.name.startswith("quantize_")


def is_dequantize(node: Node) -> bool:
    """Whether an op makes floats of integers."""
    return node.target.name.startswith("dequantize_")


def is_dynamic(node: Node) -> bool:
    """Whether a quantize or dequantize op has scales that are computed at run time."""
    return any(_is_computed(argument) for argument in node.args[1:3])


def numbers_of(node: Node, state: StateReader) -> TensorQuantization:
    """How the integers of a quantize or dequantize op represent numbers."""
    kind = node.target.name.removeprefix("de").removeprefix("quantize_")
    integers = node if is_quantize(node) else node.inputs[0]
    value = integers.value
    dtype = value.dtype if isinstance(value, TensorValue) else "unknown"
    args = node.args
    plain = [one for one in args if isinstance(one, int) and not isinstance(one, bool)]
    scheme = _SCHEMES.get(kind, kind.replace("_", " "))
    scales: tuple[float, ...] = ()
    zeros: tuple[float, ...] = ()
    axis: int | None = None
    block: int | None = None
    count = 0
    match kind, args:
        case "per_tensor", (_, float() as scale, int() as zero, *_):
            scales, zeros, count, plain = (scale,), (zero,), 1, plain[1:]
        case "per_channel", (_, Node() as scale, Node() as zero, int() as dimension, *_):
            axis = dimension
            (scales, count), (zeros, _), plain = _read(scale, state), _read(zero, state), plain[1:]
        case "per_channel_group", (_, Node() as scale, Node() as zero, *_):
            (scales, count), (zeros, _) = _read(scale, state), _read(zero, state)
            block = plain[2] if len(plain) > 2 else None
        case "affine", (_, Sequence() as sizes, Node() as scale, *_):
            scales, count = _read(scale, state)
            block = max((one for one in sizes if isinstance(one, int)), default=None)
    if is_dynamic(node):
        scheme, scales, zeros, count = f"dynamic {scheme}", (), (), 0
    low, high = (plain[0], plain[1]) if len(plain) >= 2 and kind != "affine" else (None, None)
    if low is not None and high is not None and high - low < 16:
        dtype = f"int4 in {dtype}"
    numbers = Quantization(scheme, scales, tuple(map(int, zeros)), count, axis, block)
    return TensorQuantization(dtype, numbers, low, high)


def _is_computed(argument: object) -> bool:
    """Whether an argument comes from an op, such as choose_qparams, and not from state."""
    while isinstance(argument, Node) and argument.op == "call_function":
        if argument.target.name.startswith("choose_qparams"):
            return True
        argument = argument.inputs[0] if argument.inputs else None
    return False


def _read(node: Node, state: StateReader) -> tuple[tuple[float, ...], int]:
    """The first elements of state, and how many it has."""
    signature = node.graph.signature
    name = (
        next((one.target for one in signature.inputs if one.arg.name == node.name), None)
        if signature
        else None
    )
    graph = node.graph
    while graph.parent is not None:
        graph = graph.parent
    found = None if name is None else state(graph.name, name)
    if found is not None:
        return found
    value = node.value
    sizes = value.shape if isinstance(value, TensorValue) else ()
    count = 1
    for size in sizes:
        count *= size if isinstance(size, int) else 1
    return (), count
