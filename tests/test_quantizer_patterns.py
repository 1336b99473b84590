"""The cache of torchao's patterns gives what torchao exports, and copies that a caller may change."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import fx
from torch.nn import functional
from torchao.quantization.pt2e import qat_utils, utils
from torchao.quantization.pt2e.export_utils import WrapperModule
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e

from tests.corpus import quantizer_patterns

X, WEIGHT = torch.ones(1, 1, 3), torch.ones(1, 1, 1)


def pattern(convolution: Callable[..., Any], scale: float) -> WrapperModule:
    return WrapperModule(lambda x, weight, **kwargs: convolution(x, weight) * scale * kwargs.get("twice", 1))


@pytest.fixture
def exports() -> list[object]:
    """The patterns that were exported."""
    return []


@pytest.fixture
def cached(exports: list[object]) -> Callable[..., fx.GraphModule]:
    def export(pattern: object, *args: Any, **kwargs: Any) -> fx.GraphModule:
        exports.append(pattern)
        return torch.export.export(pattern, args[0], kwargs, strict=True).module()

    return quantizer_patterns.cached_export(export)


def test_equal_patterns_are_exported_once(
    cached: Callable[..., fx.GraphModule], exports: list[object]
) -> None:
    first, second = (cached(pattern(functional.conv1d, 2.0), (X, WEIGHT)) for _ in range(2))
    assert len(exports) == 1
    assert first is not second
    assert first.code == second.code
    assert torch.equal(first(X, WEIGHT), second(X, WEIGHT))


def test_patterns_that_differ_are_exported_each(
    cached: Callable[..., fx.GraphModule], exports: list[object]
) -> None:
    cached(pattern(functional.conv1d, 2.0), (X, WEIGHT))
    cached(pattern(functional.conv_transpose1d, 2.0), (X, WEIGHT))
    cached(pattern(functional.conv1d, 3.0), (X, WEIGHT))
    cached(pattern(functional.conv1d, 2.0), (torch.ones(2, 1, 3), WEIGHT))
    cached(pattern(functional.conv1d, 2.0), (X, WEIGHT), twice=2)
    assert len(exports) == 5
    for _ in range(2):
        cached(pattern(functools.partial(functional.conv1d, stride=1), 2.0), (X, WEIGHT))
    assert len(exports) == 7, "what cannot be compared is exported each time"


def test_a_copy_may_be_changed(cached: Callable[..., fx.GraphModule]) -> None:
    first = cached(pattern(functional.conv1d, 2.0), (X, WEIGHT))
    before = first.code
    for node in list(first.graph.nodes):
        if node.op == "call_function":
            node.replace_all_uses_with(node.args[0])
            first.graph.erase_node(node)
    first.recompile()
    assert first.code != before
    assert cached(pattern(functional.conv1d, 2.0), (X, WEIGHT)).code == before


def quantized(module: torch.nn.Module, x: torch.Tensor) -> str:
    """The code of a module that XNNPACK's quantizer has quantized."""
    from executorch.backends.xnnpack.quantizer import xnnpack_quantizer as xnnpack

    quantizer = xnnpack.XNNPACKQuantizer().set_global(xnnpack.get_symmetric_quantization_config())
    prepared = prepare_pt2e(torch.export.export(module, (x,)).module(), quantizer)
    prepared(x)
    return convert_pt2e(prepared).code


def test_quantizing_exports_no_pattern_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch norm makes torchao look for all its patterns; what comes of it is the same."""
    from executorch.backends.xnnpack.quantizer import xnnpack_quantizer_utils

    if not quantizer_patterns.export_patterns_once():
        pytest.skip("this torchao exports its patterns another way")
    module = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4)).eval()
    x = torch.ones(2, 4)
    first = quantized(module, x)
    exported: list[object] = []
    export = torch.export.export

    def counted(*args: Any, **kwargs: Any) -> Any:
        exported.append(args[0])
        return export(*args, **kwargs)

    monkeypatch.setattr(torch.export, "export", counted)
    assert quantized(module, x) == first
    assert exported == [module]
    assert len({getattr(each, quantizer_patterns._EXPORT) for each in (utils, xnnpack_quantizer_utils)}) == 1


def test_patterns_of_a_missing_convolution_are_not_exported(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes of folding is what torchao makes of a graph where no pattern matches."""
    if not quantizer_patterns.fold_what_is_there():
        pytest.skip("this torchao folds another way")
    module = torch.nn.Sequential(torch.nn.Conv1d(1, 1, 1), torch.nn.BatchNorm1d(1)).eval()
    program = torch.export.export(module, (torch.ones(2, 1, 3),)).module()
    inputs = (torch.ones(1, 1, 3, 3), torch.ones(1, 1, 1, 1), *(torch.ones(1) for _ in range(4)))
    fold = getattr(qat_utils, quantizer_patterns._FOLD)
    by_torchao = fold.__wrapped__(copy.deepcopy(program), functional.conv2d, inputs, False)
    exported: list[object] = []
    replaced: list[object] = []
    monkeypatch.setattr(qat_utils, quantizer_patterns._EXPORT, lambda *args, **_: exported.append(args))
    monkeypatch.setattr(
        qat_utils, quantizer_patterns._REPLACE, lambda *args, **_: replaced.append(args) or []
    )
    assert fold(copy.deepcopy(program), functional.conv2d, inputs, False).code == by_torchao.code
    assert not exported
    fold(copy.deepcopy(program), functional.conv1d, inputs, False)
    assert len(exported) == 2 * len(replaced) > 0
