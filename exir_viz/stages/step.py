"""Run one step: the result is programs with Snapshot and lineage, or a Failure, never our own error."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any

from exir_viz.options import known_options, refuse
from exir_viz.snapshot import Snapshot
from exir_viz.snapshot.call_change import CallChange, lineage_change
from exir_viz.snapshot.index import index_of
from exir_viz.snapshot.lineage import Lineage
from exir_viz.snapshot.program import Notice
from exir_viz.stages.content import StageContent
from exir_viz.stages.live import LivePrograms, NotPossible
from exir_viz.stages.output_capture import discarded_output
from exir_viz.stages.plain_code import CodeWriter, PlainCode, write_start
from exir_viz.stages.program_copies import LiveCopy, copy_programs
from exir_viz.stages.records import Failure, StageState, Step, StepKind
from exir_viz.stages.steps import PhaseCallback, StepResult, StepSpec, table
from exir_viz.stages.steps.delegation_reasons import with_delegation_reasons
from exir_viz.stages.steps.failures import failure, unlocated

if TYPE_CHECKING:
    from exir_viz.stages.stage import Stage


@dataclass(frozen=True)
class Attempt:
    """The result. `seconds` is the step's own time, without processing its result."""

    seconds: float
    made: StepResult | None = None
    snapshot: Snapshot | None = None
    lineage: Lineage | None = None
    change: CallChange | None = None
    failure: Failure | None = None
    code: PlainCode | None = None

    @property
    def name(self) -> str:
        return self.made.name if self.made else ""


def spec_of(kind: StepKind | str) -> StepSpec:
    """The step of a kind."""
    if not isinstance(kind, str):
        refuse("do", "kind", kind, f"one of {', '.join(repr(spec.kind.value) for spec in table())}")
    for spec in table():
        if spec.kind == kind:
            return spec
    why = ", which only starts a session" if kind == StepKind.START else ""
    raise NotPossible(f"Unknown step {str(kind)!r}{why}. Steps: {', '.join(spec.kind for spec in table())}.")


def check_options(spec: StepSpec, options: object) -> Mapping[str, Any]:
    """The options of a step, as a mapping; raises UnknownOption for one that the step does not have."""
    if not isinstance(options, Mapping):
        refuse(spec.kind.value, "options", options, "a dict of options by name")
    known_options(spec.kind.value, options, spec.known)
    return options


def begin(live: Callable[[], LivePrograms], report: PhaseCallback) -> Attempt:
    """The first stage. Errors of torch are raised: without a program there is no session."""
    report("exporting")
    began = perf_counter()
    found = live()
    seconds = perf_counter() - began
    report("reading the program")
    code, notices = _code(CodeWriter(), lambda writer: write_start(writer, found))
    return Attempt(seconds, StepResult(found, notices=notices), found.capture(), code=code)


def started(attempt: Attempt, notices: tuple[Notice, ...]) -> StageContent:
    """The content of the first stage."""
    assert attempt.made is not None
    live = attempt.made.live
    exported = live.exported is not None
    title = f"torch.export of {type(live.exported.module).__name__}" if live.exported else "Program"
    seconds = attempt.seconds if exported else 0.0
    step = Step(StepKind.START, title, seconds=seconds, notices=(*attempt.made.notices, *notices))
    return StageContent(step, StageState.READY, attempt.snapshot, live, code=attempt.code)


def attempt(spec: StepSpec, parent: Stage, options: Mapping[str, Any], report: PhaseCallback) -> Attempt:
    """Run a step. NotPossible and interrupts are raised; any other error becomes a Failure."""
    assert parent.live is not None
    began = perf_counter()
    seen = parent.live
    try:
        _import(spec.imports, report)
        report("copying the graph")
        copy = copy_programs(parent.live)
        paths = {id(graph): path for path, graph in copy.live.graphs()}
        seen = replace(parent.live, copies=paths, before_edge=_before_edge(parent))
        began = perf_counter()
        report(spec.title)
        made = spec.run(copy.live, options, report)
    except NotPossible:
        raise
    except Exception as error:  # noqa: BLE001  # torch and ExecuTorch raise what they like: it is shown
        seconds = perf_counter() - began
        code, _ = _code_after(parent, spec, options)
        return Attempt(seconds, failure=_failure(spec, error, seen, options), code=code)
    seconds = perf_counter() - began
    code, notices = _code_after(parent, spec, options)
    made = replace(made, notices=(*made.notices, *notices))
    report("linking nodes")
    lineage = None
    try:
        lineage = _linked(parent.live, made.live, copy)
    except Exception as error:  # noqa: BLE001  # minutes of lowering are not lost for want of links
        text = f"Nodes could not be linked to those of {parent.name!r}: {type(error).__name__}: {error}"
        made = replace(made, notices=(*made.notices, Notice("lineage", text)))
    report("reading the program")
    snapshot = with_delegation_reasons(made.live.capture(), made.findings, parent.snapshot, lineage)
    change = lineage_change(lineage, parent.snapshot, snapshot) if lineage is not None else None
    return Attempt(seconds, made, snapshot, lineage, change, code=code)


def _code_after(
    parent: Stage, spec: StepSpec, options: Mapping[str, Any]
) -> tuple[PlainCode | None, tuple[Notice, ...]]:
    """The code of a stage that a step makes of `parent`; None if `parent` has none."""
    live = parent.live
    if parent.content.code is None or live is None:
        return None, ()
    return _code(CodeWriter(parent.content.code), lambda writer: spec.code(writer, live, options))


def _code(
    writer: CodeWriter, write: Callable[[CodeWriter], None]
) -> tuple[PlainCode | None, tuple[Notice, ...]]:
    """What was written; None with a notice if something cannot be written as code."""
    try:
        write(writer)
    except Exception as error:  # noqa: BLE001  # minutes of lowering are not lost for want of the code
        return None, (Notice("code", f"There is no code of this step: {type(error).__name__}: {error}"),)
    return writer.code(), ()


def _before_edge(stage: Stage) -> dict[str, LivePrograms]:
    """By name: the stages before edge from which only decompose and edge steps lead to this one."""
    found: dict[str, LivePrograms] = {}
    while stage.step.kind in (StepKind.DECOMPOSE, StepKind.EDGE) and stage.parent is not None:
        stage = stage.parent
        if stage.live is not None and stage.live.manager is None:
            found[stage.name] = stage.live
    return found


def _linked(parent: LivePrograms, made: LivePrograms, copy: LiveCopy) -> Lineage:
    from exir_viz.stages.lineage import link

    return link(parent.programs, made.programs, copy.originals)


def _import(modules: tuple[str, ...], report: PhaseCallback) -> None:
    missing = [name for name in modules if name not in sys.modules]
    if missing:
        report(f"importing {missing[0].partition('.')[0]}")
        with discarded_output():
            for name in missing:
                importlib.import_module(name)


def completed(
    attempt: Attempt, spec: StepSpec, options: dict[str, Any], notices: tuple[Notice, ...]
) -> StageContent:
    """The content of the stage that an attempt makes."""
    made = attempt.made
    if made is None:
        step = Step(spec.kind, spec.title, options, attempt.seconds, notices)
        return StageContent(step, StageState.FAILED, failure=attempt.failure, code=attempt.code)
    step = Step(spec.kind, made.title or spec.title, options, attempt.seconds, (*made.notices, *notices))
    return StageContent(
        step,
        StageState.READY,
        attempt.snapshot,
        made.live,
        attempt.lineage,
        attempt.change,
        findings=made.findings,
        code=attempt.code,
    )


def calls(snapshot: Snapshot) -> int:
    """How many nodes compute, without delegated ones."""
    return sum(index_of(graph).computes for graph in snapshot.graphs if graph.type != "delegate")


def _failure(spec: StepSpec, error: Exception, live: LivePrograms, options: Mapping[str, Any]) -> Failure:
    """The step's own explanation, or the error's text."""
    try:
        return spec.failure_of(error, live, options) or unlocated(error)
    except Exception:  # noqa: BLE001  # an error that cannot be explained is still reported
        return failure(error)
