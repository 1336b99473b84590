"""Runs a plan and times every step of it. This is the loop that must add nothing: all is prepared before.

A step's time is that of its call alone. What a higher-order op or a delegate spends in the graphs it holds is
taken from its own time; their nodes have it.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter_ns
from typing import Any

from .plan import Plan


class Stopped(Exception):
    """An op raised: the number of its node, and what it was called with; the cause is chained."""

    def __init__(self, number: int, arguments: Sequence[Any]) -> None:
        super().__init__(number)
        self.number = number
        self.arguments = arguments


class Timer:
    """A Runner that fills `times`: by node number, the nanoseconds of one run; 0 where a node did not run.

    `entered` is the run's path: by the number of a plan, how often it ran.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._within = 0
        self.times: list[int] = []
        self.entered: dict[int, int] = {}
        self.reset()

    def reset(self) -> None:
        """Begin a run."""
        self.times = [0] * self._count
        self.entered = {}
        self._within = 0

    def run(self, plan: Plan, values: Sequence[Any]) -> Any:
        """Run a plan; for a nested one, its whole time counts as within the step that called it."""
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
            # of one that raises there is no time: it did not come to its end
            self.times[number] += perf_counter_ns() - start - self._within
            return value
        finally:
            self._within = around
