"""A `.pte` in the runtime: loaded once, run and timed repeatedly."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from time import perf_counter_ns
from typing import Any

import torch

from exir_viz.errors import MeasureError, as_clause
from exir_viz.torch_internals.files import operators_of
from exir_viz.torch_internals.runtime import kernel_names, loaded


class Loaded:
    """A program in the runtime. The runtime does not copy the bytes: this object keeps them alive."""

    def __init__(self, data: bytes, method: str = "forward") -> None:
        self._data = data
        self._method = method
        try:
            self._module = loaded(data)
        except RuntimeError as error:
            raise MeasureError(f"The ExecuTorch runtime could not load the program: {error}") from error

    def renewed(self) -> Loaded:
        """The same program with the state that it has before its first run."""
        return Loaded(self._data, self._method)

    def sibling(self, method: str) -> Loaded:
        """Another method of the same program."""
        other = copy.copy(self)
        other._method = method
        return other

    def run(self, inputs: Sequence[Any]) -> list[Any]:
        """One run; the outputs are copies of our own."""
        try:
            outputs: list[Any] = self._module.run_method(self._method, tuple(inputs), True)
        except RuntimeError as error:
            raise self._failure(error, inputs) from error
        return outputs

    def _failure(self, error: Exception, inputs: Sequence[Any]) -> MeasureError:
        missing = ", ".join(self._missing())
        if missing:
            return MeasureError(
                f"The ExecuTorch runtime that is installed has no kernel for {missing}. Lower it to a "
                "backend that has one, or measure with executor='cpu'.",
                op=missing,
            )
        given = ", ".join(_description(value) for value in inputs)
        return MeasureError(
            f"The ExecuTorch runtime could not run {self._method!r}: {as_clause(error)}. "
            f"It was given {given}.",
            given=given,
        )

    def _missing(self) -> list[str]:
        """The operators that the program calls and the runtime does not have."""
        called, there = operators_of(self._data), kernel_names()
        return [] if called is None or there is None else sorted(called - there)

    def wants(self) -> int:
        """How many inputs the method has."""
        return int(self._module.method_meta(self._method).num_inputs())

    def time(self, inputs: Sequence[Any]) -> int:
        """Nanoseconds of one run, including passing inputs but not copying outputs."""
        given, run, method = tuple(inputs), self._module.run_method, self._method
        start = perf_counter_ns()
        run(method, given, False)
        return perf_counter_ns() - start


def _description(value: Any) -> str:
    from exir_viz.measure.cpu.describe import short_text

    return short_text(value) if isinstance(value, torch.Tensor) else repr(value)
