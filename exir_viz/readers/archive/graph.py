"""A graph in the file and the graphs nested in it → GraphBuilders, as torch would rebuild them.

torch writes a branch as an argument and adds a get_attr when it loads one; writes the result as a list and
adds an output node; writes several outputs as one node (see `outputs`). So does this: same nodes, same names,
same values, same metadata.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from exir_viz.readers.archive.arguments import ArgumentReader
from exir_viz.readers.archive.context import brief
from exir_viz.readers.archive.metadata import Metadata
from exir_viz.readers.archive.names import Namespace, snake
from exir_viz.readers.archive.outputs import OutputReader, name_of, named_outputs
from exir_viz.readers.archive.schema import Graph, GraphArgument, Node, Union
from exir_viz.readers.archive.targets import is_symbolic, plain_name
from exir_viz.readers.archive.values import Known
from exir_viz.snapshot.build import OP_NUMBER, GraphBuilder
from exir_viz.snapshot.records import (
    Call,
    Extra,
    Literal,
    NodeArg,
    SequenceArg,
    SequenceValue,
    Target,
    TargetType,
    Value,
)

if TYPE_CHECKING:
    from exir_viz.readers.archive.method import MethodReader

_PLACEHOLDER: Final = OP_NUMBER["placeholder"]
_CALL: Final = OP_NUMBER["call_function"]
_ATTRIBUTE: Final = OP_NUMBER["get_attr"]
_OUTPUT: Final = OP_NUMBER["output"]
# A row of 15 columns, a name and its entries in three dicts.
_RECORDS_OF_NODE: Final = 4
_NO_ARGS: Final = Call()
_NO_METADATA: Final = Metadata()

node_decoder: Final = msgspec.json.Decoder(Node)


class GraphReader:
    """One graph being rebuilt, in torch's order: inputs, nodes, output."""

    def __init__(self, method: MethodReader, graph: Graph, builder: GraphBuilder) -> None:
        self.method = method
        self.graph = graph
        self.builder = builder
        self.place = method.place
        self.arguments = ArgumentReader(method.place, method.constants, self._hold)
        self.subgraphs: dict[str, tuple[msgspec.Raw, list[int]]] = {}
        self._names = Namespace(method.place.spend_name)
        self._counts: dict[str, int] = {}
        self._values: list[Value | None] = []
        self._extras: dict[int, tuple[Extra, ...]] = {}
        self._metadata = _NO_METADATA
        self._outputs = OutputReader(self)

    def read(self) -> GraphBuilder:
        for position, union in enumerate(self.graph.inputs):
            self._placeholder(position, union)
        for raw in self.graph.nodes:
            self._node(self.place.decode(node_decoder.decode, raw, "a node"))
        self._output()
        self._bind()
        return self.builder

    # -- adding nodes, as FX does ---------------------------------------------------------------------------

    def name(self, wanted: str) -> str:
        """The name FX gives to a node that asks for this one."""
        return self._names.take(wanted)

    def add(
        self,
        name: str,
        op: int,
        target: int,
        call: Call,
        inputs: list[int],
        metadata: Metadata = _NO_METADATA,
    ) -> int:
        """Append a node without a value. Returns its position."""
        self.place.spend(_RECORDS_OF_NODE)
        if name in self._counts:
            raise self.place.malformed(f"two nodes are called {brief(name)}")
        position = self.builder.add(
            name,
            op,
            target,
            inputs,
            self.method.builder.calls[call],
            scope=metadata.scope,
            trace=metadata.trace,
            torch_fn=metadata.torch_fn,
            source_fn=metadata.source_fn,
            origin=metadata.origin,
            handle=metadata.handle,
        )
        self._counts[name] = position
        self._values.append(None)
        if metadata.extras:
            self._extras[position] = metadata.extras
        return position

    def publish(self, name: str, position: int) -> None:
        """Let later nodes refer to a node by this name."""
        if self.arguments.positions.setdefault(name, position) != position:
            raise self.place.malformed(f"two values are called {brief(name)}")

    def give(self, position: int, known: Known) -> None:
        """Say what a node yields."""
        self._values[position] = known.value
        self.builder.set_value(position, known.number)

    def value(self, name: str) -> Known:
        """The value of that name, as recorded in the file."""
        return self.method.values.named(self.graph, name)

    # -- the parts of the file ------------------------------------------------------------------------------

    def _placeholder(self, index: int, union: Union) -> None:
        kind, raw = self.place.one(union, "an input")
        given = name_of(kind, raw, self.place)
        names = self.method.input_names
        target = given or (names[index] if index < len(names) else "") or f"arg{index}"
        name = self.name(snake(target))
        record = Target(TargetType.INPUT, target)
        position = self.add(given or name, _PLACEHOLDER, self.method.builder.targets[record], _NO_ARGS, [])
        if given:
            self.publish(given, position)
            self.give(position, self.value(given))
            return
        constant = self.arguments.read(union)
        if not isinstance(constant, Literal):
            raise self.place.malformed(f"an input is of kind {brief(kind)}, which cannot be one")
        self.give(position, self.method.values.known(constant))

    def _node(self, node: Node) -> None:
        outputs = node.outputs
        self.place = self.method.place.at(
            node.name or ", ".join(named_outputs(outputs, self.method.place)[:3])
        )
        number, target = self.method.call_target(node.target)
        metadata = self.method.metadata(node.metadata, self.place)
        higher = target.type is TargetType.HIGHER_ORDER
        self._metadata = metadata if higher else _NO_METADATA
        operator = target.type is TargetType.OP or is_symbolic(node.target)
        call = self.arguments.call(node.inputs, self.place, operator)
        alone = self._outputs.alone(node, higher)
        name = self.name(node.name or ("" if higher else alone) or snake(plain_name(target)))
        if self._outputs.is_nothing(node):
            unused = f"{snake(plain_name(target))}_unused"
            name = name if name == unused else self.name(unused)
        position = self.add(alone or name, _CALL, number, call, self.arguments.inputs, metadata)
        if alone:
            self.publish(alone, position)
            self.give(position, self.value(alone))
        else:
            self._outputs.read(node, name, position, metadata)

    def _hold(self, arg: GraphArgument) -> int:
        """A graph given as an argument: torch adds a node for it, with the metadata of the call."""
        target = self.method.builder.targets[Target(TargetType.ATTRIBUTE, arg.name)]
        position = self.add(self.name(arg.name), _ATTRIBUTE, target, _NO_ARGS, [], self._metadata)
        known = self.subgraphs.get(arg.name)
        # Of several graphs of one name torch keeps the last, and they are equal where it wrote the file.
        self.subgraphs[arg.name] = (arg.graph, [*known[1], position] if known else [position])
        return position

    def _output(self) -> None:
        self.place = self.method.place.at("output")
        self.arguments.inputs = []
        results = tuple(map(self.arguments.read, self.graph.outputs))
        inputs = self.arguments.inputs
        values = tuple(
            self._values[inputs[one.at]]
            if isinstance(one, NodeArg)
            else one
            if isinstance(one, Literal)
            else None
            for one in results
        )
        if self.graph.is_single_tensor_return and len(results) != 1:
            raise self.place.malformed(f"it must return one value, not {len(results)}")
        call = Call(results if self.graph.is_single_tensor_return else (SequenceArg("tuple", results),))
        target = self.method.builder.targets[Target(TargetType.OUTPUT, "output")]
        position = self.add(self.name("output"), _OUTPUT, target, call, inputs)
        known = [value for value in values if value is not None]
        if len(known) != len(values):
            return
        value = known[0] if self.graph.is_single_tensor_return else SequenceValue("tuple", tuple(known))
        self.give(position, self.method.values.known(value))

    def _bind(self) -> None:
        """Record where symbols can be read, and each node's extra metadata, which includes that."""
        symbols, builder = self.method.symbols, self.builder
        for position, value in enumerate(self._values):
            name = builder.names[position]
            extras = self._extras.get(position, ())
            if position < len(self.graph.inputs):
                symbols.bind_input(name, value)
            if bound := symbols.bind_unbacked(name, value):
                text = ", ".join(f"{symbol}: {path}" for symbol, path in bound.items())
                extras = (*extras, Extra("unbacked_bindings", "dict", text))
            if extras:
                builder.extras[position] = self.method.builder.extras[extras]
