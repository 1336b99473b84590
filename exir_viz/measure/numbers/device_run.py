"""Run the second program of a comparison in the ExecuTorch runtime: as a whole, and step by step.

Each delegate and op runs twice. Isolated it gets the values that eager torch computes, so its difference is
its own error. In sequence it gets what the runtime computed before, so errors add up as on a device.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import msgspec
from torch import fx

from exir_viz.compare.values.records import DeviceRow, Numbers, Ran
from exir_viz.errors import MeasureError
from exir_viz.measure.cpu.failure import failure
from exir_viz.measure.cpu.inputs import places
from exir_viz.measure.cpu.plan import PlannedNode
from exir_viz.measure.cpu.program import CpuProgram
from exir_viz.measure.cpu.timing import Stopped
from exir_viz.measure.distance import badness
from exir_viz.measure.profilable import is_manager, is_stage
from exir_viz.measure.progress import Reporter
from exir_viz.measure.runtime.device_calls import (
    RANDOM,
    DeviceCalls,
    in_sequence,
    is_delegate,
    is_random,
    isolated,
)
from exir_viz.measure.runtime.measuring import lowered, manager_of
from exir_viz.measure.runtime.process import NotRun, RuntimeProgram, runtime_process
from exir_viz.measure.runtime.single_node import OneNode, silenced
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.opkind import does_work

# The distance of two values of a node of b, by the node's name.
Distance = Callable[[str, Any, Any], Numbers]


class DeviceRun:
    """Runs one lowered program in the runtime, for each of several inputs; keeps the worst results."""

    def __init__(self, x: Any, program: Any, method: str, snapshot: Snapshot, report: Reporter) -> None:
        self.program = program
        self.method = method
        self.whole_outputs: list[Any] | None = None
        self.why_not_whole = ""
        self._snapshot = snapshot
        self._report = report
        self._before, self._origin = _origin(x, method, program)
        self._calls: dict[tuple[tuple[str, int], ...], DeviceCalls] = {}
        self._current: DeviceCalls | None = None
        self._sequence: dict[str, Any] = {}
        self._isolated: dict[str, Numbers] = {}
        self._in_sequence: dict[str, Numbers] = {}
        self._reference = CpuProgram(program, method)
        manager_of(x)
        self._whole: RuntimeProgram | None = None
        if is_random(program):
            self.why_not_whole = f"it {RANDOM}."
            return
        try:
            with silenced():
                self._whole = RuntimeProgram(_pte(x, method), method)
        except MeasureError as error:
            self.why_not_whole = error.reason

    def prepared(self, symbols: Mapping[str, int]) -> CpuProgram:
        """The program with its steps in the runtime, for values of the symbols."""
        key = tuple(sorted(symbols.items()))
        if key not in self._calls:
            calls = DeviceCalls(OneNode(self._before, symbols), self._origin)
            calls.build(self._own_nodes(), self._report)
            self._calls[key] = calls
        self._current = self._calls[key]
        found = CpuProgram(self.program, self.method)
        self._sequence = {}
        in_sequence(found, self._current, self._sequence)
        return found

    def run_whole(self, values: Sequence[Any]) -> None:
        """Run the whole `.pte` on the inputs of the program."""
        self.whole_outputs = None
        if self._whole is None:
            return
        constants = [at for at, place in enumerate(places(self.program)) if place.is_constant]
        try:
            self.whole_outputs = self._whole.run(values, constants, is_fresh=True)
        except NotRun as error:
            self.why_not_whole = str(error)

    def run_isolated(self, values: Sequence[Any], distance: Distance) -> dict[str, Numbers]:
        """Run each delegate and op on the values that eager torch computes before it; returns the differences
        by name.
        """
        calls = self._current
        if calls is None:
            raise RuntimeError("run_isolated comes after a run in sequence")
        program = CpuProgram(self.program, self.method)
        done = 0
        own: dict[str, Numbers] = {}

        def meet(name: str, reference: Any, found: Any) -> None:
            nonlocal done
            done += 1
            self._report("Running delegates and ops isolated", done, len(calls.programs))
            own[name] = distance(name, reference, found)
            if name in self._sequence:
                followed = self._sequence.pop(name)
                self._put(self._in_sequence, name, distance(name, reference, followed))

        isolated(program, calls, meet)
        nodes = program.planner.nodes
        try:
            program.run(values, seed=0)
        except Stopped as stopped:
            raise failure(stopped, nodes, self._snapshot) from stopped.__cause__
        return own

    def keep(self, own: Mapping[str, Numbers]) -> None:
        """Keep the differences of isolated runs; of several inputs the worst counts."""
        for name, numbers in own.items():
            self._put(self._isolated, name, numbers)

    def allow_rounding(self, is_quantized: Callable[[str], bool]) -> None:
        """Count no quantized difference in sequence as a divergence: roundings of right ops add up."""
        for name, numbers in self._in_sequence.items():
            if is_quantized(name) and not numbers.unlike:
                self._in_sequence[name] = msgspec.structs.replace(numbers, diverged=False)

    def ran(self) -> dict[str, Ran]:
        """By name of a node of the method's own graph: what computed it."""
        calls = self._merged()
        found: dict[str, Ran] = {}
        for node in self.program.graph.nodes:
            name = f"{self.method}/{node.name}"
            if node.op in ("placeholder", "get_attr"):
                found[name] = Ran.INPUT
            elif name in calls:
                found[name] = calls[name]
            elif _is_item(node):
                found[name] = found.get(f"{self.method}/{node.args[0].name}", Ran.EAGER)
        return found

    def rows(self, numbers_of: Mapping[str, int]) -> Iterator[DeviceRow]:
        """The results by delegate and op; `numbers_of`: node numbers by name."""
        why = {name: text for calls in self._calls.values() for name, text in calls.why.items()}
        ran = self._merged()
        for planned in self._own_nodes():
            name = planned.id
            if name in ran and name in numbers_of:
                yield DeviceRow(
                    node=numbers_of[name],
                    ran=ran[name],
                    backend=planned.backend if is_delegate(planned.node) else "",
                    isolated=self._isolated.get(name),
                    in_sequence=self._in_sequence.get(name),
                    reason=why.get(name, ""),
                )

    def _merged(self) -> dict[str, Ran]:
        """What ran; a node that failed for one of several inputs did not run."""
        found: dict[str, Ran] = {}
        for calls in self._calls.values():
            for name, ran in calls.ran.items():
                found[name] = ran if found.get(name) is not Ran.NOT_RUN else Ran.NOT_RUN
        return found

    def _own_nodes(self) -> list[PlannedNode]:
        """The nodes of the method's own graph that compute, without those of nested graphs."""
        nodes = self._reference.planner.nodes
        return [nodes[step.number] for step in self._reference.plan.steps]

    def worst_ran(self) -> Ran:
        """The runtime if it ran every delegate and op."""
        is_all = all(ran is Ran.RUNTIME for ran in self._merged().values())
        return Ran.RUNTIME if is_all else Ran.EMULATED

    def forget(self) -> None:
        """Free the programs in the process of the runtime."""
        runtime_process().forget()

    def _put(self, into: dict[str, Numbers], name: str, found: Numbers) -> None:
        former = into.get(name)
        if former is None or badness(found) > badness(former):
            into[name] = found


def _pte(x: Any, method: str) -> bytes:
    return lowered(x, method).pte


def _origin(x: Any, method: str, program: Any) -> tuple[Any, dict[str, fx.Node] | None]:
    """The program whose nodes become programs of their own, and by name of a node of b that node.

    The nodes of an executorch stage write to planned memory; those of the stage before do not.
    """
    is_planned = any(
        "alloc" in str(node.target) for node in program.graph.nodes if node.op == "call_function"
    )
    if not is_planned:
        return program, None
    before = _before_memory(x) if is_stage(x) else None
    if before is None:
        return program, {}
    earlier = before.live.manager.exported_program(method)
    nodes = {node.name: node for node in earlier.graph.nodes}
    became = _operators_became(x, before, method)
    return earlier, {now: nodes[name] for name, now in became.items() if name in nodes}


def _before_memory(stage: Any) -> Any:
    """The stage that an executorch stage was made from, before each op got its memory; None without one."""
    before = stage.parent
    return (
        before if before is not None and before.live is not None and is_manager(before.live.manager) else None
    )


def _operators_became(stage: Any, before: Any, method: str) -> dict[str, str]:
    """By name of an op of the parent stage: the op that it became, by lineage."""
    found: dict[str, str] = {}
    graph = before.snapshot.methods[method].graph
    for node in stage.snapshot.methods[method].graph:
        if node.op != "call_function" or not does_work(node.target):
            continue
        for link in stage.ancestors(node):
            if link.node.graph == graph:
                found.setdefault(link.node.name, node.name)
    return found


def _is_item(node: fx.Node) -> bool:
    return getattr(node.target, "__name__", "") == "getitem" and isinstance(node.args[0], fx.Node)
