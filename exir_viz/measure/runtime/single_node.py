"""Build a program from one node of an edge program, a delegate or an op, so that the runtime can time it.

It is built once for each op, shapes, dtypes and constant arguments, and cached for the session. Tensors
become its inputs, filled with values that every op accepts: numbers around 0, integers of 0.
"""

from __future__ import annotations

import contextlib
import functools
import io
import logging
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import fx
from torch.export import ExportedProgram

from exir_viz.errors import MeasureError
from exir_viz.measure.cpu.plan import CALL_DELEGATE
from exir_viz.measure.cpu.symbols import value_of
from exir_viz.torch_internals.edge import edge_config
from exir_viz.torch_internals.operators import aten_operator
from exir_viz.torch_internals.pytrees import pytree

from .worker_messages import MethodCall


class OneNode:
    """Builds programs of one node; `symbols` are the values of the symbols."""

    def __init__(self, program: ExportedProgram, symbols: Mapping[str, int]) -> None:
        self._program = program
        self._symbols = symbols

    def key(self, node: fx.Node) -> str:
        """A key that is equal for two nodes of equal cost: op, shapes, dtypes, strides, constant arguments.

        For a delegate, only calls of the same delegate are equal.
        """
        return repr((str(node.target), self._arguments(node, self._described)))

    def delegate(self, node: fx.Node) -> MethodCall:
        """The program of a delegate's call, with its inputs; raises ExecuTorch's error."""
        inputs = tuple(self._value(argument) for argument in node.args[1:])
        return MethodCall(self.data(node), "forward", inputs)

    def data(self, node: fx.Node) -> bytes:
        """The `.pte` of a node; raises torch's or ExecuTorch's error if it cannot be built."""
        if CALL_DELEGATE in str(node.target):
            return self.delegate_data(lowered_module(self._program.graph_module, node))
        key = self.key(node)
        if key not in _BUILT:
            _BUILT[key] = self._op(node)
        return _BUILT[key]

    def delegate_data(self, lowered: Any) -> bytes:
        """The `.pte` of a LoweredBackendModule alone."""
        return bytes(lowered.buffer(memory_planning=self._planned))

    def _planned(self, graph_module: fx.GraphModule) -> Any:
        """Bind symbolic sizes and plan memory, as `to_executorch` does.

        A size that is itself an input becomes its number in this run.
        """
        from executorch.exir.passes import MemoryPlanningPass
        from executorch.exir.passes.sym_shape_eval_pass import ConstraintBasedSymShapeEvalPass

        for node in graph_module.graph.nodes:
            size = node.meta.get("val")
            if node.op == "placeholder" and isinstance(size, torch.SymInt):
                node.meta["spec"] = self.number(size)
        bounded = ConstraintBasedSymShapeEvalPass()(graph_module)
        return MemoryPlanningPass()(bounded.graph_module)

    def _op(self, node: fx.Node) -> bytes:
        from executorch.exir import to_edge

        if not any(isinstance(one, torch.Tensor) for one in pytree.tree_leaves(node.meta.get("val"))):
            raise MeasureError("it returns no tensor, and the runtime only runs programs that return one")
        op = aten_operator(node.target) or node.target
        flat, spec = pytree.tree_flatten(self._arguments(node, self._value))
        at = [place for place, value in enumerate(flat) if isinstance(value, torch.Tensor)]
        inputs = tuple(flat[place] for place in at)
        with silenced():
            program = torch.export.export(_Call(op, flat, spec, at), inputs)
            manager = to_edge(program, compile_config=edge_config(check_ir=False))
            return bytes(manager.to_executorch().buffer)

    def _arguments(self, node: fx.Node, of: Callable[[Any], Any]) -> tuple[Any, dict[str, Any]]:
        args, kwargs = fx.map_arg((node.args, dict(node.kwargs)), of)
        return args, dict(kwargs)

    def _value(self, node: Any) -> Any:
        value = node.meta.get("val") if isinstance(node, fx.Node) else node
        if not isinstance(value, torch.Tensor):
            return self.number(value)
        shape = [self.number(size) for size in value.shape]
        stride = [self.number(step) for step in value.stride()]
        return filled(shape, stride, value.dtype)

    def _described(self, node: fx.Node) -> Any:
        if node.op == "get_attr":
            return node.target
        value = node.meta.get("val")
        if not isinstance(value, torch.Tensor):
            return self.number(value)
        sizes = (*value.shape, None, *value.stride())
        return (str(value.dtype), *(self.number(size) for size in sizes))

    def number(self, value: Any) -> Any:
        """The number that a size has in the program; other values as they are."""
        return value_of(value, self._program, self._symbols)


def lowered_module(module: fx.GraphModule, call: fx.Node) -> Any:
    """The LoweredBackendModule that a node calls."""
    target = call.args[0]
    if not isinstance(target, fx.Node):
        raise TypeError(f"{call.name} calls a delegate that is no attribute of its program")
    return getattr(module, str(target.target))


class _Call(torch.nn.Module):
    """Calls one op: its tensors are the inputs, all else is constant."""

    def __init__(self, op: Any, flat: list[Any], spec: pytree.TreeSpec, at: list[int]) -> None:
        super().__init__()
        self._op, self._flat, self._spec, self._at = op, flat, spec, at

    def forward(self, *tensors: torch.Tensor) -> Any:
        flat = list(self._flat)
        for place, tensor in zip(self._at, tensors, strict=True):
            flat[place] = tensor
        args, kwargs = pytree.tree_unflatten(flat, self._spec)
        return self._op(*args, **kwargs)


_BUILT: dict[str, bytes] = {}


@functools.cache
def nothing() -> MethodCall:
    """The smallest program: the cost of a call of the runtime itself."""
    from executorch.exir import to_edge

    with silenced():
        program = torch.export.export(_View(), (torch.zeros(2),))
        return MethodCall(bytes(to_edge(program).to_executorch().buffer), "forward", (torch.zeros(2),))


class _View(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.view(-1)


@contextlib.contextmanager
def silenced() -> Iterator[None]:
    """Hide what torch and ExecuTorch log and print while they build hundreds of small programs."""
    root = logging.getLogger()
    before = root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(before)


def filled(sizes: Sequence[int], strides: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """Random numbers around 0; integers and booleans are 0, which is a valid index."""
    made = torch.empty_strided(sizes, strides, dtype=dtype, device="cpu")
    if not (dtype.is_floating_point or dtype.is_complex):
        return made.zero_()
    # not normal_, which some small float dtypes do not have
    wide = torch.complex64 if dtype.is_complex else torch.float32
    return made.copy_(torch.randn(sizes, dtype=wide, device="cpu"))
