"""An ExecutionPlan → one method of a Snapshot: placeholders, one node for each instruction, the output.

Placeholders come as in an ExportedProgram: constants and buffers, by their number in the values table, then
the inputs. `instruction_nodes` reads the nodes between them and the output.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from exir_viz.readers.checksums import Allowance
from exir_viz.snapshot.build import SnapshotBuilder
from exir_viz.snapshot.program import (
    Arena,
    Dialect,
    InputKind,
    MethodDetail,
    MethodRecord,
    StateEntry,
    StateKind,
)
from exir_viz.snapshot.records import Call, ObjectValue, SequenceArg, Target, TargetType

from .constants import StateReader
from .container import Container
from .corrupt import Corrupt
from .dataflow import Dataflow, read_dataflow
from .delegates import DelegateReader
from .instruction_nodes import InstructionNodes
from .instructions import plain_name
from .limits import MAX_BYTES, MAX_LIST_ITEMS, Budget
from .node_writer import NodeWriter
from .notices import explain_plan
from .schema import ExecutionPlan, KernelTypes, Tensor
from .signature import SignatureWriter
from .values import check_values, device_name

if TYPE_CHECKING:
    from exir_viz.readers.payloads.reader import PayloadReader

_OUTPUT = Target(TargetType.OUTPUT, "output")
_KINDS = {StateKind.CONSTANT: InputKind.CONSTANT_TENSOR, StateKind.BUFFER: InputKind.BUFFER}


class PlanReader:
    """Reads the plans of one file into one builder."""

    def __init__(
        self, builder: SnapshotBuilder, container: Container, allowance: Allowance, payloads: PayloadReader
    ) -> None:
        self._builder = builder
        self._container = container
        self._delegates = DelegateReader(builder, container, allowance, payloads)
        self._state = StateReader(container, allowance)
        self._items = Budget(
            MAX_LIST_ITEMS, f"its instructions take more than {MAX_LIST_ITEMS:,} items in lists"
        )

    def read(self, plan: ExecutionPlan) -> None:
        """Add one plan as a method."""
        values = check_values(plan.values)
        flow = read_dataflow(plan, values, self._items, lambda number: self._delegates.ends(plan, number))
        graph = self._builder.graph(plan.name)
        nodes = NodeWriter(self._builder, graph, values, flow)
        ends = SignatureWriter(plan.container_meta_type)
        state = self._placeholders(plan, values, flow, nodes, ends)
        instructions = InstructionNodes(self._builder, plan, nodes, self._delegates)
        instructions.read(flow)
        _output(plan, values, nodes, ends)
        graph.signature = ends.signature()
        nodes.finish(flow.buffers)
        explain_plan(self._builder, plan, values, flow, ends.unread)
        if plan.delegates:
            state += self._blobs(instructions.named_data())
        record = MethodRecord(
            plan.name, graph.number, Dialect.EXECUTORCH, symbols=nodes.symbols(), state=tuple(state)
        )
        detail = MethodDetail(in_spec=ends.in_spec, out_spec=ends.out_spec, arenas=_arenas(plan))
        self._builder.method(record, detail)

    def _placeholders(
        self,
        plan: ExecutionPlan,
        values: tuple[KernelTypes, ...],
        flow: Dataflow,
        nodes: NodeWriter,
        ends: SignatureWriter,
    ) -> list[StateEntry]:
        state: list[StateEntry] = []
        for number in sorted(flow.constants | flow.buffers):
            one = values[number]
            assert isinstance(one, Tensor)
            try:
                entry = self._state.tensor(number, one, self._builder.values[nodes.value(number)])
            except Corrupt as error:
                raise error.within(f".values[{number}]") from None
            state.append(entry)
            name = nodes.placeholder(plain_name(entry.name), number)
            ends.state(_KINDS[entry.kind], name, entry.name)
        for order, number in enumerate(plan.inputs):
            ends.user_input(nodes.placeholder(f"input_{order}", number), values[number])
        return state

    def _blobs(self, used: Collection[str] | None) -> list[StateEntry]:
        """The named data that the delegates of a method use; where that is unknown, all of the program."""
        found: list[StateEntry] = []
        for named in self._container.program.named_data:
            if used is not None and named.key not in used:
                continue
            value = self._builder.values[ObjectValue("data", "NamedData", named.key)]
            found.append(self._state.blob(named.key, named.segment_index, value))
        return found


def _output(
    plan: ExecutionPlan, values: tuple[KernelTypes, ...], nodes: NodeWriter, ends: SignatureWriter
) -> None:
    args, inputs = nodes.arguments(plan.outputs)
    call = Call((SequenceArg("tuple", args),))
    position = nodes.add("output", "output", _OUTPUT, call, inputs)
    nodes.touch(plan.outputs, position)
    for number in plan.outputs:
        maker = nodes.maker(number)
        name = "" if maker is None else nodes.graph.names[maker]
        ends.output(name, values[number], computed=maker is not None)


def _arenas(plan: ExecutionPlan) -> tuple[Arena, ...]:
    """The arenas of planned memory; the first size is reserved and means nothing."""
    devices = {
        one.buffer_idx: device_name(one.device_type, one.device_index) for one in plan.non_const_buffer_device
    }
    for number, size in enumerate(plan.non_const_buffer_sizes):
        if not 0 <= size <= MAX_BYTES:
            raise Corrupt(f"it is of {size} bytes").within(f".non_const_buffer_sizes[{number}]")
    return tuple(
        Arena(number, size, devices.get(number, "cpu"))
        for number, size in enumerate(plan.non_const_buffer_sizes)
        if number > 0
    )
