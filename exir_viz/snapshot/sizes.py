"""Sizes and bytes of values for given symbols: of an expression such as "2*s77 + 1" for s77 = 8.

Nothing is passed to `eval`: expressions are parsed (see `expr`), each text once.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Mapping
from typing import Final

from msgspec import structs

from .describe import item_bytes
from .expr import ExprError, evaluate, parse_infix, symbols
from .graph import Node
from .index import index_of
from .opkind import ASSERTS, ITEM, OpKind, op_kind, op_name
from .partial_reads import (
    PRODUCT_SCALARS,
    Extent,
    bytes_read,
    extent,
    may_copy,
    may_return_input,
    moves_nothing,
    returns_input,
    writes_by_data,
)
from .records import (
    Call,
    Dim,
    Literal,
    NodeArg,
    SequenceArg,
    SequenceValue,
    Target,
    TargetType,
    TensorValue,
    Value,
)
from .snapshot import Method, Snapshot

_EINSUM: Final = "einsum"
# They return a view whose elements are conjugated when they are read.
_CONJUGATE: Final = frozenset(("conj", "_conj", "adjoint", "mH", "matrix_H"))
# They return their input, or a copy if this is pending.
_RESOLVES: Final = {"resolve_conj": "conj", "resolve_neg": "neg"}
# Sums of more, through all nodes, would be too large to write.
_MOST_BYTES: Final = 1 << 44
_ZERO: Final = ("0", "0.0", "-0.0", "False")
# What a schema says of the memory of a result, and of the argument that has the same letter.
_ALIAS: Final = re.compile(r"\(?Tensor\((\w)")
_ARGUMENT_ALIAS: Final = r"Tensor\({}(?:!| -> \*)?\)(?:\[\])?\??"


class Sizes:
    """The values of symbols, and what follows from them. None: they do not decide it."""

    def __init__(self, symbols: Mapping[str, int]) -> None:
        self.symbols = dict(symbols)
        self._dims: dict[str, int | None] = {}
        # by graph and position of a node: the node that made its memory
        self.memories: dict[tuple[int, int], tuple[int, int]] = {}
        # by graph and position of a node: the parts of memory that its tensors use
        self.extents: dict[tuple[int, int], list[Extent]] = {}

    @classmethod
    def hinted(cls, method: Method) -> Sizes:
        """The sizes of the example inputs, where the program has them."""
        hints = ((symbol.name, symbol.hint) for symbol in method.symbols)
        return cls(
            {name: int(hint) for name, hint in hints if hint is not None and hint.lstrip("-").isdigit()}
        )

    @classmethod
    def by_graph(cls, snapshot: Snapshot) -> dict[int, Sizes]:
        """By number of a graph: those of its method's example inputs."""
        return {
            graph.number: sizes
            for method in snapshot.methods.values()
            for sizes in (cls.hinted(method),)
            for graph in method.graphs()
        }

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
        """The bytes of a tensor, or of several; unknown for more than any memory holds."""
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
        return None if size is None or size > _MOST_BYTES else size

    def numbers(self, dims: Iterable[Dim] | None) -> tuple[int, ...] | None:
        """Sizes or strides as numbers, if all are known."""
        known = [self.dim(dim) for dim in dims or ()]
        found = tuple(size for size in known if size is not None)
        return None if dims is None or len(found) < len(known) else found

    def is_contiguous(self, value: Value | None) -> bool | None:
        """Whether the elements of a tensor are in memory in their order, without gaps; None: unknown."""
        if not isinstance(value, TensorValue):
            return None
        shape, stride = self.numbers(value.shape), self.numbers(value.stride)
        if shape is None or stride is None:
            return None
        expected = 1
        for size, step in zip(reversed(shape), reversed(stride), strict=True):
            if size != 1 and step != expected:
                return False
            expected *= size
        return True

    def extent(self, memory: Hashable, value: Value | None) -> Extent | None:
        """The part of a memory that a tensor uses; all its elements where its strides are unknown."""
        item = item_bytes(value.dtype) if isinstance(value, TensorValue) else None
        if not isinstance(value, TensorValue) or item is None:
            return None
        shape, stride, offset = self.numbers(value.shape), self.numbers(value.stride), self.dim(value.offset)
        if shape is None or math.prod(shape) > _MOST_BYTES:
            return None
        if stride is None or offset is None:
            return extent(memory, item, 0, (math.prod(shape),), (1,))
        return extent(memory, item, offset, shape, stride)


def moved_bytes(node: Node, sizes: Sizes) -> int:
    """The bytes that a call must read and write at least, as far as sizes are known.

    Views, assertions and calls with empty results move none. Elements that an operator need not read do not
    count; elements that are one in memory, of an expanded view or of several views, count once.
    """
    op = node.target.name
    if op in ASSERTS or moves_nothing(op) or _shares_memory(node, sizes) or sizes.bytes(node.value) == 0:
        return 0
    written = 0 if writes_by_data(op) else sizes.bytes(node.value) or 0
    inputs, only_written = node.input_positions, _outputs(node)
    arguments = [inputs[arg.at] if isinstance(arg, NodeArg) else None for arg in node.call.args]
    others = [at for at in inputs if at not in arguments]
    read = [None if at in only_written else at for at in (*arguments, *others)]
    extents = [[] if at is None else _extents(node.graph[at], sizes) for at in read]
    return bytes_read(op, extents, written, _zero_scalars(node.call)) + written


def _zero_scalars(call: Call) -> set[str]:
    """The scalars of a product that are 0, or not known."""
    given = {name: call.args[at] for name, at in PRODUCT_SCALARS.items() if at < len(call.args)}
    given |= zip(call.names, call.values, strict=True)
    return {name for name, arg in given.items() if not isinstance(arg, Literal) or arg.text in _ZERO}


def _extents(node: Node, sizes: Sizes) -> list[Extent]:
    """The parts of memory that the tensors of a node use, as far as sizes are known."""
    key = node.graph.number, node.position
    known = sizes.extents.get(key)
    if known is not None:
        return known
    value = node.value
    items = value.items if isinstance(value, SequenceValue) else (value,)
    memory = _memory_of(node, sizes)
    several = [
        sizes.extent((memory, at) if isinstance(value, SequenceValue) else memory, item)
        for at, item in enumerate(items)
    ]
    found = sizes.extents[key] = [one for one in several if one is not None]
    return found


def _memory_of(node: Node, sizes: Sizes) -> Hashable:
    """The node that made the memory of a node's tensor, by graph and position."""
    passed: list[tuple[int, int]] = []
    while (key := (node.graph.number, node.position)) not in sizes.memories:
        passed.append(key)
        source = source_of_memory(node, sizes)
        if source is None:
            sizes.memories[key] = key
            break
        node = source
    sizes.memories.update(dict.fromkeys(passed, sizes.memories[key]))
    return sizes.memories[key]


def source_of_memory(node: Node, sizes: Sizes) -> Node | None:
    """The input whose memory a node's tensor uses; None where it has memory of its own."""
    if node.op != "call_function" or not node.inputs:
        return None
    source = node.inputs[0]
    if op_name(node.target) == ITEM:
        return _source_of_item(node, sizes)
    if _copies(node, sizes):
        return None
    return source if _shares_memory(node, sizes) else _aliased(node)


def _source_of_item(item: Node, sizes: Sizes) -> Node | None:
    """The node whose memory an item of several tensors uses; None where it has memory of its own."""
    several = item.inputs[0]
    if source_of_memory(several, sizes) is None:
        return None
    first, number = several.call.args[0], item_number(item)
    if not isinstance(first, SequenceArg) or number is None:
        return several
    given = first.items[number]  # a view of each tensor in a list
    return several.inputs[given.at] if isinstance(given, NodeArg) else several


def item_number(item: Node) -> int | None:
    """Which item of a tuple a node is; None where the items of the tuple are not known."""
    value = item.inputs[0].value
    arg = item.call.args[1] if len(item.call.args) > 1 else None
    if not (isinstance(value, SequenceValue) and isinstance(arg, Literal) and arg.text.isdigit()):
        return None
    return int(arg.text) if int(arg.text) < len(value.items) else None


def may_share_memory(target: Target) -> bool:
    """Whether the result of some calls with this target uses the memory of an input."""
    op = target.name
    is_view = op_kind("call_function", target) is OpKind.VIEW
    is_aliased = (
        _is_in_place(target) or _is_out_variant(target) if target.schema is None else "(a" in target.schema
    )
    return is_view or is_aliased or op == _EINSUM or may_return_input(op) or returns_input(op)


def _is_in_place(target: Target) -> bool:
    """Whether an operator writes its first argument, by torch's rule for names: "add_"."""
    return target.type is TargetType.OP and target.name.endswith("_") and not target.name.endswith("__")


def _is_out_variant(target: Target) -> bool:
    """Whether an operator writes to a tensor passed as `out`, by torch's rule for names: "add.out"."""
    return target.type is TargetType.OP and (target.overload == "out" or target.overload.endswith("_out"))


def _aliased_by_name(node: Node) -> Node | None:
    """The argument that a call returns, where it has no schema: files have none."""
    call = node.call
    first = call.args[0] if call.args else None
    if _is_in_place(node.target):
        return node.inputs[first.at] if isinstance(first, NodeArg) else None
    if not _is_out_variant(node.target):
        return None
    outs = (value for name, value in zip(call.names, call.values, strict=True) if name == "out")
    return next((node.inputs[out.at] for out in outs if isinstance(out, NodeArg)), None)


def _aliased(node: Node) -> Node | None:
    """The argument that a call returns, or a view of it, as its schema says: "Tensor(a!) out"."""
    if node.target.schema is None:
        return _aliased_by_name(node)
    arguments, _, result = node.target.schema.rpartition(" -> ")
    found = _ALIAS.match(result)
    if found is None or may_return_input(node.target.name):
        return None
    named = _ARGUMENT_ALIAS.format(found[1])
    call = node.call
    for name, value in zip(call.names, call.values, strict=True):
        if isinstance(value, NodeArg) and re.search(rf"{named} {name}\b", arguments):
            return node.inputs[value.at]
    first = call.args[0] if call.args else None
    is_first = re.search(rf"\({named} ", arguments) is not None
    return node.inputs[first.at] if is_first and isinstance(first, NodeArg) else None


def _outputs(node: Node) -> set[int]:
    """The positions of the tensors that a call only writes: `out`, and what its schema has like it."""
    call = node.call
    given = zip(call.names, call.values, strict=True)
    return {
        node.input_positions[arg.at]
        for name, arg in given
        if isinstance(arg, NodeArg) and _is_output(node.target, name)
    }


def _is_output(target: Target, name: str) -> bool:
    """Whether an operator writes its keyword argument of that name."""
    if target.schema is None:
        return name == "out" and _is_out_variant(target)
    return f"!) {name}" in target.schema


def _shares_memory(node: Node, sizes: Sizes) -> bool:
    """Whether the result of a call is its input, or a view of it."""
    return _is_view(node, sizes) or _returns_input(node, sizes)


def _returns_input(node: Node, sizes: Sizes) -> bool:
    """Whether a call returns its input itself, such as `x.float()` of a float tensor."""
    op, call = node.target.name, node.call
    if any(isinstance(arg, Literal) and arg.text == "True" for arg in (*call.args, *call.values)):
        return False
    if op == _EINSUM:  # of one tensor, without a sum: a permuted view
        known = [sizes.bytes(one.value) for one in (*node.inputs, node)]
        return len(known) == 2 and known[0] == known[1]
    return returns_input(op) or (
        may_return_input(op) and bool(node.inputs) and _is_same(node.inputs[0].value, node.value)
    )


def _is_same(before: Value | None, after: Value | None) -> bool:
    """Whether two tensors differ at most in whether they require a gradient, which results do not."""
    if not (isinstance(before, TensorValue) and isinstance(after, TensorValue)):
        return False
    return structs.replace(before, requires_grad=after.requires_grad) == after


def _is_view(node: Node, sizes: Sizes) -> bool:
    """Whether a call shares the memory of an input. A copying variant writes memory of its own.

    Only of `view_copy` ExecuTorch makes a view again: in an ExecuTorch program those that are left copy.
    """
    if index_of(node.graph).kinds[node.position] is not OpKind.VIEW:
        return False
    if node.target.type is TargetType.OP and node.target.name.endswith("_copy"):
        return node.target.name == "view_copy" and node.target.overload != "out"
    return not _copies(node, sizes)


def _copies(node: Node, sizes: Sizes) -> bool:
    """Whether an operator that may return a view copies.

    It does if its input has gaps, which a view would keep, or if it resolves what is pending of its input.
    """
    op = node.target.name
    if not node.inputs:
        return False
    if op in _RESOLVES:
        return _RESOLVES[op] in _pending(node.inputs[0], sizes)
    if not may_copy(op):
        return False
    before, after = (sizes.is_contiguous(one.value) for one in (node.inputs[0], node))
    return before is False and after is True


def _pending(node: Node, sizes: Sizes) -> set[str]:
    """What readers of a tensor's memory have yet to do: conjugate its elements ("conj"), negate them ("neg").

    Inputs of the program have nothing pending.
    """
    path: list[Node] = []
    source: Node | None = node
    while source is not None:
        path.append(source)
        source = source.inputs[0] if source.target.name in _RESOLVES else source_of_memory(source, sizes)
    pending: set[str] = set()
    for one in reversed(path):
        op = one.target.name
        if op in _CONJUGATE and _is_complex(one.value):
            pending ^= {"conj"}
        elif op == "_neg_view" or (op == "imag" and "conj" in pending):
            pending ^= {"neg"}
        if op in ("real", "imag"):
            pending.discard("conj")
        elif _RESOLVES.get(op) in pending:
            pending.clear()
    return pending


def _is_complex(value: Value | None) -> bool:
    return isinstance(value, TensorValue) and value.dtype.startswith("complex")
