"""The steps of the pipeline: what a step is made of, and the table of all of them.

A step is real: it calls torch or ExecuTorch and gives what they give. It imports them when it runs, never
when its module is imported, for a saved session is opened without torch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from exir_viz.snapshot.program import Notice
from exir_viz.stages.live import LivePrograms
from exir_viz.stages.records import Failure, Finding, Option, StepKind

if TYPE_CHECKING:
    from exir_viz.stages.stage import Stage

Options = Mapping[str, Any]


class Progress(Protocol):
    """Reports what a step is doing; `fraction` is the part that is done, if known."""

    def __call__(self, text: str, fraction: float | None = None) -> None: ...


@dataclass(frozen=True)
class StepResult:
    """What a step gives.

    title: replaces the step's own where it says more ("Core ATen").
    name: the stage's, until the user renames it ("core").
    """

    live: LivePrograms
    findings: tuple[Finding, ...] = ()
    notices: tuple[Notice, ...] = ()
    title: str = ""
    name: str = ""


def unexplained(_error: Exception, _live: LivePrograms, _options: Options) -> None:
    """A step's `explain` where nothing is known of any error: it is then told in its own words."""


@dataclass(frozen=True)
class StepSpec:
    """A kind of step.

    options: what a form asks for; `run` gets a value for each that was given, by name, and no others.
    others: what can be given from Python only, by name.
    unasked: of a stage that has a program: those of the options that mean nothing there.
    why_not: of a stage that has a program: why the step cannot be done there; "" where it can.
    run: makes the next programs. Those it is given are a copy, which it may change. It raises what torch
         raises, and NotPossible for options that make no sense: then there is no new stage, only the error.
    extra: what has to be installed for it beside torch: "executorch", or "" for nothing.
    imports: modules that are imported before the step's clock starts: the first import of ExecuTorch takes
         seconds, and what it says then is no step's.
    quiet: catch what is written to stdout and stderr; False where the user's own code runs and may print.
    explain: what torch or ExecuTorch raised, with nodes, lines and remedies; None where it knows no more
             than the error says. See `failures` for what builds these.
    """

    kind: StepKind
    title: str
    about: str
    run: Callable[[LivePrograms, Options, Progress], StepResult]
    why_not: Callable[[Stage], str] = lambda _stage: ""
    options: tuple[Option, ...] = ()
    explain: Callable[[Exception, LivePrograms, Options], Failure | None] = unexplained
    extra: str = ""
    imports: tuple[str, ...] = ()
    quiet: bool = True
    others: tuple[str, ...] = ()
    unasked: Callable[[Stage], tuple[str, ...]] = lambda _stage: ()

    @property
    def known(self) -> tuple[str, ...]:
        """The names of all options that `run` understands."""
        return (*(option.name for option in self.options), *self.others)

    def asks(self, stage: Stage) -> tuple[Option, ...]:
        """What the form of this step asks for at a stage."""
        without = self.unasked(stage) if stage.live is not None else ()
        return tuple(option for option in self.options if option.name not in without)


def table() -> tuple[StepSpec, ...]:
    """All steps in the order of the pipeline."""
    from . import backend, decompose, edge, executorch, quantize, reexport, transform

    return (
        decompose.STEP,
        edge.STEP,
        transform.STEP,
        quantize.STEP,
        backend.STEP,
        executorch.STEP,
        reexport.STEP,
    )
