"""Profile a lowered program in the ExecuTorch runtime: the whole, and delegates or all ops separately.

The total is measured. A node's time is an estimate: that of a program with only this node, minus an empty
run. The difference between the total and the estimates is the overhead, negative if they are too high.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec
from torch import fx
from torch.export import ExportedProgram

from exir_viz.errors import MeasureError
from exir_viz.measure.conditions import initial_conditions
from exir_viz.measure.cpu.describe import first_line
from exir_viz.measure.cpu.measuring import Options
from exir_viz.measure.cpu.plan import CALL_DELEGATE
from exir_viz.measure.cpu.program import Inputs, inputs_of
from exir_viz.measure.profilable import chosen, is_manager, is_stage
from exir_viz.measure.profile import Profile
from exir_viz.measure.progress import Callback, Reporter
from exir_viz.measure.records import Executor, Remark
from exir_viz.options import wrong_argument
from exir_viz.readers.live import capture
from exir_viz.snapshot import Graph, Node, Snapshot
from exir_viz.snapshot.opkind import ITEM, does_work, op_name
from exir_viz.torch_internals.operators import HigherOrderOperator

from .instructions import subgraphs_of
from .process import runtime_process
from .single_node import OneNode
from .summing import REPEATS, Row, record
from .worker_messages import Call, PartCalls


class Lowered(NamedTuple):
    """A method of a lowered program: its nodes to time, the Snapshot, the `.pte`'s bytes, its name.

    `became`: by name of a node of the program, the Snapshot's node that gets its time; None if the Snapshot
    is that of the program.
    """

    program: ExportedProgram
    snapshot: Snapshot
    pte: bytes
    method: str
    became: Mapping[str, str] | None = None


def profile(  # noqa: PLR0913  as the user asked for it
    x: Any,
    args: Sequence[Any] | None,
    kwargs: Mapping[str, Any] | None,
    symbols: Mapping[str, int] | None,
    method: str | None,
    options: Options,
    callback: Callback,
    *,
    by_op: bool,
) -> Profile:
    """Run a lowered program; with `by_op` also every op separately, else only the delegates."""
    it = x if isinstance(x, Lowered) else lowered(x, method, by_op=by_op)
    inputs = inputs_of(it.program, args, kwargs, symbols)
    found = _Measurement(it, inputs, options, Reporter(callback)).profile(it.snapshot, by_op)
    return found if it.became is None else _profile_of_parent(found)


def _profile_of_parent(profile: Profile) -> Profile:
    """The profile of ops that were timed in the form of the parent stage."""
    remark = Remark(
        "estimated",
        "Ops were timed before to_executorch, which plans their memory. Each op of this program has the time "
        "of the op that it was made from.",
    )
    record = msgspec.structs.replace(profile.record, remarks=(*profile.record.remarks, remark))
    return Profile(record, profile.snapshot)


class _Measurement:
    """One measurement in the runtime: the programs of its parts, and what could not be built."""

    def __init__(self, it: Lowered, inputs: Inputs, options: Options, report: Reporter) -> None:
        self._program = it.program
        self._method = it.method
        self._became = it.became
        self._inputs = inputs
        self._options = options
        self._report = report
        self._pte = it.pte
        self._alone = OneNode(it.program, inputs.symbols)

    def profile(self, snapshot: Snapshot, by_op: bool) -> Profile:
        """Build the parts, then run all in turn; an interrupt keeps the results."""
        conditions = initial_conditions(
            Executor.RUNTIME_OPS if by_op else Executor.RUNTIME,
            threads=self._options.threads,
            inputs=self._inputs.described(),
            inputs_from=self._inputs.source,
            symbols=self._inputs.symbols,
        )
        nodes = [node for node in self._program.graph.nodes if _is_timed(node, by_op)]
        parts, failed = self._parts(nodes, "op" if by_op else "delegate")
        constants = tuple(at for at, place in enumerate(self._inputs.places) if place.is_constant)
        how = self._options
        found = runtime_process().measure(
            Call(self._pte, self._method, tuple(self._inputs.values), constants),
            parts,
            warmup=how.warmup,
            repeats=how.repeats or REPEATS,
            threads=how.threads,
            report=self._report,
        )
        found.failed |= failed
        became = {node.name: node.name for node in nodes} if self._became is None else self._became
        keys = {became[node.name]: self._alone.key(node) for node in nodes if node.name in became}
        rows = list(_rows(snapshot.methods[self._method].graph, keys, by_op))
        return Profile(record(snapshot, self._method, conditions, self._options, rows, found), snapshot)

    def _parts(self, nodes: Sequence[fx.Node], each: str) -> tuple[dict[str, PartCalls], dict[str, str]]:
        """A program for each kind of node, and why some could not be built."""
        parts: dict[str, PartCalls] = {}
        failed: dict[str, str] = {}
        for at, node in enumerate(nodes):
            self._report(f"Building a program for each {each}", at, len(nodes))
            key = self._alone.key(node)
            if key in parts or key in failed:
                continue
            try:
                parts[key] = self._alone.build(node)
            except Exception as error:  # noqa: BLE001  torch and ExecuTorch raise a dozen classes here
                failed[key] = first_line(error)
        return parts, failed


def manager_of(x: Any) -> Any:
    """The manager of a lowered program or a stage; raises MeasureError for anything else."""
    manager = x.live.manager if is_stage(x) and x.live is not None else x
    if not is_manager(manager):
        raise wrong_argument(
            f"The ExecuTorch runtime runs lowered programs, and this is of type {type(manager).__name__}. "
            "Pass what to_edge, to_edge_transform_and_lower or to_executorch returned. A .pte file is "
            "measured by exir_viz.measure.runtime.file.profile_file(path, trust=True)."
        )
    return manager


def lowered(x: Any, method: str | None, *, by_op: bool) -> Lowered:
    """The contents of a manager or a stage for the runtime; raises MeasureError for anything else."""
    staged, manager = is_stage(x), manager_of(x)
    name = chosen(manager.methods, method)
    program = manager.exported_program(name)
    snapshot = x.snapshot if staged else capture(manager)
    if not hasattr(manager, "buffer"):
        return Lowered(program, snapshot, bytes(_last_step(manager)), name)
    if not by_op:
        return Lowered(program, snapshot, bytes(manager.buffer), name)
    before = before_memory(x) if staged else None
    if before is None:
        raise MeasureError(
            "Ops can be timed one by one only before to_executorch, which plans their memory. Pass what "
            "to_edge or to_edge_transform_and_lower returned, or a session's stage made from that."
        )
    program = before.live.manager.exported_program(name)
    return Lowered(program, snapshot, bytes(manager.buffer), name, operators_became(x, before, name))


def before_memory(stage: Any) -> Any:
    """The stage that an executorch stage was made from, before each op got its memory; None without one."""
    before = stage.parent
    return (
        before if before is not None and before.live is not None and is_manager(before.live.manager) else None
    )


def operators_became(stage: Any, before: Any, method: str) -> dict[str, str]:
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


def _last_step(manager: Any) -> bytes:
    """The `.pte` of an edge program, from ExecuTorch's last step, which changes its input."""
    try:
        data: bytes = copy.deepcopy(manager).to_executorch().buffer
    except Exception as error:
        if _is_planned(manager):
            raise MeasureError(
                "to_executorch was called on this manager already, which changed its programs so that it "
                "cannot be called again. Pass what it returned, or lower the program again."
            ) from error
        raise MeasureError(
            f"ExecuTorch cannot make a .pte of it ({first_line(error)}), so its runtime cannot run it. "
            "Session(…).edge().executorch() names the node that prevents it; executor='cpu' measures it."
        ) from error
    return data


def _is_planned(manager: Any) -> bool:
    """Whether `to_executorch`, which plans the memory of every value in place, was called on it."""
    programs = map(manager.exported_program, manager.methods)
    return any("spec" in node.meta for program in programs for node in program.graph.nodes)


def _rows(graph: Graph, keys: Mapping[str, str], by_op: bool) -> Iterator[Row]:
    """A row for each node with a time, and for all nodes in branches and loops, without one."""
    for node in graph:
        if node.name in keys:
            yield Row(node.id, keys[node.name], op_name(node.target))
        elif node.op == "call_function" and subgraphs_of(node):
            yield from _nested(node, by_op)


def _nested(node: Node, by_op: bool) -> Iterator[Row]:
    for inner in (inner for graph in subgraphs_of(node) for inner in graph if inner.op == "call_function"):
        is_delegate = CALL_DELEGATE in inner.target.text
        if subgraphs_of(inner) and not is_delegate:
            yield from _nested(inner, by_op)
        elif is_delegate or (by_op and does_work(inner.target)):
            yield Row(inner.id, None, op_name(inner.target))
    if by_op:
        yield Row(node.id, None, op_name(node.target))


def _is_timed(node: fx.Node, by_op: bool) -> bool:
    if node.op != "call_function":
        return False
    if CALL_DELEGATE in str(node.target):
        return True
    is_call = not isinstance(node.target, HigherOrderOperator)
    return by_op and is_call and getattr(node.target, "__name__", "") != ITEM
