"""Export with the example inputs' values at hand, so that it goes on after what torch cannot trace.

Why: torch.export stops at the first branch on data. torch can carry the real value of each tensor along, as
draft_export does, and then takes the branch that the value decides. Its log of these places is slow to make
and has no lines of helper functions, so the two functions that report them are replaced meanwhile; and the
one that remembers each answer, because later lines that depend on the same value would not be reported.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from .features import Feature

FEATURE: Final = Feature(
    name="real_values",
    purpose="Find the problems of an export that come after the first",
    without="Only the first problem of a function is found.",
    uses=(
        "torch.fx.experimental.symbolic_shapes.ShapeEnv._log_real_tensor_propagation",
        "torch.fx.experimental.symbolic_shapes.ShapeEnv.guard_or_defer_runtime_assert(self, orig_expr, msg)",
        "torch._subclasses.fake_tensor.inferred_fake_kernel_from_real_out(mode, op, real_out)",
        "torch._subclasses.fake_tensor.FakeTensor",
        "torch.utils._python_dispatch._disable_current_modes()",
    ),
)

# How torch names the assertions that would remember what real values decided.
_REMEMBERED: Final = "propagate_real_tensors"

# Called with what torch would say if it had no real values.
Report = Callable[[str], None]


@contextmanager
def real_values(report: Report) -> Iterator[None]:
    """While the block runs, exports of this thread use real values, and report where they need them."""
    import torch._functorch.config
    import torch._subclasses.fake_tensor as fake
    from torch.fx.experimental.symbolic_shapes import ShapeEnv

    thread = threading.get_ident()
    log, remember = ShapeEnv._log_real_tensor_propagation, ShapeEnv.guard_or_defer_runtime_assert
    infer = fake.inferred_fake_kernel_from_real_out

    def logged(self: Any, orig_expr: Any, unsound_result: Any) -> None:
        if threading.get_ident() != thread:
            log(self, orig_expr, unsound_result)
        elif not (self.trace_asserts and self._is_python_assert()):
            report(f"GuardOnDataDependentSymNode: Could not guard on data-dependent expression {orig_expr}")

    def remembered(self: Any, orig_expr: Any, msg: str, *more: Any, **named: Any) -> bool:
        if threading.get_ident() == thread and msg.startswith(_REMEMBERED):
            return True
        return remember(self, orig_expr, msg, *more, **named)

    def inferred(mode: Any, op: Any, real_out: Any) -> Any:
        if threading.get_ident() == thread:
            report(f"UnsupportedOperatorException: {op}")
        return infer(mode, op, real_out)

    ShapeEnv._log_real_tensor_propagation = logged  # type: ignore[method-assign]
    ShapeEnv.guard_or_defer_runtime_assert = remembered  # type: ignore[assignment, method-assign]
    fake.inferred_fake_kernel_from_real_out = inferred
    try:
        with torch._functorch.config.patch(fake_tensor_propagate_real_tensors=True):
            yield
    finally:
        ShapeEnv._log_real_tensor_propagation = log  # type: ignore[method-assign]
        ShapeEnv.guard_or_defer_runtime_assert = remember  # type: ignore[method-assign]
        fake.inferred_fake_kernel_from_real_out = infer


def real_results(report: Report, is_caught: Callable[[], bool]) -> Any:
    """A mode for functions of torch. If one fails while exporting, it reports that and uses the real result.

    is_caught: whether the user's code would catch the error; then nothing is reported.
    """
    from torch.overrides import TorchFunctionMode

    class RealResults(TorchFunctionMode):
        def __torch_function__(
            self, func: Any, _types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
        ) -> Any:
            named = kwargs or {}
            try:
                return func(*args, **named)
            except Exception as error:
                if is_caught() or not (tensors := _fake_tensors((args, named))):
                    raise
                report(f"{type(error).__name__}: {error}")
                if any(one.real_tensor is None for one in tensors):
                    raise
                return _with_real_tensors(func, args, named)

    return RealResults()


def _fake_tensors(values: object) -> list[Any]:
    from torch._subclasses.fake_tensor import FakeTensor

    from .pytrees import pytree

    return [one for one in pytree.tree_leaves(values) if isinstance(one, FakeTensor)]


def _with_real_tensors(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    from torch._subclasses.fake_tensor import FakeTensor
    from torch.utils._python_dispatch import _disable_current_modes

    from .pytrees import pytree

    def real(value: Any) -> Any:
        return value.real_tensor if isinstance(value, FakeTensor) else value

    real_args, real_kwargs = pytree.tree_map(real, (args, kwargs))
    with _disable_current_modes():
        return func(*real_args, **real_kwargs)
