"""Build the graph of one plan: nodes by the value they make, references between them, lifetimes.

A reference goes to the last node before it, in the order of the instructions, that wrote the value. Two kinds
of nodes have no instruction, but were in the emitted program: `getitem`, between a call of several results
and a user of one of them, and `view`, if a value has the address of another one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from exir_viz.snapshot.arguments import literal_of
from exir_viz.snapshot.build import OP_NUMBER, GraphBuilder, SnapshotBuilder
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.program import Symbol, SymbolBinding
from exir_viz.snapshot.records import (
    Arg,
    Call,
    Extra,
    LiteralType,
    NodeArg,
    ObjectArg,
    ObjectValue,
    SequenceArg,
    SequenceValue,
    SymValue,
    Target,
    TargetType,
    Value,
)

from .dataflow import Dataflow
from .schema import (
    Bool,
    BoolList,
    Double,
    DoubleList,
    Int,
    IntList,
    KernelTypes,
    OptionalTensorList,
    Table,
    Tensor,
    TensorList,
)
from .values import literal, literal_list, members, memory_spec, place_text, tensor_value

_VIEW = Target(TargetType.FUNCTION, "executorch.exir.memory.view", "executorch.exir.memory", "view")
_GETITEM = Target(TargetType.BUILTIN, "operator.getitem", "_operator", "getitem")
_NUMBERS: dict[type[Table], LiteralType] = {
    Int: LiteralType.INT,
    Bool: LiteralType.BOOL,
    Double: LiteralType.FLOAT,
}


class NodeWriter:
    """Appends nodes to a graph, and knows which node made which value."""

    def __init__(
        self,
        builder: SnapshotBuilder,
        graph: GraphBuilder,
        values: Sequence[KernelTypes],
        flow: Dataflow,
    ) -> None:
        self._builder = builder
        self.graph = graph
        self._values = values
        self._written = flow.written
        self._views = flow.views
        self._names: set[str] = set()
        self._next: dict[str, int] = {}
        # value → the node that made it last, and which of that node's several results it is (NONE: the one)
        self._makers: dict[int, tuple[int, int]] = {}
        self._first: dict[int, int] = {}
        self._last: dict[int, int] = {}
        self._makes: dict[int, tuple[int, ...]] = {}
        self._bound: dict[int, str] = {}
        self._inputs: list[int] = []
        # The first and the last node of each loop; a loop within another comes before it.
        self.loops: list[tuple[int, int]] = []

    # -- the facts about a value --------------------------------------------------------------------------

    def maker(self, number: int) -> int | None:
        """The node to refer to for a value; adds the `getitem` or the `view` that leads to it."""
        found = self._makers.get(number)
        if found is None:
            return self._view(number)
        position, index = found
        if index != NONE:
            call = Call((NodeArg(0), literal_of(index)))
            position = self.add(
                "getitem", "call_function", _GETITEM, call, (position,), (number,), self.value(number)
            )
            self._makers[number] = (position, NONE)
        return position

    def _view(self, number: int) -> int | None:
        """A value that lies where another was written: the same memory in another shape."""
        base = None if number not in self._views else self.maker(self._views[number])
        one = self._values[number]
        if base is None or not isinstance(one, Tensor):
            return None
        call = Call((NodeArg(0), SequenceArg("list", tuple(map(literal_of, one.sizes)))))
        position = self.add(
            f"view_{number}", "call_function", _VIEW, call, (base,), (number,), self.value(number)
        )
        self._makers[number] = (position, NONE)
        self.touch((number,), position)
        return position

    def value(self, number: int) -> Value:
        """The value that a node yields. A number that a node computes is known at run time only."""
        one = self._values[number]
        if isinstance(one, Tensor):
            return tensor_value(one)
        if isinstance(one, (TensorList, OptionalTensorList, IntList)):
            return SequenceValue("list", tuple(self.value(item) for item in one.items if item >= 0))
        if type(one) in _NUMBERS:
            return SymValue(_NUMBERS[type(one)], symbol_name(number))
        return ObjectValue("object", f"executorch.{type(one).__name__}")

    def name(self, base: str) -> str:
        """A name that no other node of the graph has."""
        name = base
        while name in self._names:
            self._next[base] = self._next.get(base, 0) + 1
            name = f"{base}_{self._next[base]}"
        self._names.add(name)
        return name

    # -- arguments ----------------------------------------------------------------------------------------

    def arguments(self, numbers: Sequence[int]) -> tuple[tuple[Arg, ...], list[int]]:
        """Values as the arguments of the node to come, and the nodes among them."""
        self._inputs = []
        args = tuple(map(self._argument, numbers))
        return args, self._inputs

    def _argument(self, number: int) -> Arg:
        position = self.maker(number)
        if position is not None:
            self._inputs.append(position)
            return NodeArg(len(self._inputs) - 1)
        one = self._values[number]
        if isinstance(one, (TensorList, OptionalTensorList, IntList)):
            none = literal_of(None)
            return SequenceArg(
                "list", tuple(self._argument(item) if item >= 0 else none for item in one.items)
            )
        if isinstance(one, (BoolList, DoubleList)):
            return literal_list(one)
        constant = None if number in self._written else literal(one)
        return constant or ObjectArg("executorch.EValue", place_text(self._values, number))

    # -- nodes --------------------------------------------------------------------------------------------

    def add(  # noqa: PLR0913, PLR0917 (as GraphBuilder.add: the columns of a node)
        self,
        name: str,
        op: str,
        target: Target,
        call: Call,
        inputs: Sequence[int],
        makes: tuple[int, ...] = (),
        value: Value | None = None,
        raw: tuple[int, ...] = (),
        trace: int = NONE,
        handle: int = NONE,
    ) -> int:
        """Append a node. `makes` are the values it writes, `raw` all values of its instruction, in order."""
        numbers = ", ".join(map(str, raw))
        extras = self._builder.extras[(Extra("executorch.values", "list", f"[{numbers}]"),)] if raw else NONE
        position = self.graph.add(
            self.name(name),
            OP_NUMBER[op],
            self._builder.targets[target],
            inputs,
            self._builder.calls[call],
            NONE if value is None else self._builder.values[value],
            trace=trace,
            handle=handle,
            extra=extras,
        )
        if makes:
            self._makes[position] = makes
        return position

    def placeholder(self, name: str, number: int) -> str:
        """Append an input, a constant or a buffer; returns the name it got."""
        name = self.name(name)
        graph, tables = self.graph, self._builder
        extra = tables.extras[(Extra("executorch.values", "list", f"[{number}]"),)]
        target = tables.targets[Target(TargetType.INPUT, name)]
        value = tables.values[literal(self._values[number]) or self.value(number)]
        position = graph.add(
            name, OP_NUMBER["placeholder"], target, (), tables.calls[Call()], value, extra=extra
        )
        self._makes[position] = (number,)
        self._makers[number] = (position, NONE)
        self.touch((number,), position)
        return name

    def made(self, number: int, position: int, index: int = NONE) -> None:
        """From here on the value comes from that node: its only result, or its `index`th."""
        self._makers[number] = (position, index)
        if type(self._values[number]) in _NUMBERS:
            self._bound.setdefault(number, self.graph.names[position])

    def touch(self, numbers: Sequence[int], position: int) -> None:
        """The node reads or writes these values: they live at least from or until here."""
        for named in numbers:
            for number in members(self._values, named):
                self._first.setdefault(number, position)
                self._last[number] = position
                if number in self._views:  # the memory of its base is in use as long
                    self._last[self._views[number]] = position

    def symbols(self) -> tuple[Symbol, ...]:
        """The numbers that are computed at run time, each bound where it is first computed."""
        return tuple(
            Symbol(
                symbol_name(number),
                _NUMBERS[type(self._values[number])].value,
                backed=False,
                bindings=(SymbolBinding(node, ""),),
            )
            for number, node in sorted(self._bound.items())
        )

    def finish(self, kept: Collection[int]) -> None:
        """Write down memory and lifetimes; values that are `kept` outlive an execution."""
        for start, stop in self.loops:
            self._span(start, stop)
        end = len(self.graph.names) - 1
        for position, numbers in self._makes.items():
            specs = []
            for number in numbers:
                one = self._values[number]
                if isinstance(one, Tensor):
                    life = (0, end) if number in kept else (self._first[number], self._last[number])
                    specs.append(memory_spec(one, life if one.allocation_info else None))
            if specs:
                self.graph.specs[position] = self._builder.spec_lists[tuple(specs)]

    def _span(self, start: int, stop: int) -> None:
        """What enters or leaves a loop is in use in all of it: each of its runs may read it."""
        for number, first in self._first.items():
            last = self._last[number]
            if first < start <= last < stop:
                self._last[number] = stop
            elif start < first <= stop < last:
                self._first[number] = start


def symbol_name(number: int) -> str:
    """The name of a number that is computed at run time, after its place in the values table."""
    return f"v{number}"
