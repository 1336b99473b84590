"""A lowered program → a Profile by the ExecuTorch runtime: the whole, and delegates or all ops by themselves.

The whole is measured. A node's time is an estimate: that of a program with this node alone, less what a run
of nothing takes. What the estimates leave of the whole is the overhead; negative where they are too high.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import torch
from torch import fx
from torch.export import ExportedProgram

from exir_viz.errors import MeasureError
from exir_viz.measure.columns import NO_TIMES, columns
from exir_viz.measure.conditions import finished, taken
from exir_viz.measure.cpu.measuring import Options
from exir_viz.measure.cpu.program import Inputs, inputs_of
from exir_viz.measure.profile import Profile
from exir_viz.measure.progress import Callback, Reporter
from exir_viz.measure.records import SCHEMA, Basis, Executor, ProfileRecord, Remark, Times
from exir_viz.measure.subject import chosen, is_manager, is_stage
from exir_viz.readers.live import capture
from exir_viz.snapshot import Snapshot

from .alone import OneNode, nothing
from .pte import Loaded, threads, timed

# Without a number of repeats. The minimum and quartiles of 20 runs of an op are stable.
_REPEATS = 20
# The runtime has no such instruction: an element of a tuple is a place, not a call.
_NO_INSTRUCTION = ("getitem",)


def profile(
    x: Any,
    args: Sequence[Any] | None,
    kwargs: Mapping[str, Any] | None,
    method: str | None,
    options: Options,
    callback: Callback,
    *,
    by_op: bool,
) -> Profile:
    """Run a lowered program; with `by_op` also every op by itself, else only the delegates."""
    program, snapshot, data, name = _lowered(x, method, by_op)
    inputs = inputs_of(program, args, kwargs, None)
    with threads(options.threads):
        return _Measurement(program, data, name, inputs, options, Reporter(callback)).profile(snapshot, by_op)


class _Measurement:
    """One measurement in the runtime, and what it has said so far."""

    def __init__(
        self,
        program: ExportedProgram,
        data: bytes,
        method: str,
        inputs: Inputs,
        options: Options,
        report: Reporter,
    ) -> None:
        self._program = program
        self._method = method
        self._inputs = inputs
        self._options = options
        self._repeats = options.repeats or _REPEATS
        self._report = report
        self._loaded = Loaded(data, method)
        self._alone = OneNode(program, inputs.symbols)
        self._times: dict[str, Times | None] = {}
        self._failed: Counter[str] = Counter()
        self._interrupted = False

    def profile(self, snapshot: Snapshot, by_op: bool) -> Profile:
        """The whole first, then node by node; an interrupt keeps what there is."""
        conditions = taken(
            Executor.RUNTIME_OPS if by_op else Executor.RUNTIME,
            threads=self._options.threads,
            inputs=self._inputs.described(),
            inputs_from=self._inputs.source,
            symbols=self._inputs.symbols,
        )
        self._report("Running the program", 0, 1)
        whole = timed(self._loaded, self._given(), self._options.warmup, self._repeats)
        nodes = [node for node in self._program.graph.nodes if _is_timed(node, by_op)]
        found = self._by_node(nodes)
        record = ProfileRecord(
            schema=SCHEMA,
            method=self._method,
            dialect=snapshot.methods[self._method].dialect.value,
            conditions=finished(conditions, self._repeats, self._options.warmup),
            columns=columns(
                [f"{self._method}/{node.name}" for node in nodes],
                [Basis.ESTIMATED] * len(nodes),
                [one or NO_TIMES for one in found],
            ),
            whole=whole,
            overhead=_rest(whole, [times for times in found if times is not None]),
            complete=not self._interrupted,
            remarks=tuple(self._remarks(whole, found, by_op)),
        )
        return Profile(record, snapshot)

    def _given(self) -> list[Any]:
        """The inputs that the method takes: constants that export burnt in may be left out of it."""
        values = self._inputs.values
        if len(values) == self._loaded.wants():
            return values
        pairs = zip(self._inputs.places, values, strict=True)
        return [value for place, value in pairs if not place.is_constant]

    def _by_node(self, nodes: Sequence[fx.Node]) -> list[Times | None]:
        base = nothing()
        spent = timed(base.loaded, base.inputs, 5, 50).min
        found: list[Times | None] = []
        try:
            for at, node in enumerate(nodes):
                self._report("Running nodes one by one", at, len(nodes))
                found.append(self._one(node, spent))
        except KeyboardInterrupt:
            self._interrupted = True
        return found + [None] * (len(nodes) - len(found))

    def _one(self, node: fx.Node, base: int) -> Times | None:
        """None where the node cannot be built or run alone: it is counted, and told in a remark."""
        try:
            key = self._alone.key(node)
            if key not in self._times:
                alone = self._alone.build(node)
                self._times[key] = timed(
                    alone.loaded, alone.inputs, self._options.warmup, self._repeats, base
                )
        except Exception as error:  # noqa: BLE001  torch and ExecuTorch raise a dozen classes here
            self._failed[f"{node.target} ({type(error).__name__})"] += 1
            return None
        return self._times[key]

    def _remarks(self, whole: Times, found: Sequence[Times | None], by_op: bool) -> Iterator[Remark]:
        known = sum(times.time for times in found if times is not None)
        what = "each node" if by_op else "each delegate"
        yield Remark(
            "estimated",
            f"The whole is measured. The time of {what} is that of a program with it alone: together they "
            f"are {known / max(whole.time, 1):.0%} of the whole."
            + ("" if by_op else " What is in no delegate is not told apart: executor='executorch.ops' does."),
        )
        if self._failed:
            names = ", ".join(f"{name} ×{count}" for name, count in self._failed.most_common())
            yield Remark("unknown", f"These could not be built or run alone, and have no time: {names}.")
        if self._interrupted:
            yield Remark("interrupted", "It was interrupted: this is what was measured until then.")


def _lowered(x: Any, method: str | None, by_op: bool) -> tuple[ExportedProgram, Snapshot, bytes, str]:
    """The program whose nodes are timed, its Snapshot, the `.pte`'s bytes, the method's name."""
    staged = is_stage(x)
    manager = x.live.manager if staged and x.live is not None else x
    if not is_manager(manager):
        raise MeasureError(
            f"The ExecuTorch runtime runs lowered programs, and this is a {type(manager).__name__}. Pass "
            "what to_edge, to_edge_transform_and_lower or to_executorch returned."
        )
    name = chosen(manager.methods, method)
    program = manager.exported_program(name)
    if hasattr(manager, "buffer"):
        if by_op:
            raise MeasureError(
                "Ops can be run one by one before to_executorch, which gives each its memory: pass what "
                "to_edge or to_edge_transform_and_lower returned."
            )
        data = manager.buffer
    else:
        # to_executorch changes the manager that it is called on
        data = copy.deepcopy(manager).to_executorch().buffer
    return program, x.snapshot if staged else capture(manager), bytes(data), name


def _is_timed(node: fx.Node, by_op: bool) -> bool:
    if node.op != "call_function":
        return False
    if "executorch_call_delegate" in str(node.target):
        return True
    is_call = not isinstance(node.target, torch._ops.HigherOrderOperator)
    return by_op and is_call and getattr(node.target, "__name__", "") not in _NO_INSTRUCTION


def _rest(whole: Times, parts: Sequence[Times]) -> Times:
    """What the parts leave of the whole, in each statistic."""
    names = ("time", "min", "p25", "median", "p75")
    return Times(
        whole.n, *(getattr(whole, name) - sum(getattr(part, name) for part in parts) for name in names)
    )
