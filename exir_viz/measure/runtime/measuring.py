"""Profile a lowered program in the ExecuTorch runtime: the whole, and each delegate separately.

The total is measured. A delegate's time is an estimate: that of a program with only this delegate, minus an
empty run. Ops outside delegates are not timed: alone, most of them take less time than a call of the runtime.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

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
from exir_viz.measure.records import Executor
from exir_viz.options import wrong_argument
from exir_viz.readers.live import capture
from exir_viz.snapshot import Graph, Node, Snapshot
from exir_viz.snapshot.opkind import op_name

from .instructions import subgraphs_of
from .process import runtime_process
from .single_node import OneNode, nothing
from .summing import REPEATS, Row, record
from .worker_messages import MethodCall, PartCalls


class Lowered(NamedTuple):
    """A method of a lowered program: the Snapshot, the `.pte`'s bytes, its name."""

    program: ExportedProgram
    snapshot: Snapshot
    pte: bytes
    method: str


def profile(
    x: Any,
    args: Sequence[Any] | None,
    kwargs: Mapping[str, Any] | None,
    symbols: Mapping[str, int] | None,
    method: str | None,
    options: Options,
    callback: Callback,
) -> Profile:
    """Run a lowered program, and each of its delegates separately."""
    it = x if isinstance(x, Lowered) else lowered(x, method)
    inputs = inputs_of(it.program, args, kwargs, symbols)
    return _Measurement(it, inputs, options, Reporter(callback)).profile(it.snapshot)


class _Measurement:
    """One measurement in the runtime: the programs of its parts, and what could not be built."""

    def __init__(self, it: Lowered, inputs: Inputs, options: Options, report: Reporter) -> None:
        self._program = it.program
        self._method = it.method
        self._inputs = inputs
        self._options = options
        self._report = report
        self._pte = it.pte
        self._alone = OneNode(it.program, inputs.symbols)

    def profile(self, snapshot: Snapshot) -> Profile:
        """Build the parts, then run all in turn; an interrupt keeps the results."""
        conditions = initial_conditions(
            Executor.RUNTIME,
            threads=self._options.threads,
            inputs=self._inputs.described(),
            inputs_from=self._inputs.source,
            symbols=self._inputs.symbols,
        )
        calls = [node for node in self._program.graph.nodes if _is_delegate(node)]
        parts, failed = self._parts(calls)
        constants = tuple(at for at, place in enumerate(self._inputs.places) if place.is_constant)
        how = self._options
        found = runtime_process().measure(
            MethodCall(self._pte, self._method, tuple(self._inputs.values), constants),
            parts,
            warmup=how.warmup,
            repeats=how.repeats or REPEATS,
            threads=how.threads,
            report=self._report,
        )
        found.failed |= failed
        keys = {node.name: self._alone.key(node) for node in calls}
        rows = list(_rows(snapshot.methods[self._method].graph, keys))
        return Profile(record(snapshot, self._method, conditions, self._options, rows, found), snapshot)

    def _parts(self, nodes: Sequence[fx.Node]) -> tuple[dict[str, PartCalls], dict[str, str]]:
        """A program for each delegate, and why some could not be built."""
        parts: dict[str, PartCalls] = {}
        failed: dict[str, str] = {}
        for at, node in enumerate(nodes):
            self._report("Building a program for each delegate", at, len(nodes))
            key = self._alone.key(node)
            if key in parts or key in failed:
                continue
            try:
                parts[key] = PartCalls(self._alone.delegate(node), nothing())
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


def lowered(x: Any, method: str | None) -> Lowered:
    """The contents of a manager or a stage for the runtime; raises MeasureError for anything else."""
    staged, manager = is_stage(x), manager_of(x)
    name = chosen(manager.methods, method)
    program = manager.exported_program(name)
    snapshot = x.snapshot if staged else capture(manager)
    pte = manager.buffer if hasattr(manager, "buffer") else _last_step(manager)
    return Lowered(program, snapshot, bytes(pte), name)


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


def _rows(graph: Graph, keys: Mapping[str, str]) -> Iterator[Row]:
    """A row for each delegate; for those in branches and loops without a time."""
    for node in graph:
        if node.name in keys:
            yield Row(node.id, keys[node.name], op_name(node.target))
        elif node.op == "call_function" and subgraphs_of(node):
            yield from _nested(node)


def _nested(node: Node) -> Iterator[Row]:
    for inner in (inner for graph in subgraphs_of(node) for inner in graph if inner.op == "call_function"):
        if CALL_DELEGATE in inner.target.text:
            yield Row(inner.id, None, op_name(inner.target))
        elif subgraphs_of(inner):
            yield from _nested(inner)


def _is_delegate(node: fx.Node) -> bool:
    return node.op == "call_function" and CALL_DELEGATE in str(node.target)
