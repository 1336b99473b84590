"""Which modules another process must import to load a program, as far as it can be known here.

The modules of the classes in its pytrees, and those that registered its ops. What is defined in `__main__`
cannot be imported by its name.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

import torch
from torch.export import ExportedProgram
from torch.utils import _pytree as pytree

_REGISTERED_AT = re.compile(r"registered at (?P<file>.+?):\d+")
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
    for held in (spec.type, spec.context):  # the context of a named tuple is its class
        if isinstance(held, type):
            yield held.__module__
    for child in spec.children():
        yield from _of_tree(child)


def _of_ops(program: ExportedProgram) -> Iterator[str]:
    names = _custom_ops(program)
    if not names:
        return
    files = {getattr(module, "__file__", None): name for name, module in [*sys.modules.items()]}
    definitions = torch._library.custom_ops.OPDEFS
    for name in names:
        for found in _REGISTERED_AT.finditer(torch._C._dispatch_dump(name)):
            if found["file"] in files:
                yield files[found["file"]]
        if name in definitions:
            yield definitions[name]._init_fn.__module__


def _custom_ops(program: ExportedProgram) -> set[str]:
    """The dispatcher's names of the ops that are not torch's own, those of edge included."""
    found = set()
    for module in program.graph_module.modules():
        for node in getattr(getattr(module, "graph", None), "nodes", ()):
            op = node.target
            if not isinstance(op, torch._ops.OpOverload):
                op = getattr(op, "_op", None)  # what an op of edge stands for
            if isinstance(op, torch._ops.OpOverload) and op.namespace not in _OWN_NAMESPACES:
                found.add(op.name())  # type: ignore[no-untyped-call]
    return found
