"""Differences of a quantized program that are no divergence: roundings of right ops that add up.

Each op in eight bits may round to a neighboring integer, and later ops compute with that. If every delegate
and op is right for the values that it got, a large difference of the outputs is the sum of such roundings.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from torch.export import ExportedProgram

from exir_viz.compare.values.precision import QUANTIZED
from exir_viz.compare.values.records import Numbers
from exir_viz.measure.distance import Tolerance, distance_of
from exir_viz.measure.runtime.device_calls import is_delegate
from exir_viz.snapshot.format import plural


class Roundings:
    """The check of one comparison. `ops`: by name of a delegate that was checked, how many ops it has."""

    def __init__(self, program: ExportedProgram, method: str, tolerance: Tolerance) -> None:
        self.ops: dict[str, int] = {}
        self.is_all = True  # of each input: every delegate and op is right
        self._program = program
        self._method = method
        self._tolerance = tolerance

    def judged(
        self,
        own: Mapping[str, Numbers],
        inputs: Sequence[Any],
        symbols: Mapping[str, int],
        is_quantized: Callable[[str], bool],
    ) -> dict[str, Numbers]:
        """The differences of isolated runs. Those of delegates whose roundings add up have not diverged."""
        found = dict(own)
        for node in self._program.graph.nodes:
            name = f"{self._method}/{node.name}"
            numbers = own.get(name)
            if numbers is None or not numbers.diverged or not is_delegate(node) or not is_quantized(name):
                continue
            if count := self._checked(node, inputs, symbols):
                self.ops[name] = count
                found[name] = msgspec.structs.replace(numbers, diverged=False)
        return found

    def _checked(self, node: Any, inputs: Sequence[Any], symbols: Mapping[str, int]) -> int:
        from exir_viz.measure.delegate_parts.parts import ComparedRun, DelegateParts
        from exir_viz.measure.delegate_parts.rounding import rounding_ops

        limits = self._tolerance.rtol, self._tolerance.atol
        run = ComparedRun(self._program, self._method, [*inputs], dict(symbols), *limits)
        return rounding_ops(DelegateParts(run, node))

    def finish(
        self, own: Mapping[str, Numbers], *, is_runtime: bool, outputs: tuple[Sequence[Any], Sequence[Any]]
    ) -> bool:
        """Whether all is right for one of the inputs.

        `outputs`: of the run in sequence and of the whole program, which must be the same.
        """
        is_right = is_runtime and not any(numbers.diverged for numbers in own.values())
        in_sequence, whole = map(list, outputs)
        is_right = is_right and not distance_of(in_sequence, whole, self._tolerance.of(QUANTIZED)).diverged
        self.is_all = self.is_all and is_right
        return is_right

    def notes(self, is_widened: bool) -> list[str]:
        """What the user must know of differences that do not count."""
        counts = [
            f"{name}: each of its {plural(count, 'op')} is right for the values that it got"
            for name, count in self.ops.items()
        ]
        if not counts and is_widened:
            counts = ["Each delegate and op is right for the values that it got"]
        return [f"{one}. Roundings to eight bits add up: judge the outputs by their SNR." for one in counts]
