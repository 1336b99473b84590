"""A node's args and kwargs → a Call, and the nodes it refers to.

Nodes are written as positions among the inputs, so that the tree is the same for most calls of an op.
Literals are kept as text. Of other objects, only the class is kept.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import fx

from exir_viz.snapshot.arguments import literal_of
from exir_viz.snapshot.build import SnapshotBuilder
from exir_viz.snapshot.records import (
    Arg,
    Call,
    Literal,
    LiteralType,
    MapArg,
    NodeArg,
    ObjectArg,
    OpArg,
    SequenceArg,
    SliceArg,
    SymArg,
)
from exir_viz.torch_internals.export import function_text
from exir_viz.torch_internals.operators import HigherOrderOperator, OpOverload

from .symbols import SymbolReader
from .values import torch_literal, type_name

_POSITIONS = tuple(NodeArg(at) for at in range(64))


class CallReader:
    """Arguments of nodes → numbers of the calls table, and the positions of the nodes among them."""

    def __init__(self, builder: SnapshotBuilder, symbols: SymbolReader) -> None:
        self._builder = builder
        self._calls = builder.calls
        self._symbols = symbols
        self._constants: dict[tuple[type, Any], Literal] = {}
        self._inputs: list[int] = []
        self._positions: dict[fx.Node, int] = {}
        self._user: fx.Node

    def __call__(self, node: fx.Node, positions: dict[fx.Node, int]) -> tuple[int, list[int]]:
        self._user = node
        self._inputs = []
        self._positions = positions
        args = tuple(map(self._read, node.args))
        kwargs = node.kwargs
        call = Call(args, tuple(kwargs), tuple(map(self._read, kwargs.values()))) if kwargs else Call(args)
        return self._calls[call], self._inputs

    def _read(self, arg: Any) -> Arg:
        if isinstance(arg, fx.Node):
            position = self._positions.get(arg)
            if position is None:
                return self._absent(arg)
            at = len(self._inputs)
            self._inputs.append(position)
            return _POSITIONS[at] if at < len(_POSITIONS) else NodeArg(at)
        kind = type(arg)
        if kind in (int, bool, float, str, type(None)):
            # repr in the key: 0.0 and -0.0 are equal, and are not the same constant
            key = (kind, repr(arg) if kind is float else arg)
            known = self._constants.get(key)
            if known is None:
                known = self._constants[key] = literal_of(arg)
            return known
        if isinstance(arg, (list, tuple)):
            return SequenceArg(_sequence_type(arg), tuple(map(self._read, arg)))
        if isinstance(arg, dict):
            return MapArg(tuple(_key(key) for key in arg), tuple(map(self._read, arg.values())))
        if isinstance(arg, slice):
            return SliceArg(self._read(arg.start), self._read(arg.stop), self._read(arg.step))
        return self._other(arg)

    def _absent(self, node: fx.Node) -> Arg:
        """A node that does not come before its user: torch prints such a graph, and cannot run it."""
        self._builder.notice(
            "order",
            f"The node {self._user.name!r} uses {node.name!r}, which does not come before it in the "
            "graph, so the program cannot run. Fix the pass that made it; check the graph with "
            "graph.lint().",
        )
        return ObjectArg(type_name(node), node.name)

    def _other(self, arg: Any) -> Arg:
        if isinstance(arg, (torch.dtype, torch.device, torch.layout, torch.memory_format)):
            return torch_literal(arg)
        if isinstance(arg, (bool, int, float, complex, str)):
            return literal_of(arg)
        if isinstance(arg, (torch.SymInt, torch.SymFloat, torch.SymBool)):
            return SymArg(self._symbols.number_text(arg))
        if arg is Ellipsis:
            return Literal(LiteralType.ELLIPSIS, "...")
        if isinstance(arg, (OpOverload, HigherOrderOperator)) or callable(arg):
            return OpArg(function_text(arg) if hasattr(arg, "__name__") else type_name(arg))
        return ObjectArg(type_name(arg))


def _sequence_type(arg: list[Any] | tuple[Any, ...]) -> str:
    if isinstance(arg, list):
        return "list"
    return "tuple" if type(arg) is tuple else type(arg).__name__


def _key(key: Any) -> Literal:
    if key is None or isinstance(key, (bool, int, float, str)):
        return literal_of(key)
    return Literal(LiteralType.STR, str(key))
