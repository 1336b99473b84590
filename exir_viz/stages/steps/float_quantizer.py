"""XNNPACK's quantizer for programs with integers, such as ids of tokens. A session's code has this source.

Imports torch and ExecuTorch: only a quantize step imports it.
"""

from __future__ import annotations

import inspect

from executorch.backends.xnnpack.quantizer.xnnpack_quantizer import XNNPACKQuantizer
from torch import fx


def is_integer(node: fx.Node) -> bool:
    """Whether the value of a node is a tensor of integers or booleans."""
    dtype = getattr(node.meta.get("val"), "dtype", None)
    return dtype is not None and not dtype.is_floating_point


class FloatQuantizer(XNNPACKQuantizer):  # type: ignore[misc]  # executorch ships no types
    """Fixes two errors of XNNPACK's quantizer: it makes numbers beside integer tensors floats, and observes
    integers.
    """

    def transform_for_annotation(self, model: fx.GraphModule) -> fx.GraphModule:
        before = set(model.graph.nodes)
        transformed: fx.GraphModule = super().transform_for_annotation(model)
        for constant in set(transformed.graph.nodes) - before:  # it was a number
            for user in constant.users:
                if is_integer(user):
                    dtype, name = user.meta["val"].dtype, str(constant.target)
                    transformed.register_buffer(name, transformed.get_buffer(name).to(dtype))
                    constant.meta["val"] = constant.meta["val"].to(dtype)
        return transformed

    def annotate(self, model: fx.GraphModule) -> fx.GraphModule:
        annotated: fx.GraphModule = super().annotate(model)
        for node in annotated.graph.nodes:
            annotation = node.meta.get("quantization_annotation")
            if annotation is None:
                continue
            values = [*annotation.input_qspec_map, *([node] if annotation.output_qspec is not None else [])]
            if any(map(is_integer, values)):
                del node.meta["quantization_annotation"]
        return annotated


def source() -> list[str]:
    """The class and its function as lines of code; they need `fx` and `XNNPACKQuantizer`."""
    text = f"{inspect.getsource(is_integer)}\n\n{inspect.getsource(FloatQuantizer)}"
    return text.replace("  # type: ignore[misc]  # executorch ships no types", "").splitlines()
