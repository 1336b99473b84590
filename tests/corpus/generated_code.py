"""A shortcut for the code that torch generates for a graph, after every pass of a lowering.

A lowering to XNNPACK generates 3,200 sources, a third of its time, and calls 80 of them. Here a graph's code
is generated when it is called or read. `tests/test_generated_code.py` checks that.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any

from torch.fx.experimental import _config as fx_config
from torch.fx.graph import PythonCode, _PyTreeCodeGen
from torch.fx.graph_module import GraphModule

_generate = GraphModule.recompile
_MADE = ("_code", "_lineno_map", "_prologue_start")
_WAITS = "_exir_viz_waits"


def generate_code_when_needed() -> None:
    """In this process, a graph's code is generated when it is needed, and not after each change."""
    for name in _MADE:
        setattr(GraphModule, name, _made(name))
    for name in ("__reduce__", "__reduce_package__"):
        setattr(GraphModule, name, _written(getattr(GraphModule, name)))
    GraphModule.recompile = _recompile  # type: ignore[assignment,method-assign]


def _recompile(self: GraphModule) -> PythonCode | _Code:
    if fx_config.enrich_profiler_metadata:
        return _generate(self)
    if isinstance(self._graph._codegen, _PyTreeCodeGen):
        self._in_spec = self._graph._codegen.pytree_info.in_spec
        self._out_spec = self._graph._codegen.pytree_info.out_spec
    self.__dict__[_WAITS] = True
    kind: Any = type(self)  # torch makes one for each graph module
    kind.forward = _Forward(self)
    if "__call__" not in vars(kind):
        kind.__call__ = _call
    self._recompile_submodules()
    return _Code(self)


def _generated(module: GraphModule) -> None:
    if module.__dict__.pop(_WAITS, False):
        kind: Any = type(module)
        if vars(kind).get("__call__") is _call:
            del kind.__call__
        _generate(module)


def _written(reduce: Callable[..., Any]) -> Callable[..., Any]:
    """Pickling writes the source that is there."""

    @functools.wraps(reduce)
    def written(self: GraphModule, *args: Any) -> Any:
        _generated(self)
        return reduce(self, *args)

    return written


def _call(self: GraphModule, *args: Any, **kwargs: Any) -> Any:
    _generated(self)
    return type(self).__call__(self, *args, **kwargs)


class _Forward:
    """In the place of the function until that is generated."""

    def __init__(self, module: GraphModule) -> None:
        self._module = weakref.ref(module)

    def __get__(self, instance: GraphModule | None, owner: type) -> Any:
        module = self._module()
        assert module is not None
        _generated(module)
        return (owner if instance is None else instance).forward


class _Code:
    """What `recompile` returns: the source, generated when it is read."""

    def __init__(self, module: GraphModule) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module._graph.python_code(root_module="self"), name)


def _made(name: str) -> property:
    """An attribute that code generation sets."""

    def get(self: GraphModule) -> Any:
        _generated(self)
        if name not in self.__dict__:
            raise AttributeError(name)
        return self.__dict__[name]

    def put(self: GraphModule, value: object) -> None:
        self.__dict__[name] = value

    return property(get, put)
