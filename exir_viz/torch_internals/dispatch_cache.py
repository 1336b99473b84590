"""Restore torch's operators after a step was interrupted.

Why: `run_decompositions` replaces the kernels of hundreds of operators one by one while it runs, outside of
the `try` that restores them. An interrupt in between would leave them replaced for the rest of the process,
and change every later export. Each operator also caches which kernel it dispatches to; that cache is cleared
too.

A trace replaces methods of `torch.nn.Module` while it runs. If an interrupt arrives while it restores them,
every later export would go through the interrupted trace.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from .composite_operators import composite_ops
from .features import Feature

FEATURE: Final = Feature(
    name="dispatch_cache",
    purpose="Leave torch's operators unchanged when a step is stopped",
    without="If you stop a step, restart the kernel: torch's operators may be left changed.",
    uses=(
        "torch._export.utils._collect_all_valid_cia_ops()",
        "torch.ops.aten.reshape.default.py_kernels",
        "torch.ops.aten.reshape.default._dispatch_cache.clear()",
        "torch._subclasses.fake_impls.op_implementations_dict",
    ),
)


@contextmanager
def restored() -> Iterator[None]:
    """If the block is interrupted, restore torch's kernels and fake rules."""
    if not FEATURE.is_usable():
        yield
        return
    kept = _kernels()
    rules = dict(_fake_rules())
    methods = _module_methods()
    try:
        yield
    except KeyboardInterrupt:
        for op, kernels in kept.items():
            if op.py_kernels != kernels:
                op.py_kernels.clear()
                op.py_kernels.update(kernels)
                op._dispatch_cache.clear()
        _fake_rules().clear()
        _fake_rules().update(rules)
        _restore_methods(methods)
        raise


def _kernels() -> dict[Any, dict[Any, Any]]:
    return {op: dict(op.py_kernels) for op in composite_ops()}


def _fake_rules() -> dict[Any, Any]:
    from torch._subclasses import fake_impls

    return fake_impls.op_implementations_dict


def _module_methods() -> dict[str, Any]:
    """The methods of torch.nn.Module that a trace replaces."""
    import torch

    return {name: vars(torch.nn.Module)[name] for name in ("__call__", "__getattr__")}


def _restore_methods(methods: dict[str, Any]) -> None:
    import torch

    for name, method in methods.items():
        setattr(torch.nn.Module, name, method)
