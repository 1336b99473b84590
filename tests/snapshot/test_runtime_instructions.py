"""The recorded instructions of the runtime are those that ExecuTorch has."""

from __future__ import annotations

import inspect
import re

import pytest
import torch
from torch import fx

from exir_viz.readers.targets import target_of
from exir_viz.snapshot.runtime_instructions import EMITTED, PRIMITIVES, needs_no_kernel, primitive_of
from exir_viz.stages.explain import explain
from exir_viz.torch_internals.runtime import kernel_names


def test_functions_of_sizes_are_those_that_executorch_replaces() -> None:
    registry = pytest.importorskip("executorch.exir.passes.executorch_prim_ops_registry")
    replaced = registry._PYTHON_SYM_OPS_TO_EXECUTORCH_SYM_OPS
    targets = {target_of(fx.Graph().call_function(function)): op for function, op in replaced.items()}
    assert all(needs_no_kernel(target) for target in targets)
    assert {primitive_of(target) for target in targets} == set(PRIMITIVES.values())
    names = kernel_names()
    assert names is not None
    assert {one.replace(".", "::", 1) for one in PRIMITIVES.values()} <= set(names)


def test_control_flow_is_what_the_emitter_writes() -> None:
    emitter = pytest.importorskip("executorch.exir.emit._emitter")
    source = inspect.getsource(emitter._Emitter._emit_control_flow)
    written = set(re.findall(r"target is torch\.ops\.higher_order\.(\w+)", source))
    assert written | {"executorch_call_delegate"} == EMITTED


@pytest.mark.parametrize("name", sorted(dir(torch.ops.higher_order)))
def test_a_card_says_which_control_flow_the_runtime_has(name: str) -> None:
    pytest.importorskip("executorch.exir")
    operator = getattr(torch.ops.higher_order, name)
    if not isinstance(operator, torch._ops.HigherOrderOperator):
        pytest.skip("no operator")
    rules = {one.dialect.value: one for one in explain(operator, executorch=True).dialects}
    assert rules["executorch"].allowed is (name in EMITTED)
    assert (rules["executorch"].reason == "") is (name in EMITTED)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("operator.add", "executorch_prim.add.Scalar takes its place"),
        ("operator.pow", "the runtime has no instruction for it"),
        ("torch.sym_max", "executorch_prim.sym_max.Scalar takes its place"),
    ],
)
def test_a_card_says_what_takes_the_place_of_a_function_of_sizes(name: str, reason: str) -> None:
    pytest.importorskip("executorch.exir")
    rule = explain(name, executorch=True).dialects[-1]
    assert (rule.allowed, rule.reason) == (False, reason)
