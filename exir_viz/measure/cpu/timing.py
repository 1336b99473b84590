"""Run a plan and time every step. This loop must add no overhead: everything is prepared before.

A step's time is that of its call. The time of nested graphs of a higher-order op or a delegate is subtracted;
their nodes have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter_ns
from typing import Any

from .plan import Plan


class Stopped(Exception):
    """Raised if an op raised: the number of its node, and its arguments; the cause is chained."""

    def __init__(self, number: int, arguments: Sequence[Any]) -> None:
        super().__init__(number)
        self.number = number
        self.arguments = arguments


class Timer:
    """A Runner that fills `times`: by node number, the nanoseconds of one run; 0 if a node did not run.

    `entered` is the run's path: by plan number, how often it ran.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._within = 0
        self.times: list[int] = []
        self.entered: dict[int, int] = {}
        self.reset()

    def reset(self) -> None:
        """Start a run."""
        self.times = [0] * self._count
        self.entered = {}
        self._within = 0

    def run(self, plan: Plan, values: Sequence[Any]) -> Any:
        """Run a plan; the whole time of a nested one counts in the step that called it."""
        clock = perf_counter_ns
        begun = clock()
        times = self.times
        self.entered[plan.number] = self.entered.get(plan.number, 0) + 1
        registers = plan.template.copy()
        for slot, value in zip(plan.inputs, values, strict=True):
            registers[slot] = value
        number = -1
        given: Any = ()
        try:
            for number, slot, call, arguments, keywords, dead, holds_graphs in plan.steps:
                given = arguments(registers)
                if holds_graphs:
                    registers[slot] = self._outer(number, call, given, keywords, registers)
                elif keywords is None:
                    start = clock()
                    value = call(*given)
                    times[number] += clock() - start
                    registers[slot] = value
                else:
                    named = keywords(registers)
                    start = clock()
                    value = call(*given, **named)
                    times[number] += clock() - start
                    registers[slot] = value
                given = value = None
                for at in dead:
                    registers[at] = None
            return plan.output(registers)
        except Stopped:
            raise
        except Exception as error:
            raise Stopped(number, given) from error
        finally:
            self._within += clock() - begun

    def _outer(self, number: int, call: Any, given: Any, keywords: Any, registers: Any) -> Any:
        named = {} if keywords is None else keywords(registers)
        around, self._within = self._within, 0
        start = perf_counter_ns()
        try:
            value = call(*given, **named)
            # a step that raised has no time: it is incomplete
            self.times[number] += perf_counter_ns() - start - self._within
            return value
        finally:
            self._within = around
