"""Generate the code of a graph when it is needed, and not after every change of the graph.

Why: torch generates Python source for a graph whenever a pass has changed it, and compiles it. A lowering to
XNNPACK generates 3,200 sources, a fifth of its time, and calls 80 of them. Here a graph's code is generated
when it is called or read, in whichever thread, also after the step.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

from .features import Feature

if TYPE_CHECKING:
    from torch.fx import GraphModule

FEATURE: Final = Feature(
    name="code_when_needed",
    purpose="Lower programs faster: generate the code of a graph only if it is needed",
    without="Lowering takes longer.",
    uses=(
        "torch.fx.GraphModule.recompile(self)",
        "torch.fx.GraphModule._recompile_submodules(self)",
        "torch.fx.graph._PyTreeCodeGen",
        "torch.fx.experimental._config.enrich_profiler_metadata",
    ),
    attributes=("torch.fx.GraphModule._graph", "torch.fx.GraphModule._code"),
)

# torch makes a class of this name for each graph module.
_OWN_CLASS: Final = "GraphModuleImpl"
# What the class replaces until then: what generating sets on the module, what writes the code, what runs it.
_PARTS: Final = ("_code", "_lineno_map", "_prologue_start", "__reduce__", "__reduce_package__", "__call__")
_FORWARD: Final = "forward"
# Two threads may need the same code.
_generating: Final = threading.RLock()


@contextmanager
def code_when_needed() -> Iterator[None]:
    """While the block runs, this thread generates code when it is needed. A block within a block changes
    nothing.
    """
    if not FEATURE.is_usable():
        yield
        return
    from torch.fx import GraphModule

    generate, thread = GraphModule.recompile, threading.get_ident()
    if generate.__module__ == __name__:
        yield
        return

    def recompile(self: GraphModule) -> Any:
        return _wait(self, generate) if threading.get_ident() == thread else generate(self)

    with patch.object(GraphModule, "recompile", recompile):
        yield


def _wait(module: GraphModule, generate: Callable[[GraphModule], Any]) -> Any:
    """Do what `recompile` does, except for the code."""
    from torch.fx.experimental import _config
    from torch.fx.graph import _PyTreeCodeGen

    kind = type(module)
    if _config.enrich_profiler_metadata or not kind.__qualname__.endswith(_OWN_CLASS):
        return generate(module)
    codegen = module._graph._codegen
    if isinstance(codegen, _PyTreeCodeGen):
        module._in_spec = codegen.pytree_info.in_spec
        module._out_spec = codegen.pytree_info.out_spec
    if not isinstance(vars(kind).get(_FORWARD), _Later):
        _Code(module, generate).install()
    module._recompile_submodules()
    return _Source(module)


class _Code:
    """The code of a graph module that is to be generated."""

    def __init__(self, module: GraphModule, generate: Callable[[GraphModule], Any]) -> None:
        self._module = weakref.ref(module)
        self._kind: Any = type(module)
        self._generate = generate
        self._is_generated = False

    def install(self) -> None:
        for name in (*_PARTS, _FORWARD):
            # A class whose code was generated before has a `__call__`, which calls `forward`.
            if name != "__call__" or name not in vars(self._kind):
                setattr(self._kind, name, _Later(name, self))

    def generated(self) -> None:
        module = self._module()
        with _generating:
            if self._is_generated or module is None:
                return
            self._is_generated = True
            for name in _PARTS:
                if isinstance(vars(self._kind).get(name), _Later):
                    delattr(self._kind, name)
            try:
                self._generate(module)  # sets `forward` too
            except BaseException:
                self._is_generated = False
                self.install()
                raise


class _Later:
    """An attribute of a graph module's class that generates the code when it is read."""

    def __init__(self, name: str, code: _Code) -> None:
        self._name = name
        self._code = code

    def __get__(self, instance: GraphModule | None, owner: type) -> Any:
        self._code.generated()
        if vars(owner).get(self._name) is self:
            raise AttributeError(self._name)
        return getattr(owner if instance is None else instance, self._name)

    def __set__(self, instance: GraphModule, value: object) -> None:
        instance.__dict__[self._name] = value


class _Source:
    """What `recompile` returns: the source, generated when it is read."""

    def __init__(self, module: GraphModule) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module._graph.python_code(root_module="self"), name)
