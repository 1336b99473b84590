"""The outputs of a node in the file → its value and, where there are several, a getitem for each.

A node with one output is called as its output is. With several, FX keeps the node and reads each output with
a getitem, which has the output's name; a list among them is read twice over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from exir_viz.readers.archive.context import MemberPlace, brief
from exir_viz.readers.archive.metadata import Metadata
from exir_viz.readers.archive.schema import CustomObject, Named, Node, SymArgument, Union
from exir_viz.snapshot.arguments import literal_of
from exir_viz.snapshot.build import OP_NUMBER
from exir_viz.snapshot.records import Call, NodeArg, SequenceValue, Value

if TYPE_CHECKING:
    from exir_viz.readers.archive.graph import GraphReader

_CALL: Final = OP_NUMBER["call_function"]
_GETITEM: Final = "_operator.getitem"
_NONE: Final = literal_of(None)
_tensor: Final = msgspec.json.Decoder(Named)
_tensors: Final = msgspec.json.Decoder(list[Named])
_symbol: Final = msgspec.json.Decoder(SymArgument)
_symbols: Final = msgspec.json.Decoder(list[SymArgument])
_object: Final = msgspec.json.Decoder(CustomObject)


def name_of(kind: str, raw: msgspec.Raw, place: MemberPlace) -> str:
    """The name of the value that an input or output is; empty for a constant."""
    if kind == "as_tensor":
        return place.decode(_tensor.decode, raw, "a value").name
    if kind in ("as_sym_int", "as_sym_float", "as_sym_bool"):
        name = place.decode(_symbol.decode, raw, "a value").as_name
        if name is None:
            raise place.malformed("a symbolic value has no name")
        return name
    if kind == "as_custom_obj":
        return place.decode(_object.decode, raw, "a value").name
    return ""


def named_outputs(outputs: list[Union], place: MemberPlace) -> list[str]:
    """The names that outputs have, for a node that has none."""
    return [name for output in outputs if (name := name_of(*place.one(output, "an output"), place))]


class OutputReader:
    """The outputs of the nodes of one graph."""

    def __init__(self, graph: GraphReader) -> None:
        self._graph = graph

    def alone(self, node: Node, higher: bool) -> str:
        """The name of the one value that the node itself yields; empty where it yields none or a tuple.

        A higher-order op with one output yields a tuple of one unless it says otherwise.
        """
        if len(node.outputs) != 1 or (higher and not node.is_hop_single_tensor_return):
            return ""
        return name_of(*self._graph.place.one(node.outputs[0], "an output"), self._graph.place)

    def is_nothing(self, node: Node) -> bool:
        """Whether the node's one output is None, which torch renames it for."""
        return len(node.outputs) == 1 and "as_none" in node.outputs[0]

    def read(self, node: Node, name: str, position: int, metadata: Metadata) -> None:
        """Give the node its value, and add the getitems that read it."""
        graph = self._graph
        if not node.outputs:
            return
        if self.is_nothing(node):
            graph.give(position, graph.method.values.known(_NONE))
            return
        kind, raw = graph.place.one(node.outputs[0], "an output")
        if len(node.outputs) == 1 and kind == "as_tensors":
            tensors = graph.place.decode(_tensors.decode, raw, "its outputs")
            items = [self._getitem(position, index, one.name, metadata) for index, one in enumerate(tensors)]
        else:
            items = [self._item(position, index, one, metadata) for index, one in enumerate(node.outputs)]
        graph.publish(name, position)
        graph.give(position, graph.method.values.known(SequenceValue("tuple", tuple(items))))

    def _item(self, source: int, index: int, output: Union, metadata: Metadata) -> Value:
        graph = self._graph
        kind, raw = graph.place.one(output, "an output")
        if kind == "as_none":
            position = self._add(source, index, graph.name("as_none"), metadata)
            graph.give(position, graph.method.values.known(_NONE))
            return _NONE
        if kind == "as_tensors":
            return self._list(
                source, index, [one.name for one in graph.place.decode(_tensors.decode, raw, kind)], metadata
            )
        if kind in ("as_sym_ints", "as_sym_floats", "as_sym_bools"):
            found = graph.place.decode(_symbols.decode, raw, kind)
            return self._list(source, index, [one.as_name or "" for one in found], metadata)
        name = name_of(kind, raw, graph.place)
        if not name:
            raise graph.place.malformed(f"an output is of kind {brief(kind)}, which cannot be one")
        return self._getitem(source, index, name, metadata)

    def _list(self, source: int, index: int, names: list[str], metadata: Metadata) -> Value:
        graph = self._graph
        position = self._add(source, index, graph.name("getitem"), metadata)
        items = tuple(self._getitem(position, at, name, metadata) for at, name in enumerate(names))
        known = graph.method.values.known(SequenceValue("list", items))
        graph.give(position, known)
        return known.value

    def _getitem(self, source: int, index: int, name: str, metadata: Metadata) -> Value:
        graph = self._graph
        graph.name(name)
        position = self._add(source, index, name, metadata)
        graph.publish(name, position)
        known = graph.value(name)
        graph.give(position, known)
        return known.value

    def _add(self, source: int, index: int, name: str, metadata: Metadata) -> int:
        number, _ = self._graph.method.call_target(_GETITEM)
        call = Call((NodeArg(0), literal_of(index)))
        return self._graph.add(name, _CALL, number, call, [source], metadata)
