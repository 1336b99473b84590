"""A node's inputs in the file → Call, and the positions of the nodes among them.

Nodes are written as positions among the inputs, in order of appearance, so that the tree is the same for most
calls of an op.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable
from typing import Final

import msgspec

from exir_viz.readers.archive import limits
from exir_viz.readers.archive.constants import DECODERS as CONSTANTS
from exir_viz.readers.archive.constants import NONE, ConstantReader, size_of
from exir_viz.readers.archive.context import MemberPlace, brief
from exir_viz.readers.archive.schema import (
    CustomObject,
    GraphArgument,
    Named,
    NamedArgument,
    OptionalTensor,
    SymArgument,
    Union,
)
from exir_viz.readers.archive.values import to_float
from exir_viz.snapshot.arguments import literal_of
from exir_viz.snapshot.records import (
    Arg,
    Call,
    MapArg,
    NodeArg,
    ObjectArg,
    SequenceArg,
)

POSITIONAL, KEYWORD = 1, 2
_AT: Final = tuple(NodeArg(at) for at in range(64))
# Where a program does not say which arguments it passes by keyword: those that torch's ops take only so.
_KEYWORD_ONLY: Final = frozenset(
    {"dtype", "layout", "device", "pin_memory", "memory_format", "dim_order", "generator", "out"}
)

tensor_decoder: Final = msgspec.json.Decoder(Named)
graph_decoder: Final = msgspec.json.Decoder(GraphArgument)
# The kinds that may name nodes, beside the two above, which are read first.
_DECODERS: Final[dict[str, msgspec.json.Decoder[object]]] = {
    kind: msgspec.json.Decoder(shape)
    for kind, shape in {
        "as_tensors": list[Named],
        "as_nested_tensors": list[list[Named]],
        "as_sym_int": SymArgument,
        "as_sym_ints": list[SymArgument],
        "as_sym_float": SymArgument,
        "as_sym_floats": list[SymArgument],
        "as_sym_bool": SymArgument,
        "as_sym_bools": list[SymArgument],
        "as_optional_tensor": OptionalTensor,
        "as_optional_tensors": list[OptionalTensor],
        "as_custom_obj": CustomObject,
        "as_string_to_argument": dict[str, Union],
    }.items()
}


class ArgumentReader:
    """The arguments of one graph's nodes. `positions` is filled by the reader of the graph as it goes."""

    def __init__(
        self, place: MemberPlace, constants: ConstantReader, hold: Callable[[GraphArgument], int]
    ) -> None:
        """`hold` adds a node for a nested graph and returns its position."""
        self.positions: dict[str, int] = {}
        self.inferred = False
        self.inputs: list[int] = []
        self._place = place
        self._hold = hold
        self._constants = constants

    def call(self, inputs: list[NamedArgument], place: MemberPlace, operator: bool) -> Call:
        """The call of these inputs; the positions of its nodes are then in `inputs`."""
        self._place = place
        self.inputs = []
        place.spend(len(inputs))
        args: list[Arg] = []
        names: list[str] = []
        values: list[Arg] = []
        for one in inputs:
            arg = self.read(one.arg)
            if self._is_positional(one, operator):
                args.append(arg)
            else:
                names.append(one.name)
                values.append(arg)
        if len(set(names)) != len(names):
            raise place.malformed("two arguments have the same name")
        return Call(tuple(args), tuple(names), tuple(values))

    def read(self, union: Union, depth: int = limits.MAX_ARGUMENT_DEPTH) -> Arg:
        """One argument."""
        kind, raw = self._place.one(union, "an argument")
        if kind == "as_tensor":
            return self.node(self._place.decode(tensor_decoder.decode, raw, "an argument").name)
        if kind == "as_graph":
            return self._at(self._hold(self._place.decode(graph_decoder.decode, raw, "an argument")))
        if kind in CONSTANTS:
            return self._constants(kind, raw, self._place)
        return self._other(kind, raw, depth)

    def node(self, name: str) -> Arg:
        """The node of that name, which must come before its user."""
        position = self.positions.get(name)
        if position is None:
            raise self._place.malformed(f"{brief(name)} is used, but no earlier node has this name")
        return self._at(position)

    def _at(self, position: int) -> Arg:
        at = len(self.inputs)
        self.inputs.append(position)
        return _AT[at] if at < len(_AT) else NodeArg(at)

    def _is_positional(self, one: NamedArgument, operator: bool) -> bool:
        if one.kind == POSITIONAL or not one.name:
            return True
        if one.kind == KEYWORD:
            return operator and keyword.iskeyword(one.name)
        if not operator:
            return False
        self.inferred = True
        return one.name not in _KEYWORD_ONLY

    def _other(self, kind: str, raw: msgspec.Raw, depth: int) -> Arg:
        """The kinds that may name nodes."""
        decoder = _DECODERS.get(kind)
        if decoder is None:
            raise self._place.malformed(f"{brief(kind)} is not a kind of argument")
        value = self._place.decode(decoder.decode, raw, "an argument")
        self._place.spend(size_of(value))
        match value:
            case SymArgument():
                return self._symbolic(value)
            case OptionalTensor():
                return self._optional(value)
            case CustomObject():
                known = value.name in self.positions
                return self.node(value.name) if known else ObjectArg(value.class_fqn, value.name)
            case dict():
                if depth == 0:
                    raise self._place.too_large(
                        f"an argument is nested over {limits.MAX_ARGUMENT_DEPTH} deep"
                    )
                return MapArg(
                    tuple(map(literal_of, value)),
                    tuple(self.read(item, depth - 1) for item in value.values()),
                )
        assert isinstance(value, list)
        return SequenceArg("list", tuple(map(self._item, value)))

    def _item(self, item: object) -> Arg:
        match item:
            case Named():
                return self.node(item.name)
            case SymArgument():
                return self._symbolic(item)
            case OptionalTensor():
                return self._optional(item)
        assert isinstance(item, list)
        return SequenceArg("list", tuple(self.node(one.name) for one in item))

    def _symbolic(self, arg: SymArgument) -> Arg:
        if arg.as_name is not None:
            return self.node(arg.as_name)
        if arg.as_int is not None:
            return literal_of(arg.as_int)
        if arg.as_float is not None:
            return literal_of(to_float(arg.as_float, self._place))
        if arg.as_bool is not None:
            return literal_of(arg.as_bool)
        raise self._place.malformed("a symbolic argument is neither a name nor a number")

    def _optional(self, arg: OptionalTensor) -> Arg:
        return NONE if arg.as_tensor is None else self.node(arg.as_tensor.name)
