"""Two shortcuts for the patterns that torchao exports whenever a program is quantized.

`prepare_pt2e` and `convert_pt2e` look for convolutions followed by a batch norm. They export each of their
patterns with strict export: 12 for every program, and 96 more where a batch norm is left. The patterns do not
depend on the program. Exporting them took nine tenths of the time of quantizing a small program.

Here each pattern is exported once in a process, and every caller gets a copy that it may change. The 96 are
not exported for a program that calls no convolution of their kind: they would match nothing.
`tests/test_quantizer_patterns.py` checks that equal patterns have equal graphs, and others their own, and
that a program has the same graph with and without the second shortcut.
"""

from __future__ import annotations

import copy
import functools
import sys
from collections.abc import Callable, Hashable, Mapping
from types import BuiltinFunctionType, FunctionType
from typing import Any
from unittest.mock import patch

import torch

_EXPORT = "_get_aten_graph_module_for_pattern"
_FOLD = "_fold_conv_bn_qat_helper"
_REPLACE = "replace_pattern_with_filters"
# Modules that import the function by its name.
_USERS = (
    "torchao.quantization.pt2e.utils",
    "torchao.quantization.pt2e.qat_utils",
    "executorch.backends.xnnpack.quantizer.xnnpack_quantizer_utils",
)


class UnknownPattern(Exception):
    """A pattern that holds something which cannot be compared by its value."""


def export_patterns_once() -> bool:
    """Export each pattern once in this process; False where torchao is missing or does it another way."""
    try:
        import torchao.quantization.pt2e.utils as home
    except ImportError:
        return False
    export = getattr(home, _EXPORT, None)
    if export is None:
        return False
    if export.__name__ != _EXPORT:  # it is the cache
        return True
    cached = cached_export(export)
    for name in _USERS:
        module = sys.modules.get(name)
        if getattr(module, _EXPORT, None) is export:
            setattr(module, _EXPORT, cached)
    return True


def fold_what_is_there() -> bool:
    """Export no pattern of a missing convolution; False where torchao is missing or does it another way."""
    try:
        from torchao.quantization.pt2e import qat_utils as home
    except ImportError:
        return False
    fold = getattr(home, _FOLD, None)
    if fold is None or not hasattr(home, _EXPORT) or not hasattr(home, _REPLACE):
        return False
    if hasattr(fold, "__wrapped__"):  # it is the shortcut
        return True

    @functools.wraps(fold)
    def fold_where_it_matches(
        graph_module: torch.fx.GraphModule, convolution: Any, *args: Any, **kwargs: Any
    ) -> torch.fx.GraphModule:
        if _calls(graph_module, convolution.__name__):
            return fold(graph_module, convolution, *args, **kwargs)
        nothing = {_EXPORT: lambda *_, **__: None, _REPLACE: lambda *_, **__: []}
        with patch.multiple(home, **nothing):
            return fold(graph_module, convolution, *args, **kwargs)

    setattr(home, _FOLD, fold_where_it_matches)
    return True


def _calls(graph_module: torch.fx.GraphModule, operator: str) -> bool:
    """Whether a graph calls an ATen operator of this name, whichever its overload."""
    packet = getattr(torch.ops.aten, operator)
    return any(getattr(node.target, "overloadpacket", None) is packet for node in graph_module.graph.nodes)


def cached_export(export: Callable[..., torch.fx.GraphModule]) -> Callable[..., torch.fx.GraphModule]:
    """The same function, which exports equal patterns once."""
    made: dict[Hashable, torch.fx.GraphModule] = {}

    def export_once(
        pattern: Any, example_inputs: tuple[Any, ...], is_cuda: bool = False, **kwargs: Any
    ) -> torch.fx.GraphModule:
        try:
            key = (_key(pattern), _key(example_inputs), is_cuda, _key(kwargs), torch.is_grad_enabled())
        except UnknownPattern:
            return export(pattern, example_inputs, is_cuda, **kwargs)
        if key not in made:
            made[key] = export(pattern, example_inputs, is_cuda, **kwargs)
        return copy.deepcopy(made[key])

    return export_once


def _key(value: Any) -> Hashable:
    """Equal for patterns and inputs that are exported to the same graph."""
    match value:
        case torch.Tensor():  # patterns are exported for shapes: what is in an example is not read
            return value.shape, value.stride(), value.dtype, value.device
        case torch.nn.Module() if set(vars(value)) - set(vars(torch.nn.Module())) == {"fn"}:
            return type(value), value.training, _key(value.fn)
        case FunctionType():
            cells = tuple(cell.cell_contents for cell in value.__closure__ or ())
            return value.__code__, _key(cells), _key(value.__defaults__)
        case tuple() | list():
            return type(value), tuple(map(_key, value))
        case Mapping():
            return tuple((name, _key(each)) for name, each in value.items())
        case None | bool() | int() | float() | str() | torch.dtype():
            return type(value), value
        case BuiltinFunctionType():  # such as torch.conv2d
            return value
    raise UnknownPattern
