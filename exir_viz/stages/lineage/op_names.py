"""The name of an op without dialect and variant: "add" for aten.add.Tensor, add.out and edge's add."""

from __future__ import annotations

from torch import fx

from exir_viz.torch_internals.operators import schema_of

_QUANTIZE = ("quantize_per_", "dequantize_per_", "choose_qparams", "quantize_affine", "dequantize_affine")


def base(node: fx.Node) -> str:
    """The op's own name; for a node that calls nothing, its kind."""
    if node.op != "call_function":
        return node.op
    name = full(node)
    return name.split("::")[-1].split(".")[0]


def full(node: fx.Node) -> str:
    """The name of a call's target with its namespace: "aten::add.Tensor", "getitem"."""
    schema = schema_of(node.target)
    if schema is not None:
        overload = f".{schema.overload_name}" if schema.overload_name else ""
        return f"{schema.name}{overload}"
    return str(getattr(node.target, "__name__", node.target))


def converts(node: fx.Node) -> bool:
    """Whether a node quantizes, dequantizes, or computes the scale and zero point for that."""
    return base(node).startswith(_QUANTIZE)
