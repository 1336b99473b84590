"""Sizes and bytes of values for given symbols: of an expression such as "2*s77 + 1" for s77 = 8.

Nothing is passed to `eval`: expressions are parsed (see `expr`), each text once.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from .describe import item_bytes
from .expr import ExprError, evaluate, parse_infix, symbols
from .graph import Node
from .index import index_of
from .opkind import ASSERTS, OpKind
from .partial_reads import least_read, may_return_input, moves_nothing, writes_by_data
from .records import Dim, Literal, NodeArg, SequenceValue, TargetType, TensorValue, Value
from .snapshot import Method


class Sizes:
    """The values of symbols, and what follows from them. None: they do not decide it."""

    def __init__(self, symbols: Mapping[str, int]) -> None:
        self.symbols = dict(symbols)
        self._dims: dict[str, int | None] = {}

    @classmethod
    def hinted(cls, method: Method) -> Sizes:
        """The sizes of the example inputs, where the program has them."""
        hints = ((symbol.name, symbol.hint) for symbol in method.symbols)
        return cls(
            {name: int(hint) for name, hint in hints if hint is not None and hint.lstrip("-").isdigit()}
        )

    def dim(self, dim: Dim) -> int | None:
        """A size as a number."""
        if isinstance(dim, int):
            return dim
        if dim not in self._dims:
            self._dims[dim] = self._evaluated(dim)
        return self._dims[dim]

    def used(self) -> str:
        """The symbols that decided a size so far, with their values: "batch = 4"."""
        decided = (dim for dim, size in self._dims.items() if size is not None)
        names = {name for dim in decided for name in symbols(parse_infix(dim))}
        return ", ".join(f"{name} = {size}" for name, size in self.symbols.items() if name in names)

    def _evaluated(self, text: str) -> int | None:
        try:
            found = evaluate(parse_infix(text), self.symbols)
        except ExprError:
            return None
        return found if isinstance(found, int) else None

    def bytes(self, value: Value | None) -> int | None:
        """The bytes of a tensor, or of several."""
        if isinstance(value, SequenceValue):
            sizes = [self.bytes(item) for item in value.items]
            known = [size for size in sizes if size is not None]
            return sum(known) if len(known) == len(sizes) else None
        if not isinstance(value, TensorValue):
            return None
        size = item_bytes(value.dtype)
        for dim in map(self.dim, value.shape):
            if size is None or dim is None:
                return None
            size *= dim
        return size


def moved_bytes(node: Node, sizes: Sizes) -> int:
    """The bytes that a call must read and write at least, as far as sizes are known.

    Views and assertions move none. Each tensor counts once; of two that are views of one memory, both count.
    Elements that an operator need not read, or that are one in memory (of an expanded view), do not count.
    """
    op = node.target.name
    if op in ASSERTS or _is_view(node) or moves_nothing(op) or _returns_input(node):
        return 0
    written = 0 if writes_by_data(op) else sizes.bytes(node.value) or 0
    inputs, call = node.input_positions, node.call
    direct = {inputs[arg.at]: at for at, arg in reversed([*enumerate(call.args)]) if isinstance(arg, NodeArg)}
    only_written = _outputs(node)
    values = {at: _in_memory(node.graph[at].value) for at in dict.fromkeys(inputs) if at not in only_written}
    return written + sum(
        least_read(op, direct.get(at, len(call.args)), sizes.bytes(value) or 0, written)
        for at, value in values.items()
    )


def _outputs(node: Node) -> set[int]:
    """The positions of the tensors that a call only writes: `out`, and what its schema has like it."""
    call = node.call
    schema = node.target.schema or ""
    given = zip(call.names, call.values, strict=True)
    return {
        node.input_positions[arg.at]
        for name, arg in given
        if isinstance(arg, NodeArg) and f"!) {name}" in schema
    }


def _in_memory(value: Value | None) -> Value | None:
    """A tensor without the dimensions that repeat its elements, as `expand` makes them."""
    if not isinstance(value, TensorValue) or value.stride is None or 0 not in value.stride:
        return value
    dims = zip(value.shape, value.stride, strict=True)
    return msgspec.structs.replace(
        value, shape=tuple(size for size, stride in dims if stride != 0), stride=None
    )


def _returns_input(node: Node) -> bool:
    """Whether a call returns its input itself, such as `x.float()` of a float tensor."""
    if not may_return_input(node.target.name) or [one.value for one in node.inputs[:1]] != [node.value]:
        return False
    call = node.call
    return not any(isinstance(arg, Literal) and arg.text == "True" for arg in (*call.args, *call.values))


def _is_view(node: Node) -> bool:
    """Whether a call shares the memory of an input. A copying variant writes memory of its own.

    Only of `view_copy` ExecuTorch makes a view again: in an ExecuTorch program those that are left copy.
    """
    if index_of(node.graph).kinds[node.position] is not OpKind.VIEW:
        return False
    return not _copies_view(node) or (node.target.name == "view_copy" and node.target.overload != "out")


def _copies_view(node: Node) -> bool:
    is_view = index_of(node.graph).kinds[node.position] is OpKind.VIEW
    return is_view and node.target.type is TargetType.OP and node.target.name.endswith("_copy")
