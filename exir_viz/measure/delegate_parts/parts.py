"""One delegate of a lowered program: lower parts of it again, and tell how far each is from eager torch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import fx
from torch.export import ExportedProgram

from exir_viz.compare.values.precision import QUANTIZED
from exir_viz.compare.values.records import Numbers
from exir_viz.errors import MeasureError
from exir_viz.measure.cpu.program import CpuProgram
from exir_viz.measure.distance import Tolerance, badness, distance_of
from exir_viz.measure.runtime.device_calls import laid_out
from exir_viz.measure.runtime.process import RuntimeProgram
from exir_viz.measure.runtime.single_node import OneNode, lowered_module, silenced

from .regions import Part, dequantizes, quantizes

# How far the integers of a quantized value may differ.
_TWO_STEPS = Tolerance(rtol=0.0, atol=2.0)


class ComparedRun(NamedTuple):
    """What a comparison ran in the runtime: the program, its inputs, the symbols' values, the tolerance."""

    program: ExportedProgram
    method: str
    inputs: list[Any]
    symbols: dict[str, int]
    rtol: float
    atol: float


class DelegateParts:
    """The parts of one delegate: eager torch's values for it, and how far the backend is from them."""

    def __init__(self, run: ComparedRun, call: fx.Node) -> None:
        lowered = lowered_module(run.program.graph_module, call)
        self.lowered = lowered
        self.program: ExportedProgram = lowered.original_module
        self._alone = OneNode(run.program, run.symbols)
        self._tolerance = Tolerance(run.rtol, run.atol)
        self.values = _values_of(self.program, _arguments(run, call))

    def tolerance_of(self, is_quantized: bool, dtype: str = "") -> Tolerance:
        """The tolerance for a value of a dtype, wider if it was computed through quantized integers."""
        return self._tolerance.of(QUANTIZED if is_quantized else dtype)

    def lower(self, cut: Part) -> Any:
        """Lower a part to the same backend again; raises if the backend cannot."""
        from executorch.exir.backend.backend_api import to_backend

        with silenced():
            return to_backend(self.lowered.backend_id, cut.program, self.lowered.compile_specs)

    def payload(self) -> bytes:
        """The delegate with the payload that it has, as a `.pte`."""
        return self._pte(self.lowered)

    def _pte(self, lowered: Any) -> bytes:
        with silenced():
            return self._alone.delegate_data(lowered)

    def run(self, lowered: Any, cut: Part) -> list[Any]:
        """What the runtime computes for a lowered part; raises if it cannot be run."""
        data = self._pte(lowered)
        return RuntimeProgram(data).run([laid_out(self.values[one], one) for one in cut.inputs])

    def distance(self, lowered: Any, cut: Part) -> Numbers:
        """How far a lowered part is from eager torch; raises if it cannot be run."""
        found = self.run(lowered, cut)
        worst: Numbers | None = None
        for node, value in zip(cut.outputs, found, strict=True):
            one = self._distance(node, self.values[node], value, cut)
            worst = one if worst is None or badness(one) > badness(worst) else worst
        if worst is None:
            raise MeasureError("no value of the part is read outside of it")
        return worst

    def wrong_values(self, values: Sequence[Any], cut: Part) -> set[fx.Node]:
        """The nodes whose values are wrong for the values that the runtime computed before.

        `values`: what the runtime computes for the part's outputs. Of a node that quantizes, the integers may
        differ by two.
        """
        found: dict[str, Any] = {}
        outputs: dict[str, fx.Node] = {}
        for node, value in zip(cut.outputs, values, strict=True):
            integers = _integers(node, value)
            shown = node if integers is None else node.all_input_nodes[0]
            found[shown.name], outputs[shown.name] = value if integers is None else integers, shown
        wrong: set[fx.Node] = set()

        class FromRuntime(fx.Interpreter):
            """Continues with the runtime's values."""

            def run_node(_, node: fx.Node) -> Any:  # noqa: N805  self is the parts
                value = fx.Interpreter.run_node(_, node)
                if node.op == "output" or node.name not in found:
                    return value
                shown = outputs[node.name]
                if quantizes(shown):
                    own = distance_of(value.double(), found[node.name].double(), _TWO_STEPS)
                else:
                    own = self._distance(shown, value, found[node.name], cut)
                if own.diverged:
                    wrong.add(shown)
                return found[node.name].to(value.dtype)

        program, tables = cut.program, {**cut.program.state_dict, **cut.program.constants}
        targets = [one.target for one in program.graph_signature.input_specs if one.target is not None]
        given = [*(tables[one] for one in targets), *(self.values[node] for node in cut.inputs)]
        with torch.no_grad():
            FromRuntime(program.graph_module).run(*given)
        return wrong

    def _distance(self, node: fx.Node, expected: Any, value: Any, cut: Part) -> Numbers:
        is_quantized = any(quantizes(one) for one in cut.program.graph.nodes)
        tolerance = self.tolerance_of(is_quantized, str(expected.dtype).removeprefix("torch."))
        if quantizes(node) and isinstance(node.args[2], int):
            expected, value = (one.double() - node.args[2] for one in (expected, value))
        return distance_of(expected, value, tolerance)


def _integers(node: fx.Node, value: Any) -> Any:
    """The integers that a node of the part dequantizes, from its value; None for other nodes."""
    is_known = dequantizes(node) and node.all_input_nodes[0].op == "call_function"
    if not is_known or not isinstance(node.args[1], float) or not isinstance(node.args[2], int):
        return None
    return torch.round(value.double() / node.args[1]) + node.args[2]


def _arguments(run: ComparedRun, call: fx.Node) -> list[Any]:
    """What eager torch passes to a delegate."""
    program = CpuProgram(run.program, run.method)
    kept: list[Any] = []
    nodes, plan = program.planner.nodes, program.plan
    for at, step in enumerate(plan.steps):
        if nodes[step.number].node is call:

            def caught(*args: Any, eager: Any = step.call) -> Any:
                kept.extend(args)
                return eager(*args)

            plan.steps[at] = step._replace(call=caught)
    program.run(run.inputs, seed=0)
    return kept


def _values_of(program: ExportedProgram, inputs: Sequence[Any]) -> dict[fx.Node, Any]:
    """Eager torch's value of each node of a delegate's program."""
    prepared = CpuProgram(program, "delegate")
    nodes = list(program.graph.nodes)
    found: dict[fx.Node, Any] = {}

    def keep(path: str, slot: int, value: Any) -> None:
        if path == "delegate":
            found[nodes[slot]] = value

    with torch.no_grad():
        for _ in prepared.watched(keep, prepared.state.values(inputs)):
            pass
    return found
