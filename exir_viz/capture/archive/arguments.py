"""A node's inputs in the file → Call, and the positions of the nodes among them.

torch's own reading of each kind of argument, kind by kind. A node stands as its position among the inputs, in
order of appearance, so that the tree is the same for most calls of an op.
"""

from __future__ import annotations

import keyword
from collections.abc import Callable
from typing import Final

import msgspec

from exir_viz.capture.archive import limits
from exir_viz.capture.archive.context import Place, brief
from exir_viz.capture.archive.schema import (
    Complex,
    CustomObject,
    Device,
    GraphArgument,
    Named,
    NamedArgument,
    Number,
    OptionalTensor,
    SymArgument,
    Union,
)
from exir_viz.capture.archive.values import LAYOUTS, MEMORY_FORMATS, to_float
from exir_viz.snapshot.arguments import literal_of
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
)

POSITIONAL, KEYWORD = 1, 2
_AT: Final = tuple(NodeArg(at) for at in range(64))
_NONE: Final = literal_of(None)
# Where a program does not say which arguments it passes by keyword: those that torch's ops take only so.
_KEYWORD_ONLY: Final = frozenset(
    {"dtype", "layout", "device", "pin_memory", "memory_format", "generator", "out"}
)

tensor_decoder: Final = msgspec.json.Decoder(Named)
graph_decoder: Final = msgspec.json.Decoder(GraphArgument)
_Decode = Callable[[msgspec.Raw], object]
_DECODERS: Final[dict[str, msgspec.json.Decoder[object]]] = {
    kind: msgspec.json.Decoder(shape)
    for kind, shape in {
        "as_none": bool,
        "as_int": int,
        "as_ints": list[int],
        "as_int_lists": list[list[int]],
        "as_float": Number,
        "as_floats": list[Number],
        "as_float_lists": list[list[Number]],
        "as_string": str,
        "as_strings": list[str],
        "as_bool": bool,
        "as_bools": list[bool],
        "as_complex": Complex,
        "as_scalar_type": int,
        "as_memory_format": int,
        "as_layout": int,
        "as_device": Device,
        "as_operator": str,
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
# Kinds that name no node: equal bytes are the same argument, wherever they stand.
_CONSTANT: Final = frozenset(
    kind for kind in _DECODERS if "tensor" not in kind and "sym" not in kind and "custom" not in kind
) - {"as_string_to_argument"}


class ArgumentReader:
    """The arguments of one graph's nodes. `positions` is filled by the reader of the graph as it goes."""

    def __init__(self, place: Place, dtypes: dict[int, str], hold: Callable[[GraphArgument], int]) -> None:
        """`hold` adds the node that stands for a graph, and says where it stands."""
        self.positions: dict[str, int] = {}
        self.inferred = False
        self.inputs: list[int] = []
        self._place = place
        self._dtypes = dtypes
        self._hold = hold
        self._constants: dict[tuple[str, bytes], Arg] = {}

    def call(self, inputs: list[NamedArgument], place: Place, operator: bool) -> Call:
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
            raise place.malformed("two arguments have one name")
        return Call(tuple(args), tuple(names), tuple(values))

    def read(self, union: Union, depth: int = limits.MAX_ARGUMENT_DEPTH) -> Arg:
        """One argument."""
        kind, raw = self._place.one(union, "an argument")
        if kind == "as_tensor":
            return self.node(self._place.decode(tensor_decoder.decode, raw, "an argument").name)
        if kind == "as_graph":
            return self._at(self._hold(self._place.decode(graph_decoder.decode, raw, "an argument")))
        if kind not in _CONSTANT:
            return self._other(kind, raw, depth)
        key = (kind, bytes(raw))
        known = self._constants.get(key)
        if known is None:
            value = self._decoded(kind, raw)
            self._place.spend(_size(value))
            known = self._constants[key] = self._constant(kind, value)
        return known

    def node(self, name: str) -> Arg:
        """The node of that name, which stands before the one that uses it."""
        position = self.positions.get(name)
        if position is None:
            raise self._place.malformed(f"{brief(name)} is used but no node before it is called so")
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

    def _decoded(self, kind: str, raw: msgspec.Raw) -> object:
        decoder = _DECODERS.get(kind)
        if decoder is None:
            raise self._place.malformed(f"{brief(kind)} is no kind of argument")
        return self._place.decode(decoder.decode, raw, "an argument")

    def _other(self, kind: str, raw: msgspec.Raw, depth: int) -> Arg:
        """The kinds that may name nodes."""
        value = self._decoded(kind, raw)
        self._place.spend(_size(value))
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
        return _NONE if arg.as_tensor is None else self.node(arg.as_tensor.name)

    def _constant(self, kind: str, value: object) -> Arg:
        match kind, value:
            case "as_none", _:
                return _NONE
            case "as_operator", str():
                return OpArg(value)
            case "as_device", Device():
                text = value.type if value.index is None else f"{value.type}:{value.index}"
                return Literal(LiteralType.DEVICE, text)
            case "as_complex", Complex():
                parts = (to_float(value.real, self._place), to_float(value.imag, self._place))
                return literal_of(complex(*parts))
            case "as_scalar_type" | "as_layout" | "as_memory_format", int():
                return self._numbered(kind, value)
            case "as_float", _:
                return self._float(value)
            case "as_floats", list():
                return SequenceArg("list", tuple(map(self._float, value)))
            case "as_float_lists", list():
                return SequenceArg(
                    "list", tuple(SequenceArg("list", tuple(map(self._float, one))) for one in value)
                )
            case "as_int_lists", list():
                return SequenceArg(
                    "list", tuple(SequenceArg("tuple", tuple(map(literal_of, one))) for one in value)
                )
            case _, list():
                return SequenceArg("list", tuple(map(literal_of, value)))
            case _, bool() | int() | str():
                return literal_of(value)
        raise self._place.malformed(f"{brief(kind)} is no kind of argument")

    def _float(self, value: object) -> Literal:
        assert isinstance(value, (int, float, str))
        return literal_of(to_float(value, self._place))

    def _numbered(self, kind: str, number: int) -> Literal:
        table, type_ = {
            "as_scalar_type": (self._dtypes, LiteralType.DTYPE),
            "as_layout": (LAYOUTS, LiteralType.LAYOUT),
            "as_memory_format": (MEMORY_FORMATS, LiteralType.MEMORY_FORMAT),
        }[kind]
        name = table.get(number)
        if name is None:
            raise self._place.malformed(f"{number} is the number of no {type_.value}")
        return Literal(type_, f"torch.{name}")


def _size(value: object) -> int:
    """Records that a decoded argument makes."""
    if not isinstance(value, (list, dict)):
        return 1
    return 1 + sum(map(_size, value)) if isinstance(value, list) else 1 + len(value)
