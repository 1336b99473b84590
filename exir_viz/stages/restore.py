"""What an interrupt can leave half done in torch, put back as it was.

`run_decompositions` changes the kernels of hundreds of operators for as long as it runs, one after the other,
outside of the `try` that changes them back. An interrupt in between would leave them changed for the rest of
the process, and every later export would be another.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from exir_viz.stages.kernels import composite_ops


@contextmanager
def restored() -> Iterator[None]:
    """Where the block is interrupted, put torch's kernels and fake rules back as they were before it."""
    kept = _kernels()
    rules = dict(_fake_rules())
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
        raise


def _kernels() -> dict[Any, dict[Any, Any]]:
    return {op: dict(op.py_kernels) for op in composite_ops()}


def _fake_rules() -> dict[Any, Any]:
    from torch._subclasses import fake_impls

    return fake_impls.op_implementations_dict
