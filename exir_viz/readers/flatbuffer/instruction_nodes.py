"""The instructions of a plan → nodes.

An instruction's number in its chain is its node's debug handle: `to_executorch` writes that number into the
nodes that it emits (in a branch of `cond` it counts from the branch's own beginning), so that a `.pte` can be
joined with the program it was made from.
"""

from __future__ import annotations

from exir_viz.snapshot.arguments import literal_of
from exir_viz.snapshot.build import GraphBuilder, SnapshotBuilder
from exir_viz.snapshot.columns import NONE
from exir_viz.snapshot.payload import named_data
from exir_viz.snapshot.records import Call, Frame, SequenceValue, TargetType, Value

from . import schema
from .corrupt import Corrupt
from .dataflow import Dataflow
from .delegates import DelegateReader, delegate_name
from .instructions import DecodedInstruction
from .node_writer import NodeWriter
from .schema import Chain, ExecutionPlan


class InstructionNodes:
    """Reads the chains of one plan."""

    def __init__(
        self,
        builder: SnapshotBuilder,
        plan: ExecutionPlan,
        nodes: NodeWriter,
        delegates: DelegateReader,
    ) -> None:
        self._builder = builder
        self._plan = plan
        self._nodes = nodes
        self._delegates = delegates
        self._graphs: dict[int, GraphBuilder] = {}

    def read(self, flow: Dataflow) -> None:
        """Add a node for every instruction, in order."""
        for order, (chain, steps) in enumerate(zip(self._plan.chains, flow.chains, strict=True)):
            starts: list[int] = []
            for step in steps:
                starts.append(len(self._nodes.graph.names))
                try:
                    self._step(step, self._trace(chain, step.number))
                except Corrupt as error:
                    raise error.within(f".chains[{order}].instructions[{step.number}]") from None
                if step.jump is not None and step.jump <= step.number:
                    self._nodes.loops.append((starts[step.jump], len(self._nodes.graph.names) - 1))

    def named_data(self) -> frozenset[str] | None:
        """The names of the data that the delegates read outside of their payloads; None if one is unknown."""
        payloads = [graph.payload for graph in self._graphs.values()]
        if len(payloads) < len(self._plan.delegates) or any(one is None or one.problem for one in payloads):
            return None
        return frozenset(key for payload in payloads for key in named_data(payload))

    def _step(self, step: DecodedInstruction, trace: int) -> None:
        nodes = self._nodes
        args, inputs = nodes.arguments(step.args)
        if step.jump is not None:
            args = (*args, literal_of(step.jump))
        position = nodes.add(
            f"{step.label}_{step.number}",
            "instruction" if step.target.type is TargetType.INSTRUCTION else "call_function",
            step.target,
            Call(args),
            inputs,
            makes=step.writes,
            value=self._value(step),
            raw=step.raw,
            trace=trace,
            handle=step.number,
        )
        nodes.touch(step.raw, position)
        for index, number in enumerate(step.results):
            nodes.made(number, position, NONE if step.single else index)
        for number in step.writes[len(step.results) :]:
            nodes.made(number, position)
        if step.delegate is not None:
            nodes.graph.holds(position, self._delegate(step.delegate).number)

    def _value(self, step: DecodedInstruction) -> Value | None:
        if not step.results:
            return None
        values = tuple(map(self._nodes.value, step.results))
        return values[0] if step.single else SequenceValue(step.sequence, values)

    def _trace(self, chain: Chain, number: int) -> int:
        """The frames of an instruction, where the program was emitted with them."""
        if number >= len(chain.stacktrace) or not chain.stacktrace[number].items:
            return NONE
        frames = map(_frame, chain.stacktrace[number].items)
        return self._builder.traces[tuple(self._builder.frames[frame] for frame in frames)]

    def _delegate(self, number: int) -> GraphBuilder:
        """The graph of a delegate: it holds no nodes, for a `.pte` has only what the backend made of them."""
        graph = self._graphs.get(number)
        if graph is None:
            graph = self._builder.graph(delegate_name(number), "delegate", self._nodes.graph.number)
            self._delegates.read(graph, self._plan.delegates[number], number)
            self._graphs[number] = graph
        return graph


def _frame(frame: schema.Frame) -> Frame:
    return Frame(frame.filename, frame.lineno, frame.name, frame.context)
