"""Attribute calls in an ETDump to nodes.

In an ExecuTorch program an instruction is a node. In an edge program an ETRecord names debug handles, which
are those of exported nodes: the ops that one decomposed into share its handle. The kernel's op distinguishes
them; if it cannot, and for a delegate as a whole, the time is divided evenly, and is an estimate.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from exir_viz.errors import MeasureError
from exir_viz.measure.cpu.plan import CALL_DELEGATE
from exir_viz.readers.etrecord import Delegated, Delegates, Handles
from exir_viz.snapshot import Graph, Node
from exir_viz.snapshot.opkind import op_name
from exir_viz.snapshot.snapshot import Method

from .events import BackendTime, InstructionTimes
from .instructions import by_instruction, subgraphs_of


@dataclass(slots=True)
class Placed:
    """The nanoseconds of one node by run; `is_sure` if all of them are its own."""

    node: Node
    runs: list[int]
    calls: int = 1
    is_sure: bool = True


@dataclass(slots=True)
class Found:
    """Results by node; and instructions and parts of delegates that belong to no known node."""

    nodes: dict[str, Placed] = field(default_factory=dict)
    lost: list[int] = field(default_factory=list)
    unnamed: int = 0
    faster: int = 0

    def add(self, nodes: Sequence[Node], runs: Sequence[int], calls: int, is_sure: bool) -> None:
        """Add a time that belongs to all these nodes together."""
        for at, node in enumerate(nodes):
            share = [run * (at + 1) // len(nodes) - run * at // len(nodes) for run in runs]
            kept = self.nodes.get(node.id)
            if kept is None:
                self.nodes[node.id] = Placed(node, share, calls, is_sure and len(nodes) == 1)
                continue
            kept.runs = [a + b for a, b in zip(kept.runs, share, strict=True)]
            kept.calls = max(kept.calls, calls)
            kept.is_sure = kept.is_sure and is_sure and len(nodes) == 1


class Instructions:
    """Attributes times to an ExecuTorch program; `delegates` names the parts inside backends."""

    def __init__(self, method: Method, delegates: Delegates) -> None:
        self._nodes = by_instruction(method)
        self._delegates = delegates

    def place(self, calls: Iterable[InstructionTimes]) -> Found:
        found = Found()
        for call in calls:
            node = self._nodes.get(call.instruction)
            if node is None:
                found.lost.append(call.instruction)
                continue
            _insist(call, node)
            graphs = [inner for graph in subgraphs_of(node) for inner in graph.walk()]
            within = _by_handle(graphs)
            parts_time = _parts(found, call, self._delegates.get(call.instruction), within)
            own = [whole - part for whole, part in zip(call.runs, parts_time, strict=True)]
            found.add([node], own, call.calls, is_sure=True)
        return found


class Recorded:
    """Attributes times to an edge program, by the maps of the ETRecord that was made with it."""

    def __init__(self, method: Method, handles: Handles, delegates: Delegates) -> None:
        self._nodes = _by_handle(method.graphs())
        self._handles = handles
        self._delegates = delegates

    def place(self, calls: Iterable[InstructionTimes]) -> Found:
        found, named, fitting = Found(), 0, 0
        for call in calls:
            nodes = _of(self._handles.get(call.instruction), self._nodes)
            if not nodes:
                found.lost.append(call.instruction)
                continue
            if call.is_delegate:
                self._place_delegate(found, call, nodes)
                continue
            fit = [node for node in nodes if node.target.name == call.kernel]
            named, fitting = named + bool(call.kernel), fitting + bool(fit)
            found.add(fit or nodes, call.runs, call.calls, is_sure=True)
        if fitting * 2 < named:
            raise MeasureError(
                f"The ETDump names the kernels of {named} instructions, and only {fitting} of them fit the "
                f"nodes: the ETDump and the ETRecord are of different programs. {_BRING}"
            )
        return found

    def _place_delegate(self, found: Found, call: InstructionTimes, nodes: Sequence[Node]) -> None:
        """To the parts that the backend named; else evenly to all its nodes."""
        parts_time = _parts(found, call, self._delegates.get(call.instruction), self._nodes)
        if not any(parts_time):
            found.add(nodes, call.runs, call.calls, is_sure=False)


_BRING = "Pass the executorch-stage program or the ETRecord of the lowering that wrote the .pte."


def _insist(call: InstructionTimes, node: Node) -> None:
    """Check that an instruction has the expected op: every program has an instruction of that number."""
    is_delegate = CALL_DELEGATE in node.target.text
    if call.is_delegate == is_delegate and call.kernel in ("", node.target.name):
        return
    ran = "a delegate" if call.is_delegate else call.kernel or "an op"
    raise MeasureError(
        f"Instruction {call.instruction} of the ETDump ran {ran}, and in this Snapshot it is {node.name!r}, "
        f"{op_name(node.target)}: the ETDump is of another program. {_BRING}"
    )


def _parts(
    found: Found, call: InstructionTimes, delegate: Delegated | None, nodes: dict[int, list[Node]]
) -> list[int]:
    """Attribute times that a backend recorded within its call, and return their share of each run.

    If the parts take longer than the call, they used another clock or ran in parallel: they do not add up,
    and are left out.
    """
    nothing = [0] * len(call.runs)
    named = [(part, _of(_handles(part, delegate), nodes)) for part in call.parts]
    found.unnamed += sum(not of for _, of in named)
    known = [(part, of) for part, of in named if of]
    parts_time = [sum(run) for run in zip(nothing, *(part.runs for part, _ in known), strict=True)]
    if any(part > whole for part, whole in zip(parts_time, call.runs, strict=True)):
        found.faster += 1
        return nothing
    for part, of in known:
        found.add(of, part.runs, call.calls, is_sure=True)
    return parts_time


def _handles(part: BackendTime, delegate: Delegated | None) -> list[int]:
    return (delegate.delegate_map or {}).get(part.number, []) if delegate is not None else []


def _of(handles: int | list[int] | None, nodes: dict[int, list[Node]]) -> list[Node]:
    """The nodes that have one of these handles, each once."""
    listed = [handles] if isinstance(handles, int) else handles or ()
    return list({node.id: node for handle in listed for node in nodes.get(handle, ())}.values())


def _by_handle(graphs: Iterable[Graph]) -> dict[int, list[Node]]:
    """The nodes that compute, by debug handle; in a lowered program also delegated ones."""
    found: dict[int, list[Node]] = {}
    for graph in graphs:
        for node in graph:
            is_call = node.op == "call_function" and CALL_DELEGATE not in node.target.text
            if node.debug_handle is not None and is_call:
                found.setdefault(node.debug_handle, []).append(node)
    return found
