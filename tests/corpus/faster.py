"""Less work for processes that lower many programs: what torch and ExecuTorch do anew each time is done once.

Each change gives what theirs gives. `tests/plain_torch` lowers without any of them, in processes of its own.
"""

from __future__ import annotations
import __future__

import copy
import gc
import inspect
import sys
import textwrap
from collections.abc import Callable
from functools import wraps
from typing import Any


def collect_less_often() -> None:
    """Look for garbage after every 20,000 objects, not after every 700.

    Exporting makes many objects that stay: looking through them took a tenth of the time for small programs,
    and a fifth for one with 10,000 nodes.
    """
    gc.set_threshold(20_000, 10, 10)


_CHANGED: set[str] = set()


def lower_faster() -> None:
    """Half the time of lowering a small program, and more of quantizing it, is the same for every program.

    Nothing is imported for it: what is imported later is changed at the next call. Another torch may do
    otherwise, and stays as it is.
    """
    if not getattr(sys.modules.get("torch"), "__version__", "").startswith("2.13."):
        return
    for name, change in _CHANGES.items():
        if name in sys.modules and name not in _CHANGED:
            change(sys.modules[name])
            _CHANGED.add(name)


def _kernels(ops: Any) -> None:
    """`py_impl` is called 6,000 times for each decomposition, and each time evaluates annotations."""
    ops.OperatorBase.py_impl = _again(ops.OperatorBase.py_impl)


def _observers(observer: Any) -> None:
    """100,000 comparisons of float32 with a number of Python, which NumPy makes as torch does."""
    observer.HistogramObserver._non_linear_param_search = _again(
        observer.HistogramObserver._non_linear_param_search,
        "cSum = torch.cumsum(self.histogram, dim=0)",
        "cSum = torch.cumsum(self.histogram, dim=0).numpy()",
    )


def _again(function: Any, old: str = "", new: str = "") -> Any:
    """The function compiled again, without evaluating annotations, and with one line replaced."""
    source = textwrap.dedent(inspect.getsource(function))
    assert old in source, f"{function.__qualname__} is another one now: see what takes its time"
    flags = __future__.annotations.compiler_flag
    names: dict[str, Any] = {}
    exec(
        compile(source.replace(old, new), inspect.getfile(function), "exec", flags),
        function.__globals__,
        names,
    )
    return wraps(function)(names[function.__name__])


def _composite_ops(users: Any) -> None:
    """All ops are walked through for each of forty namespaces: no op is registered in between."""
    from torch._C import _dispatch_get_registrations_for_dispatch_key
    from torch._export import utils

    walk, collect = utils._materialize_cpp_cia_ops, utils._collect_all_valid_cia_ops
    last: list[str] = []

    @wraps(collect)
    def collect_once() -> set[Any]:
        nonlocal last
        ops = _dispatch_get_registrations_for_dispatch_key("CompositeImplicitAutograd")
        if ops != last:
            walk()
            last = ops
        utils._materialize_cpp_cia_ops = lambda: None
        try:
            return collect()
        finally:
            utils._materialize_cpp_cia_ops = walk

    for module in (utils, sys.modules["torch.export.decomp_utils"], users):
        module._collect_all_valid_cia_ops = collect_once


def _patterns(quantizer: Any) -> None:
    """The patterns a quantizer looks for, by the function that is exported and what it has from outside."""
    export = quantizer._get_aten_graph_module_for_pattern
    graphs: dict[Any, Any] = {}

    @wraps(export)
    def exported_once(pattern: Any, inputs: tuple[Any, ...], *options: Any) -> Any:
        outside = tuple(cell.cell_contents for cell in pattern.fn.__closure__)
        key = pattern.fn.__code__, outside, tuple(one.shape for one in inputs), options
        if key not in graphs:
            graphs[key] = export(pattern, inputs, *options)
        return copy.deepcopy(graphs[key])

    quantizer._get_aten_graph_module_for_pattern = exported_once


_CHANGES: dict[str, Callable[[Any], None]] = {
    "torch._ops": _kernels,
    "torch.export.exported_program": _composite_ops,
    "torchao.quantization.pt2e.observer": _observers,
    "executorch.backends.xnnpack.quantizer.xnnpack_quantizer_utils": _patterns,
}
