"""An ExportedProgram prepared to run on this CPU repeatedly, and the inputs of its runs."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch.export import ExportedProgram

from exir_viz.measure.records import GivenInput
from exir_viz.torch_internals.process_state import Interruption, undisturbed

from .check import check, check_agreement, check_symbols
from .describe import short_text
from .inputs import Place, made, places
from .plan import Plan, Planner
from .real import are_real, check_state
from .state import State
from .structure import examples, flatten
from .survey import Survey
from .symbols import by_torch_names, torch_names
from .timing import Timer
from .watching import Visitor, Watcher


@dataclass(frozen=True)
class Inputs:
    """The user's inputs, flat, and their origin; `symbols` are the values they bind.

    `unread` are the program's guards that could not be checked.
    """

    places: list[Place]
    values: list[Any]
    source: str
    symbols: dict[str, int]
    unread: tuple[str, ...]

    def described(self) -> tuple[GivenInput, ...]:
        pairs = zip(self.places, self.values, strict=True)
        return tuple(GivenInput(place.path, short_text(value)) for place, value in pairs)


class CpuProgram:
    """A program prepared to run on this CPU repeatedly."""

    def __init__(self, program: ExportedProgram, method: str = "forward") -> None:
        self.program = program
        self.planner = Planner()
        self.plan: Plan = self.planner.plan(program.graph_module, method)
        self.state = State(program)

    def inputs(
        self, args: Sequence[Any] | None, kwargs: Mapping[str, Any] | None, symbols: Mapping[str, int] | None
    ) -> Inputs:
        """The inputs of a run: see `inputs_of`."""
        return inputs_of(self.program, args, kwargs, symbols)

    def state_tensors(self) -> list[torch.Tensor]:
        """All state: the program's own, and that of delegates."""
        return [tensor for state in (self.state, *self.planner.states) for tensor in state.tensors()]

    def run(self, values: Sequence[Any], seed: int | None = None) -> list[Any]:
        """One run without timing: every output of the graph in the order of its signature.

        seed: of its random numbers; None: it continues torch's own.
        """

        def run(_interruption: Interruption) -> list[Any]:
            with torch.no_grad(), torch.random.fork_rng(devices=[]):
                if seed is not None:
                    torch.manual_seed(seed)
                return list(self.once(Timer(len(self.planner.nodes)), self.state.values(values)))

        return undisturbed(run)

    def watched(self, visit: Visitor, values: Sequence[Any]) -> Generator[int, None, Any]:
        """One run that pauses after each call, on values from `state`; see `Watcher.steps`."""
        watcher = Watcher(visit)
        self.planner.runner = watcher
        return watcher.steps(self.plan, values)

    def once(self, runner: Timer | Survey, values: Sequence[Any]) -> Any:
        """One run by the caller's runner, on values from `state`."""
        self.planner.runner = runner
        return runner.run(self.plan, values)


def inputs_of(
    program: ExportedProgram,
    args: Sequence[Any] | None,
    kwargs: Mapping[str, Any] | None,
    symbols: Mapping[str, int] | None,
) -> Inputs:
    """The given inputs, else the program's examples, else generated ones; checked against the program."""
    source = "given"
    check_state(program)
    symbols = by_torch_names(symbols or {}, torch_names(program))
    check_symbols(program, symbols)
    symbols = {name: int(number) for name, number in symbols.items()}
    if args is not None or kwargs:
        values = flatten(program, args or (), kwargs or {})
    else:
        kept = None if symbols else examples(program)
        kept = kept if kept is not None and are_real(kept) else None
        source = "made" if kept is None else "example"
        values = made(program, symbols) if kept is None else kept
    found = places(program)
    bound, unread = check(program, found, values)
    check_agreement(program, symbols, bound)
    return Inputs(found, values, source, bound, unread)
