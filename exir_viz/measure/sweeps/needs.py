"""The modules that another process must import to load a program, as far as they are known.

They define the classes in its pytrees, or registered its ops. What is defined in `__main__` cannot be
imported.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from torch.export import ExportedProgram

from exir_viz.torch_internals.operators import aten_operator, implementation_of, registered_at
from exir_viz.torch_internals.pytrees import pytree

_OWN_NAMESPACES = ("aten", "prim", "prims", "higher_order")
_ROOTS = {*sys.stdlib_module_names, "builtins", "torch", "__main__", "__mp_main__"}


def modules_of(program: ExportedProgram) -> tuple[str, ...]:
    """The names of the modules, without those that every process with torch has."""
    found = {*_of_classes(program), *_of_ops(program)}
    return tuple(sorted(name for name in found if name.partition(".")[0] not in _ROOTS))


def _of_classes(program: ExportedProgram) -> Iterator[str]:
    signatures = [program.call_spec, *(entry.signature for entry in program.module_call_graph)]
    for signature in signatures:
        for spec in (signature.in_spec, signature.out_spec) if signature is not None else ():
            yield from _of_tree(spec)


def _of_tree(spec: pytree.TreeSpec | None) -> Iterator[str]:
    if spec is None or spec.is_leaf():
        return
    for one in (spec.type, spec.context):  # the context of a named tuple is its class
        if isinstance(one, type):
            yield one.__module__
    for child in spec.children():
        yield from _of_tree(child)


def _of_ops(program: ExportedProgram) -> Iterator[str]:
    names = _custom_ops(program)
    if not names:
        return
    files = {getattr(module, "__file__", None): name for name, module in [*sys.modules.items()]}
    for name in names:
        for file in registered_at(name):
            if file in files:
                yield files[file]
        defined = implementation_of(name)
        if defined is not None:
            yield defined.__module__


def _custom_ops(program: ExportedProgram) -> set[str]:
    """The dispatcher's names of custom ops, those of edge included."""
    found = set()
    for module in program.graph_module.modules():
        for node in getattr(getattr(module, "graph", None), "nodes", ()):
            op = aten_operator(node.target)
            if op is not None and op.namespace not in _OWN_NAMESPACES:
                found.add(op.name())  # type: ignore[no-untyped-call]
    return found
