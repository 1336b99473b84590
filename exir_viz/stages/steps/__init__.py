"""The steps of the pipeline: their specification, and the table of all of them.

A step calls torch or ExecuTorch and returns their result. It imports them when it runs, never when its module
is imported, because a saved session is opened without torch.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from exir_viz.snapshot.program import Notice
from exir_viz.stages.live import LivePrograms
from exir_viz.stages.plain_code import CodeWriter
from exir_viz.stages.records import Failure, Finding, Option, StepKind

if TYPE_CHECKING:
    from exir_viz.stages.stage import Stage

Options = Mapping[str, Any]


# Reports the phase that begins now. It raises KeyboardInterrupt if the step was stopped.
PhaseCallback = Callable[[str], None]


@dataclass(frozen=True)
class StepResult:
    """The result of a step.

    title: replaces the step's own title if it says more ("Core ATen"). name: of the stage, until the user
    renames it ("core").
    """

    live: LivePrograms
    findings: tuple[Finding, ...] = ()
    notices: tuple[Notice, ...] = ()
    title: str = ""
    name: str = ""


def unexplained(_error: Exception, _live: LivePrograms, _options: Options) -> None:
    """The `failure_of` of a step that cannot explain errors: the error's own text is used."""


@dataclass(frozen=True)
class StepSpec:
    """A kind of step.

    options: what a form asks for; `run` gets those that were given, by name, and no others.
    others: options that only Python can pass, by name.
    unasked: the options that have no meaning for a stage that has a program.
    why_not: why the step cannot run on a stage that has a program; "" if it can.
    run: makes the next programs. It gets a copy, which it may change. It raises torch's errors, and
         NotPossible for invalid options: then no stage is made.
    code: writes what `run` does to these programs as code without exir_viz. `tests/test_plain_torch.py` runs
         both and compares the results.
    extra: the extra to install in addition to torch: "executorch", or "" for none.
    imports: modules that are imported before the step's clock starts: the first import of ExecuTorch takes
         seconds, and its output belongs to no step.
    quiet: capture stdout and stderr; False if the user's own code runs and may print.
    failure_of: turns an error of torch or ExecuTorch into nodes, lines and remedies; None if it knows no more
             than the error says. See `failures` for the functions that build these.
    """

    kind: StepKind
    title: str
    about: str
    run: Callable[[LivePrograms, Options, PhaseCallback], StepResult]
    code: Callable[[CodeWriter, LivePrograms, Options], None]
    why_not: Callable[[Stage], str] = lambda _stage: ""
    options: tuple[Option, ...] = ()
    failure_of: Callable[[Exception, LivePrograms, Options], Failure | None] = unexplained
    extra: str = ""
    imports: tuple[str, ...] = ()
    quiet: bool = True
    others: tuple[str, ...] = ()
    unasked: Callable[[Stage], tuple[str, ...]] = lambda _stage: ()

    @property
    def known(self) -> tuple[str, ...]:
        """The names of all options that `run` accepts."""
        return (*(option.name for option in self.options), *self.others)

    def asks(self, stage: Stage) -> tuple[Option, ...]:
        """The options that the form of this step shows for a stage."""
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
