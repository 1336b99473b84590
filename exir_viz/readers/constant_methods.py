"""Constant methods of an ExecuTorch program (`get_max_seq_len` → 128) → methods that hold only an output.

A `.pte` stores them in the same way: a plan without instructions.
"""

from __future__ import annotations

from typing import Any

from exir_viz.snapshot.arguments import literal_of
from exir_viz.snapshot.build import OP_NUMBER, SnapshotBuilder
from exir_viz.snapshot.program import (
    Argument,
    ArgumentType,
    Dialect,
    MethodDetail,
    MethodRecord,
    OutputKind,
    OutputSpec,
    Signature,
)
from exir_viz.snapshot.records import Arg, Call, Literal, ObjectArg, SequenceArg, Target, TargetType
from exir_viz.torch_internals.pytrees import pytree

from .pytrees import user_paths
from .signature import read_tree
from .values import type_name


def read_constant_method(builder: SnapshotBuilder, name: str, value: Any, dialect: Dialect) -> None:
    """Add a method that returns `value`."""
    leaves, spec = pytree.tree_flatten(value)
    args = tuple(map(_leaf, leaves))
    tree = read_tree(spec)
    graph = builder.graph(name)
    target = builder.targets[Target(TargetType.OUTPUT, "output")]
    graph.add("output", OP_NUMBER["output"], target, (), builder.calls[Call((SequenceArg("tuple", args),))])
    graph.signature = Signature(outputs=tuple(map(_spec, args, user_paths(tree, None))))
    builder.method(MethodRecord(name, graph.number, dialect), MethodDetail(out_spec=tree))


def _leaf(leaf: Any) -> Arg:
    plain = leaf is None or isinstance(leaf, (bool, int, float, str))
    return literal_of(leaf) if plain else ObjectArg(type_name(leaf))


def _spec(arg: Arg, path: str) -> OutputSpec:
    if isinstance(arg, Literal):
        return OutputSpec(OutputKind.USER_OUTPUT, Argument(ArgumentType.CONSTANT, "", arg), path=path)
    return OutputSpec(OutputKind.USER_OUTPUT, Argument(ArgumentType.TENSOR, ""), path=path)
