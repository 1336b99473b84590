"""Run a plan and pass every value to a visitor; the top graph step by step, so that two can take turns.

Profiling does not use this: watching is a Runner of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any, TypeAlias

from .plan import Plan
from .timing import Stopped

# Called with the path of a graph, the position of a node in it, and the value; in a loop, every turn.
Visitor: TypeAlias = Callable[[str, int, Any], None]


class Watcher:
    """A Runner that passes each value to a visitor, before anything can write to it."""

    def __init__(self, visit: Visitor) -> None:
        self._visit = visit

    def run(self, plan: Plan, values: Sequence[Any]) -> Any:
        """Run a plan to its end; nested graphs use this."""
        steps = self.steps(plan, values)
        while True:
            try:
                next(steps)
            except StopIteration as done:
                return done.value

    def steps(self, plan: Plan, values: Sequence[Any]) -> Generator[int, None, Any]:
        """Run a plan, pausing after its inputs and after each call; yields the current position.

        A value's register is its node's position; further registers hold constants.
        """
        registers = plan.template.copy()
        for slot, value in enumerate(registers[: plan.size]):
            if value is not None:
                self._visit(plan.path, slot, value)
        for slot, value in zip(plan.inputs, values, strict=True):
            registers[slot] = value
            self._visit(plan.path, slot, value)
        yield -1
        for step in plan.steps:
            given: Any = ()
            named: Mapping[str, Any] = {}
            try:
                given = step.arguments(registers)
                named = {} if step.keywords is None else step.keywords(registers)
                value = step.call(*given, **named)
            except Stopped:
                raise
            except Exception as error:
                raise Stopped(step.number, given) from error
            registers[step.slot] = value
            # The out variant of an op with a list, such as split, returns nothing: it wrote its value.
            self._visit(plan.path, step.slot, named.get("out") if value is None else value)
            given, named, value = (), {}, None
            for slot in step.dead:
                registers[slot] = None
            yield step.slot
        return plan.output(registers)
