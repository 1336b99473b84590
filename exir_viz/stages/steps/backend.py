"""Backend: delegate parts of the program, chosen by ExecuTorch's partitioners.

From ATen it calls `to_edge_transform_and_lower`, where a partitioner says what must not be decomposed; from
edge, and from ATen with `edge_first`, it calls `to_backend`, which delegates what is still possible then. All
methods are lowered together. The
findings say for every call that is not delegated why.
"""

from __future__ import annotations

import math
import subprocess
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from msgspec.structs import replace

from exir_viz.snapshot.program import Dialect
from exir_viz.stages.live import LivePrograms
from exir_viz.stages.plain_code import CodeWriter, call_text, programs_of, quoted, sequence_text
from exir_viz.stages.plain_options import plain_options
from exir_viz.stages.program_copies import copy_programs
from exir_viz.stages.records import Failure, Finding, Option, OptionsFix, OptionType, StepKind

from . import Options, PhaseCallback, StepResult, StepSpec
from . import edge as edge_step
from .delegation_reasons import WatchedPartitioner, findings
from .edge import CHECKS, config_code, config_of
from .failures import explained, failure, finding, raised_by, root
from .partitioners import BACKENDS, XNNPACK, about, offered, partitioner_code, watched
from .remedies import Remedy
from .rule_violations import rule_violations

if TYPE_CHECKING:
    from exir_viz.stages.stage import Stage

# The option that lowers an ATen program to edge before the partitioner sees it.
EDGE_FIRST: Final = "edge_first"


def run(live: LivePrograms, options: Options, report: PhaseCallback) -> StepResult:
    """`partitioner`: a name, a Partitioner, several in order, or these by method.

    `edge_first`: lower an ATen program to edge before the partitioner sees it.
    """
    report("importing the backend")
    chosen = watched(options.get("partitioner", XNNPACK), live)
    every = list(dict.fromkeys(one for several in chosen.values() for one in several))
    title = ", ".join(dict.fromkeys(one.title for one in every))
    if live.manager is None and not options.get(EDGE_FIRST):
        report("lowering to edge")
        manager = _from_aten(live, options, chosen, report)
    else:
        manager = live.manager or _edge(live, options, report)
        for number in range(max(map(len, chosen.values()))):
            report(f"lowering to {title}")
            turn = {
                name: several[number].recording_copy(report)
                for name, several in chosen.items()
                if number < len(several)
            }
            manager = manager.to_backend(turn)
    made = LivePrograms.managed(manager, live)
    return StepResult(made, findings(made, every), title=title, name=title.lower().replace(" ", ""))


def code(writer: CodeWriter, live: LivePrograms, options: Options) -> None:
    """`to_edge_transform_and_lower`, or `to_backend` for each partitioner."""
    given = options.get("partitioner", XNNPACK)
    chosen = partitioner_code(writer, given)
    if live.manager is None and not options.get(EDGE_FIRST):
        writer.imports("executorch.exir", "to_edge_transform_and_lower")
        if isinstance(chosen, dict):
            entries = (f"{quoted(name)}: {sequence_text(several)}" for name, several in chosen.items())
            partitioners = sequence_text(entries, "{}")
        else:
            partitioners = sequence_text(chosen)
        arguments = [programs_of(live), f"partitioner={partitioners}", *config_code(writer, live, options)]
        writer.line(f"edge = {call_text('to_edge_transform_and_lower', arguments)}")
        return
    if live.manager is None:
        edge_step.code(writer, live, options)
    if not isinstance(chosen, dict):
        writer.line(*(f"edge = edge.to_backend({one})" for one in chosen))
        return
    for number in range(max(map(len, chosen.values()))):
        turn = (
            f"{quoted(name)}: {several[number]}" for name, several in chosen.items() if number < len(several)
        )
        writer.line(f"edge = edge.to_backend({sequence_text(turn, '{}')})")


def _edge(live: LivePrograms, options: Options, report: PhaseCallback) -> Any:
    from executorch.exir import to_edge

    report("lowering to edge")
    return to_edge(dict(live.programs), compile_config=config_of(live, options))


def _from_aten(
    live: LivePrograms, options: Options, chosen: dict[str, list[WatchedPartitioner]], report: PhaseCallback
) -> Any:
    from executorch.exir import to_edge_transform_and_lower

    return to_edge_transform_and_lower(
        dict(live.programs),
        partitioner={
            name: [one.recording_copy(report) for one in several] for name, several in chosen.items()
        },
        compile_config=config_of(live, options),
    )


def why_not(stage: Stage) -> str:
    """Why it cannot run: an ExecuTorch program cannot be delegated."""
    if stage.dialect is Dialect.EXECUTORCH:
        return "it is already an ExecuTorch program. Start from an earlier stage."
    return ""


def unasked(stage: Stage) -> tuple[str, ...]:
    """The edge options have no meaning if the program is already lowered to edge."""
    is_lowered = stage.live is not None and stage.live.manager is not None
    return tuple(option.name for option in CHECKS) if is_lowered else ()


def failure_of(error: Exception, live: LivePrograms, options: Options) -> Failure | None:
    """Explain errors of lowering to edge, a part of this step, and of backends that cannot serialize."""
    if isinstance(root(error), subprocess.CalledProcessError):
        return failure(error, findings=tuple(_not_finite(live)))
    is_violation = type(root(error)).__name__ == "SpecViolationError"
    if live.manager is not None and raised_by(error) and not is_violation:
        # XNNPACK's passes expect what to_edge_transform_and_lower prepares.
        works = (name for name, before in live.before_edge.items() if _succeeds(before, options))
        stage = next(works, "")
        return explained(error, live, stage and Remedy.BEFORE_EDGE.format(stage=stage))
    if is_violation or not raised_by(error):
        return rule_violations(error, live, lambda: config_of(live, options))
    found = _in_branch(explained(error, live))
    edge_first = {**options, EDGE_FIRST: True}
    # a form cannot pass the user's own partitioner
    can_fix = live.manager is None and edge_first != options and plain_options(options) == dict(options)
    if can_fix and _succeeds(live, edge_first):
        return replace(found or failure(error), fixes=(OptionsFix(Remedy.EDGE_FIRST, edge_first),))
    return found


def _succeeds(live: LivePrograms, options: Options) -> bool:
    """Whether the step succeeds on these programs with these options. It is run to find out."""
    try:
        run(copy_programs(live).live, options, lambda _text: None)
    except Exception:  # noqa: BLE001  # it fails too: then it is no fix
        return False
    return True


def _in_branch(found: Failure | None) -> Failure | None:
    """Backends run no branches and loops: for a call in one, moving it out helps."""
    if found is None:
        return None
    findings = (
        replace(one, remedy=Remedy.OUT_OF_BRANCH) if one.node.count("/") > 1 else one
        for one in found.findings
    )
    return replace(found, findings=tuple(findings))


def _not_finite(live: LivePrograms) -> Iterator[Finding]:
    """Calls with an infinite argument: backends serialize to JSON, which has no infinity."""
    from exir_viz.torch_internals.pytrees import pytree

    for program in live.programs.values():
        for node in program.graph.nodes:
            numbers = [one for one in pytree.tree_leaves((node.args, node.kwargs)) if isinstance(one, float)]
            if not all(map(math.isfinite, numbers)):
                yield finding(node, "An argument is not finite.", Remedy.FINITE, live=live)


STEP = StepSpec(
    StepKind.BACKEND,
    "To a backend",
    "Delegate parts of the graph to a backend. The rest runs on ExecuTorch's own kernels.",
    run,
    code,
    why_not,
    (
        Option("partitioner", "Backend", OptionType.CHOICE, XNNPACK, offered(), about()),
        *CHECKS,
    ),
    failure_of,
    extra="executorch",
    imports=("executorch.exir", BACKENDS[XNNPACK].module),
    unasked=unasked,
    others=(EDGE_FIRST,),
)
